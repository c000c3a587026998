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
    // Not the owner of the object, but of its life as a link.
    return {observed, [link = std::move(link)](StreamLink*) { link->end(stopping_fault()); }};
}

StreamLink::StreamLink(net::OwningLoop home, std::unique_ptr<net::MessageChannel> channel,
                       StreamLinkOptions options)
    : home_(std::move(home)),
      options_(std::move(options)),
      outlet_(std::move(channel)),
      desk_(std::make_shared<QuestionTable>(home_, outlet_, options_.max_questions)) {}

void StreamLink::start() {
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

void StreamLink::begin(const std::shared_ptr<StreamCall>& call) {
    auto refusal = send(*call);
    if (refusal) {
        settle(call, std::move(*refusal));
        return;
    }
    calls_.add(call);
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

/// Returns what prevents sending, if anything.
std::optional<CallFault> StreamLink::send(StreamCall& call) {
    if (refusal_) {
        CallFault fault = *refusal_;
        fault.delivery = Delivery::not_sent;
        return fault;
    }
    if (calls_.size() >= options_.link.max_calls) {
        return CallFault{.kind = CallFault::Kind::overloaded,
                         .message = "Too many calls are in flight to this server."};
    }
    if (call.request.deadline.is_expired(home_.timekeeper->now())) {
        return CallFault{.kind = CallFault::Kind::timed_out,
                         .message = "The deadline had passed before the call could be sent."};
    }
    if (!call.prepared_text.empty()) {
        const auto written = outlet_.try_write(call.prepared_text);
        // The reader reports the end of the peer with a better message.
        const bool is_reported_later =
            !written && written.error().code == net::NetErrc::closed && outlet_.channel();
        return written || is_reported_later ? std::nullopt
                                            : std::optional{refused_write(written.error())};
    }
    call.id = outlet_.next_id();
    const std::string id = std::to_string(call.id);
    const std::string_view token = call.request.wants_progress ? id : std::string_view{};
    const auto written = outlet_.try_write(
        dressed_request(call.request, {.id = id,
                                       .progress_token = token,
                                       .revision = negotiated_.revision,
                                       .client_info = options_.link.client_info}));
    return written ? std::nullopt : std::optional{refused_write(written.error())};
}

void StreamLink::abandon(StreamCall& call, std::string_view reason) {
    const bool is_in_flight = calls_.remove(call.id);
    if (is_in_flight && call.prepared_text.empty()) {
        // If the slots for urgent messages are full too, the late answer will just be dropped.
        std::ignore = outlet_.try_write_urgent(cancelled_text(std::to_string(call.id), reason));
    }
}

void StreamLink::set_interests(Interests interests) {
    if (listening_) {
        listening_->want(std::move(interests));
    } else {
        subscriptions_.want(interests.resource_uris, outlet_);
    }
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
        settle(call, why);
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
