#include "calls/suggested_tools.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/run_on.hpp"

namespace holdfast::calls {

namespace asio = boost::asio;

namespace {

/// Of all tools together; calls beyond it fail without suggestions.
constexpr std::size_t kMaxWaiters = 1'000;

}  // namespace

asio::awaitable<void> SuggestedTools::look_up(net::OwningLoop loop,
                                              std::shared_ptr<const surface::Surface> surface,
                                              std::string tool, resilience::TimePoint latest) {
    if (!finder_) {
        co_return;
    }
    const auto found = std::make_shared<resilience::OneShot>(*loop.timekeeper);
    const Lookup lookup =
        join(*surface, tool, [found, loop] { net::run_on(loop, [found] { found->signal(); }); });
    if (lookup == Lookup::none) {
        co_return;
    }
    if (lookup == Lookup::needed) {
        finder_->find_similar(
            tool, [self = shared_from_this(), tool](std::optional<surface::SimilarAnswer> answer) {
                self->on_found(tool, std::move(answer));
            });
    }
    const auto limit = resilience::saturating_add(loop.timekeeper->now(), limit_);
    std::ignore = co_await found->wait_until(std::min(limit, latest));
}

SuggestedTools::Names SuggestedTools::names_for(const std::string& tool) const {
    return state_.with([&tool](const State& state) {
        const auto found = state.known.find(tool);
        return found == state.known.end() ? Names{} : found->second.names;
    });
}

SuggestedTools::Lookup SuggestedTools::join(const surface::Surface& surface,
                                            const std::string& tool,
                                            std::function<void()> on_found) {
    return state_.with([&](State& state) {
        const auto known = state.known.find(tool);
        if (known != state.known.end() && known->second.generation >= surface.generation()) {
            return Lookup::none;
        }
        if (known == state.known.end() && state.known.size() >= surface.tools().size()) {
            state.known.clear();  // Some are of tools that no longer exist.
        }
        if (state.waiters >= kMaxWaiters) {
            return Lookup::none;
        }
        ++state.waiters;
        const auto [waiting, is_first] = state.waiting.try_emplace(tool);
        waiting->second.push_back(std::move(on_found));
        return is_first ? Lookup::needed : Lookup::running;
    });
}

void SuggestedTools::on_found(const std::string& tool,
                              std::optional<surface::SimilarAnswer> answer) {
    const auto waiting = state_.with([&](State& state) {
        if (answer) {
            state.known.insert_or_assign(
                tool, Known{.generation = answer->generation, .names = std::move(answer->ids)});
        }
        auto node = state.waiting.extract(tool);
        auto waiters = node ? std::move(node.mapped()) : std::vector<std::function<void()>>{};
        state.waiters -= waiters.size();
        return waiters;
    });
    for (const auto& on_found : waiting) {
        on_found();
    }
}

}  // namespace holdfast::calls
