#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace holdfast::admin {

/// Problems with config entries, by server name.
struct EntryProblemTexts {
    std::map<std::string, std::string> skipped = {};  ///< Servers that do not run.
    std::map<std::string, std::string> carried =
        {};  ///< Servers that run by their previous entries.
};

/// The problems found when the config was last loaded.
///
/// Thread-safety: from any thread.
class EntryProblems final {
public:
    void replace(EntryProblemTexts texts) {
        auto replaced = std::make_shared<const EntryProblemTexts>(std::move(texts));
        const std::lock_guard lock{mutex_};
        texts_.swap(replaced);
    }
    /// Never null.
    [[nodiscard]] std::shared_ptr<const EntryProblemTexts> texts() const {
        const std::lock_guard lock{mutex_};
        return texts_;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const EntryProblemTexts> texts_ = std::make_shared<const EntryProblemTexts>();
};

}  // namespace holdfast::admin
