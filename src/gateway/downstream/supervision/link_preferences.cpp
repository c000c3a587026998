#include "downstream/supervision/link_preferences.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <tuple>
#include <utility>

#include "downstream/supervision/server_capabilities.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::downstream {
namespace {

constexpr std::size_t kMaxWaiting = 32;

}  // namespace

LinkPreferences::LinkPreferences(net::OwningLoop home, std::shared_ptr<Link> link,
                                 resilience::Duration wait)
    : home_(std::move(home)),
      link_(std::move(link)),
      wait_(wait),
      takes_levels_(link_->negotiated().era() == mcp::Era::legacy &&
                    server_capabilities_of(link_->negotiated().capabilities).has_logging) {}

void LinkPreferences::apply(Interests interests, std::string level) {
    Wish wish{.interests = std::move(interests), .level = std::move(level)};
    if (!is_sending_ && !needs_level(wish)) {
        set_interests(std::move(wish.interests));
        return;
    }
    if (waiting_.size() >= kMaxWaiting) {
        waiting_.pop_back();  // The newest wish counts.
    }
    waiting_.push_back(std::move(wish));
    if (!is_sending_) {
        is_sending_ = true;
        boost::asio::co_spawn(home_.executor, send_wishes(shared_from_this()),
                              [](const std::exception_ptr&) {});
    }
}

bool LinkPreferences::needs_level(const Wish& wish) const {
    return takes_levels_ && !wish.level.empty() && wish.level != level_;
}

void LinkPreferences::set_interests(Interests interests) {
    if (interests_ != interests) {
        interests_ = interests;
        link_->set_interests(std::move(interests));
    }
}

// One after the other: two on their way at once could arrive in the wrong order.
boost::asio::awaitable<void> LinkPreferences::send_wishes(std::shared_ptr<LinkPreferences> self) {
    while (!self->waiting_.empty()) {
        Wish wish = std::move(self->waiting_.front());
        self->waiting_.pop_front();
        if (self->needs_level(wish)) {
            self->level_ = wish.level;
            Request request;
            request.method = "logging/setLevel";
            request.params_members = "\"level\":" + jsonrpc::quoted_text(self->level_);
            request.deadline =
                resilience::Deadline::after(self->home_.timekeeper->now(), self->wait_);
            // A downstream that refuses the level logs as it likes: no call depends on it.
            std::ignore = co_await self->link_->call(self->home_, std::move(request), nullptr);
        }
        self->set_interests(std::move(wish.interests));
    }
    self->is_sending_ = false;
}

}  // namespace holdfast::downstream
