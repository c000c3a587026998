#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::calls {

class RelayedCall;

/// Reads in flight that later ones of the same agent, alike in every byte, wait for instead of
/// being sent themselves.
///
/// Thread-safety: from any thread.
class SharedReads final {
public:
    using Calls = std::vector<std::shared_ptr<RelayedCall>>;

    explicit SharedReads(std::size_t max_followers = 10'000) : max_followers_(max_followers) {}

    /// False: a call of that identity is in flight, and this one was added to those that hear of
    /// its end. True: this one has to be sent, and later ones may wait for it.
    [[nodiscard]] bool must_be_sent(const std::string& identity,
                                    const std::shared_ptr<RelayedCall>& call);
    /// The call that leads has ended, or does not answer for others any more. Returns those that
    /// waited for it. Nothing happens if another call leads.
    [[nodiscard]] Calls end(const std::string& identity, const RelayedCall& leader);

private:
    struct Group {
        const RelayedCall* leader = nullptr;
        Calls followers = {};
    };
    struct State {
        std::unordered_map<std::string, Group> groups = {};
        std::size_t followers = 0;
    };

    const std::size_t max_followers_;
    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::calls
