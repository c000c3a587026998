#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::admin {

/// A config file that could not be used, so that the one before it stays in use.
struct RejectedConfig {
    std::int64_t at_ms = 0;   ///< Since the epoch.
    std::string reason = {};  ///< One line per error.
};

/// Problems with config entries, by server name.
struct EntryProblemTexts {
    std::map<std::string, std::string> skipped = {};  ///< Servers that do not run.
    std::map<std::string, std::string> carried =
        {};  ///< Servers that run by their previous entries.
    /// The file that was read last, if it is not the one in use.
    std::optional<RejectedConfig> rejected = std::nullopt;
};

/// The problems found when the config was last read.
///
/// Thread-safety: `texts` from any thread; the others from one.
class EntryProblems final {
public:
    void replace(EntryProblemTexts texts) {
        auto replaced = std::make_shared<const EntryProblemTexts>(std::move(texts));
        const std::lock_guard lock{mutex_};
        texts_.swap(replaced);
    }
    /// The other problems stay: they are those of the config in use.
    void reject(RejectedConfig rejected) {
        EntryProblemTexts changed = *texts();
        changed.rejected = std::move(rejected);
        replace(std::move(changed));
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
