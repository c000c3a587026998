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
    Preference preference{.interests = std::move(interests), .level = std::move(level)};
    if (!is_sending_ && !needs_level(preference)) {
        set_interests(std::move(preference.interests));
        return;
    }
    if (waiting_.size() >= kMaxWaiting) {
        waiting_.pop_back();  // The newest preference replaces older ones.
    }
    waiting_.push_back(std::move(preference));
    if (!is_sending_) {
        is_sending_ = true;
        boost::asio::co_spawn(home_.executor, send_preferences(shared_from_this()),
                              [](const std::exception_ptr&) {});
    }
}

bool LinkPreferences::needs_level(const Preference& preference) const {
    return takes_levels_ && !preference.level.empty() && preference.level != level_;
}

void LinkPreferences::set_interests(Interests interests) {
    if (interests_ != interests) {
        interests_ = interests;
        link_->set_interests(std::move(interests));
    }
}

// Sends one at a time, because concurrent requests could arrive in the wrong order.
boost::asio::awaitable<void> LinkPreferences::send_preferences(
    std::shared_ptr<LinkPreferences> self) {
    while (!self->waiting_.empty()) {
        Preference preference = std::move(self->waiting_.front());
        self->waiting_.pop_front();
        if (self->needs_level(preference)) {
            self->level_ = preference.level;
            Request request;
            request.method = "logging/setLevel";
            request.params_members = "\"level\":" + jsonrpc::quoted_text(self->level_);
            request.deadline =
                resilience::Deadline::after(self->home_.timekeeper->now(), self->wait_);
            // A downstream that refuses the level logs as it likes; no call depends on it.
            std::ignore = co_await self->link_->call(self->home_, std::move(request), nullptr);
        }
        self->set_interests(std::move(preference.interests));
    }
    self->is_sending_ = false;
}

}  // namespace holdfast::downstream
