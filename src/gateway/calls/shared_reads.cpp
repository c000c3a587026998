#include "calls/shared_reads.hpp"

#include <utility>

namespace holdfast::calls {

bool SharedReads::must_be_sent(const std::string& identity,
                               const std::shared_ptr<RelayedCall>& call) {
    return state_.with([&](State& state) {
        const auto [group, is_first] =
            state.groups.try_emplace(identity, Group{.leader = call.get()});
        if (is_first || state.followers >= max_followers_) {
            return true;
        }
        ++state.followers;
        group->second.followers.push_back(call);
        return false;
    });
}

SharedReads::Calls SharedReads::end(const std::string& identity, const RelayedCall& leader) {
    return state_.with([&](State& state) -> Calls {
        const auto found = state.groups.find(identity);
        if (found == state.groups.end() || found->second.leader != &leader) {
            return {};
        }
        Calls followers = std::move(found->second.followers);
        state.followers -= followers.size();
        state.groups.erase(found);
        return followers;
    });
}

}  // namespace holdfast::calls
