#include "downstream/stream/stream_link.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <tuple>
#include <utility>

#include "downstream/wire_text.hpp"
#include "holdfast/resilience/expect.hpp"
#include "net/expect_no_exception.hpp"
#include "process/child_process.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using resilience::Delivery;

constexpr std::size_t kKeptLogLines = 50;

std::uint64_t next_loss() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

CallFault stopping_fault() {
    return {.kind = CallFault::Kind::stopping,
            .message = "The connection to the server is being closed.",
            .delivery = Delivery::sent};
}

}  // namespace

std::shared_ptr<StreamLink> StreamLink::make(net::OwningLoop home,
                                             std::unique_ptr<net::MessageChannel> channel,
                                             StreamLinkOptions options) {
    auto link =
        std::make_shared<StreamLink>(std::move(home), std::move(channel), std::move(options));
    link->start();
    StreamLink* const observed = link.get();
    // Not the owner of the object, but of its life as a link. The object is released with it: the
    // link points to this life weakly, which keeps the deleter.
    std::shared_ptr<StreamLink> life{observed, [link = std::move(link)](StreamLink*) mutable {
                                         const auto ended = std::move(link);
                                         ended->end(stopping_fault());
                                     }};
    observed->life_ = life;
    return life;
}

StreamLink::StreamLink(net::OwningLoop home, std::unique_ptr<net::MessageChannel> channel,
                       StreamLinkOptions options)
    : home_(std::move(home)),
      options_(std::move(options)),
      outlet_(std::move(channel)),
      desk_(std::make_shared<QuestionTable>(home_, outlet_, options_.max_questions)) {}

// NOLINTNEXTLINE(bugprone-exception-escape): only when out of memory, which ends the process.
StreamLink::~StreamLink() {
    if (is_scheduled()) {
        home_.timekeeper->cancel(*this);
    }
}

void StreamLink::start() {
    home_.timekeeper->schedule(*this, resilience::TimePoint::max());
    // A peer that is busy with a call may not answer pings. The call has its own time limit, and
    // its caller should see that one.
    outlet_.channel()->be_patient_while([weak = weak_from_this()] {
        const auto self = weak.lock();
        return self && self->calls_.size() != 0;
    });
    asio::co_spawn(home_.executor, read_all(shared_from_this()), net::expect_no_exception);
}

void StreamLink::serve(Negotiated negotiated, std::weak_ptr<LinkListener> listener) {
    negotiated_ = std::move(negotiated);
    listener_ = std::move(listener);
    is_quiet_ = false;
    if (junk_count_ != 0) {
        // Skipped before there was a listener.
        junk_count_ = 1;
        tell_junk();
    }
    if (negotiated_.era() == mcp::Era::modern) {
        listening_.emplace(outlet_, *home_.timekeeper);
        listening_->speak_as(
            {.revision = negotiated_.revision, .client_info = options_.link.client_info});
    } else {
        // If the queue is full or closed this early, the connection is already lost.
        std::ignore = outlet_.try_write(initialized_text());
    }
}

void StreamLink::end(const CallFault& why) {
    home_.timekeeper->cancel(*this);
    is_quiet_ = true;
    listener_.reset();
    fail_all(why);
    if (outlet_.channel() != nullptr) {
        kept_log_lines_ = last_log_lines(kKeptLogLines);
    }
    desk_->end();
    listening_.reset();
    outlet_.end();
}

CallFault StreamLink::refused_write(const net::NetError& error) {
    if (error.code == net::NetErrc::closed) {
        // The reader is about to see the end of the channel: it is the same loss.
        return {.kind = CallFault::Kind::connection_lost,
                .message = "The connection to the server is closed.",
                .lost_connection = loss()};
    }
    return {.kind = CallFault::Kind::overloaded,
            .message = "The request cannot be sent to the server: " + error.message + "."};
}

std::uint64_t StreamLink::loss() {
    loss_ = loss_ == 0 ? next_loss() : loss_;
    return loss_;
}

void StreamLink::set_interests(Interests interests) {
    if (listening_) {
        listening_->want(std::move(interests));
    } else {
        subscriptions_.want(interests.resource_uris, outlet_);
    }
}

bool StreamLink::has_unread_input() const {
    const auto* const child = dynamic_cast<const process::ChildProcess*>(outlet_.channel());
    return child != nullptr && child->has_unread_input();
}

std::optional<LinkProcess> StreamLink::process() const {
    const auto* const child = dynamic_cast<const process::ChildProcess*>(outlet_.channel());
    const auto pid = child != nullptr ? child->pid() : std::nullopt;
    return pid ? std::optional{LinkProcess{.pid = *pid, .log = child->log()}} : std::nullopt;
}

std::vector<std::string> StreamLink::last_log_lines(std::size_t count) const {
    if (outlet_.channel() != nullptr) {
        const auto* const child = dynamic_cast<const process::ChildProcess*>(outlet_.channel());
        return child != nullptr ? child->last_log_lines(count) : std::vector<std::string>{};
    }
    const std::size_t kept = std::min(count, kept_log_lines_.size());
    return {kept_log_lines_.end() - static_cast<std::ptrdiff_t>(kept), kept_log_lines_.end()};
}

void StreamLink::fail_all(const CallFault& why) {
    refusal_ = why;
    for (const auto& call : calls_.take_all()) {
        settle_later(call, why);
    }
}

asio::awaitable<void> StreamLink::read_all(std::shared_ptr<StreamLink> self) {
    while (net::MessageChannel* channel = self->outlet_.channel()) {
        const auto json = co_await channel->read();
        if (json) {
            self->take(*json);
        } else if (json.error().code == net::NetErrc::message_too_long ||
                   json.error().code == net::NetErrc::overloaded) {
            self->on_dropped(json.error().code);
        } else {
            self->on_channel_end(json.error());
            co_return;
        }
    }
}

void StreamLink::on_channel_end(const net::NetError& error) {
    if (outlet_.channel() == nullptr) {
        return;  // closed by this side
    }
    const CallFault why{.kind = CallFault::Kind::connection_lost,
                        .message = "The connection to the server is lost: " + error.message + ".",
                        .delivery = Delivery::sent,
                        .lost_connection = loss()};
    const auto listener = is_quiet_ ? nullptr : listener_.lock();
    end(refusal_.value_or(why));
    if (listener) {
        listener->on_lost(why);
    }
}

}  // namespace holdfast::downstream
