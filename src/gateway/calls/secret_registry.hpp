#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::calls {

/// The secrets of the config, which no answer may show. Calls that started before a reload may
/// still contain the old ones, so they stay in the list for `kKept`. At most `kMaxRetired` of them
/// are kept; the oldest go first.
///
/// Thread-safety: from any thread.
class SecretRegistry final {
public:
    using Texts = std::vector<std::string>;

    static constexpr resilience::Duration kKept = std::chrono::minutes{10};
    static constexpr std::size_t kMaxRetired = 4'096;

    explicit SecretRegistry(Texts texts = {})
        : state_(State{.current = texts,
                       .retired = {},
                       .all = std::make_shared<const Texts>(std::move(texts))}) {}

    /// Never null.
    [[nodiscard]] std::shared_ptr<const Texts> all() const {
        return state_.with([](const State& state) { return state.all; });
    }
    /// The config in use has these secrets now.
    void replace(const Texts& texts, resilience::TimePoint now) {
        state_.with([&](State& state) {
            for (const std::string& old : state.current) {
                if (std::ranges::find(texts, old) == texts.end()) {
                    state.retired.push_back({.text = old, .since = now});
                }
            }
            state.current = texts;
            std::erase_if(state.retired, [&texts](const Retired& one) {
                return std::ranges::find(texts, one.text) != texts.end();
            });
            update(state, now);
        });
    }
    /// Drops what has been kept for long enough.
    void forget_old(resilience::TimePoint now) {
        state_.with([now](State& state) {
            if (!state.retired.empty()) {
                update(state, now);
            }
        });
    }

private:
    struct Retired {
        std::string text;
        resilience::TimePoint since;
    };
    struct State {
        Texts current;
        std::vector<Retired> retired;  // in the order of time
        std::shared_ptr<const Texts> all;
    };

    static void update(State& state, resilience::TimePoint now) {
        std::erase_if(state.retired, [now](const Retired& one) {
            return resilience::elapsed_between(one.since, now) >= kKept;
        });
        if (state.retired.size() > kMaxRetired) {
            state.retired.erase(state.retired.begin(), state.retired.end() - kMaxRetired);
        }
        Texts all = state.current;
        for (const Retired& one : state.retired) {
            all.push_back(one.text);
        }
        state.all = std::make_shared<const Texts>(std::move(all));
    }

    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::calls
