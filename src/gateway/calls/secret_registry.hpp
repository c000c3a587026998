#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::calls {

/// The secrets of the config, which no answer may show. A reload adds secrets and never removes
/// any, because calls that started earlier may still contain the old ones.
///
/// Thread-safety: from any thread.
class SecretRegistry final {
public:
    using Texts = std::vector<std::string>;

    explicit SecretRegistry(Texts texts = {})
        : texts_(std::make_shared<const Texts>(std::move(texts))) {}

    /// Never null.
    [[nodiscard]] std::shared_ptr<const Texts> all() const {
        return texts_.with([](const auto& texts) { return texts; });
    }
    void add(const Texts& more) {
        Texts texts = *all();
        for (const std::string& text : more) {
            if (std::ranges::find(texts, text) == texts.end()) {
                texts.push_back(text);
            }
        }
        auto shared = std::make_shared<const Texts>(std::move(texts));
        texts_.with([&shared](auto& current) { current.swap(shared); });
    }

private:
    resilience::Synchronized<std::shared_ptr<const Texts>> texts_;
};

}  // namespace holdfast::calls
