#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/link.hpp"
#include "downstream/stream/question_table.hpp"
#include "downstream/stream/stream_call.hpp"
#include "downstream/stream/stream_outlet.hpp"
#include "downstream/stream_link.hpp"
#include "downstream/supervision/interest_keeper.hpp"
#include "jsonrpc/message.hpp"
#include "jsonrpc/padded_text.hpp"

namespace holdfast::downstream {

/// The part of a stream link that lives on its home loop. Shared by the link, the coroutine that
/// reads the channel, and calls in flight. `end` releases everything that belongs to the loop, so
/// that the rest may be destroyed on any loop.
///
/// Thread-safety: constants from any loop; all else on the home loop.
class StreamCore final : public std::enable_shared_from_this<StreamCore> {
public:
    StreamCore(net::OwningLoop home, std::unique_ptr<net::MessageChannel> channel,
               StreamLinkOptions options);

    /// Reads until the channel ends. Call once.
    void start();
    /// Ends the handshake.
    void serve(Negotiated negotiated, std::weak_ptr<LinkListener> listener);
    /// Fails all calls in flight with this fault and destroys the channel. The listener is not
    /// notified.
    void end(const CallFault& why);

    /// Sends the call. The result may be set on return if the call was refused.
    void begin(const std::shared_ptr<StreamCall>& call);
    /// The caller no longer waits for the call; notifies the downstream with the reason.
    void abandon(StreamCall& call, std::string_view reason);
    void forget(const StreamCall& call) { calls_.remove(call.id); }

    void set_interests(Interests interests);
    /// Rejects new calls from now on.
    void stop_admitting(CallFault why) { refusal_ = std::move(why); }
    /// Stops notifying the listener of the end of the channel.
    void set_quiet() { is_quiet_ = true; }

    /// Whether a request after the handshake has been answered.
    [[nodiscard]] bool has_answered() const noexcept { return has_answered_; }
    [[nodiscard]] std::optional<LinkProcess> process() const;
    /// Also available after the end: the last output of the process.
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const;
    [[nodiscard]] StreamOutlet& outlet() noexcept { return outlet_; }
    [[nodiscard]] const Negotiated& negotiated() const noexcept { return negotiated_; }
    [[nodiscard]] const net::OwningLoop& home() const noexcept { return home_; }
    [[nodiscard]] const StreamLinkCounters& counters() const noexcept { return counters_; }

private:
    [[nodiscard]] static boost::asio::awaitable<void> read_all(std::shared_ptr<StreamCore> self);
    void on_channel_end(const net::NetError& error);
    [[nodiscard]] std::optional<CallFault> send(StreamCall& call);
    void fail_all(const CallFault& why);
    [[nodiscard]] CallFault refused_write(const net::NetError& error);
    [[nodiscard]] std::uint64_t loss();

    // In stream_intake.cpp: handles incoming messages.
    void take(std::string_view json);
    void take_batch(const jsonrpc::PaddedText& text);
    void take_message(jsonrpc::PaddedText text);
    /// A message was dropped: it is too long, or the budget for buffers is used up.
    void on_dropped(net::NetErrc reason);
    void on_junk(const jsonrpc::ReadFault& fault, std::string_view json);
    [[nodiscard]] std::shared_ptr<StreamCall> failed_by(const jsonrpc::ReadFault& junk) const;
    void tell_junk();
    void on_response(jsonrpc::PaddedText text, const jsonrpc::Message& response);
    void on_request(const jsonrpc::Message& request);
    void on_question(const jsonrpc::Message& request);
    void on_notification(const jsonrpc::Message& notification);
    void on_progress(const jsonrpc::Message& notification);
    void on_cancelled(const jsonrpc::Message& notification);
    void on_subscription(std::string_view id, const jsonrpc::Message& notification);
    void pass_on(Notification notification);
    void fail(const std::shared_ptr<StreamCall>& call, CallFault fault);
    void tell_link(Notification notification);

    const net::OwningLoop home_;
    const StreamLinkOptions options_;
    StreamOutlet outlet_;
    Negotiated negotiated_;
    std::weak_ptr<LinkListener> listener_;
    StreamCallTable calls_;
    const std::shared_ptr<QuestionTable> desk_;
    LegacySubscriptions subscriptions_;
    std::optional<ModernListening> listening_;
    std::optional<CallFault> refusal_;  // set when calls are rejected
    StreamLinkCounters counters_;
    std::string last_junk_;                    // the start of the message
    std::vector<std::string> kept_log_lines_;  // of a channel that has ended
    bool is_quiet_ = true;                     // until the handshake has ended
    bool has_answered_ = false;
    std::uint64_t loss_ = 0;  // shared by all calls lost with the channel; 0 = not assigned
};

}  // namespace holdfast::downstream
