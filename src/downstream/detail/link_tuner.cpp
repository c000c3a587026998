#include "downstream/detail/link_tuner.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <tuple>
#include <utility>

#include "downstream/detail/server_capabilities.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::downstream::detail {

LinkTuner::LinkTuner(net::OwningLoop home, std::shared_ptr<Link> link, resilience::Duration wait)
    : home_(std::move(home)),
      link_(std::move(link)),
      wait_(wait),
      takes_levels_(link_->negotiated().era() == mcp::Era::legacy &&
                    server_capabilities_of(link_->negotiated().capabilities).has_logging) {}

void LinkTuner::apply(Interests interests, std::string level) {
    if (takes_levels_ && !level.empty()) {
        wanted_level_ = std::move(level);
        if (!is_sending_ && wanted_level_ != sent_level_) {
            is_sending_ = true;
            boost::asio::co_spawn(home_.executor, send_levels(shared_from_this()),
                                  [](const std::exception_ptr&) {});
        }
    }
    if (interests_ != interests) {
        interests_ = interests;
        link_->set_interests(std::move(interests));
    }
}

// One after the other: two on their way at once could arrive in the wrong order.
boost::asio::awaitable<void> LinkTuner::send_levels(std::shared_ptr<LinkTuner> self) {
    while (self->sent_level_ != self->wanted_level_) {
        self->sent_level_ = self->wanted_level_;
        Request request;
        request.method = "logging/setLevel";
        request.params_members = "\"level\":" + jsonrpc::quoted_text(self->sent_level_);
        request.deadline = resilience::Deadline::after(self->home_.timekeeper->now(), self->wait_);
        // A downstream that refuses the level logs as it likes: no call depends on it.
        std::ignore = co_await self->link_->call(self->home_, std::move(request), nullptr);
    }
    self->is_sending_ = false;
}

}  // namespace holdfast::downstream::detail
