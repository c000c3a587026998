#include "downstream/http/http_subscriptions.hpp"

#include <algorithm>
#include <utility>

#include "downstream/http/http_call.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::downstream {

namespace asio = boost::asio;

void HttpSubscriptions::want(std::vector<std::string> uris) {
    wanted_ = {std::make_move_iterator(uris.begin()), std::make_move_iterator(uris.end())};
    const auto state = state_.lock();
    if (state && !is_running_ && wanted_ != sent_) {
        is_running_ = state->tasks->try_start(run(shared_from_this(), state)) != nullptr;
    }
}

std::optional<HttpSubscriptions::Change> HttpSubscriptions::take_change() {
    const auto over =
        std::ranges::find_if(sent_, [&](const std::string& uri) { return !wanted_.contains(uri); });
    if (over != sent_.end()) {
        return Change{.method = "resources/unsubscribe", .uri = sent_.extract(over).value()};
    }
    const auto lacking =
        std::ranges::find_if(wanted_, [&](const std::string& uri) { return !sent_.contains(uri); });
    if (lacking == wanted_.end()) {
        return std::nullopt;
    }
    sent_.insert(*lacking);
    return Change{.method = "resources/subscribe", .uri = *lacking};
}

asio::awaitable<void> HttpSubscriptions::run(std::shared_ptr<HttpSubscriptions> self,
                                             std::shared_ptr<HttpLinkState> state) {
    while (auto change = self->take_change()) {
        Request request{.method = change->method,
                        .params_members = "\"uri\":" + jsonrpc::quoted_text(change->uri),
                        .deadline = resilience::Deadline::after(state->home.timekeeper->now(),
                                                                state->parts.http.post_wait)};
        // The answer is ignored: a resource that cannot be watched just reports no changes.
        std::ignore = co_await run_http_call(state, state->home, std::move(request), nullptr);
    }
    self->is_running_ = false;
}

}  // namespace holdfast::downstream
