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

/// What a stream link is on its home loop. Shared by the link, the coroutine that reads the
/// channel, and calls under way; `end` lets go of all that belongs to the loop, so that the rest
/// may be released on any.
///
/// Thread-safety: none but for what is constant; belongs to the home loop.
class StreamCore final : public std::enable_shared_from_this<StreamCore> {
public:
    StreamCore(net::OwningLoop home, std::unique_ptr<net::MessageChannel> channel,
               StreamLinkOptions options);

    /// Reads until the channel ends. To be called once.
    void start();
    /// The handshake is over.
    void serve(Negotiated negotiated, std::weak_ptr<LinkListener> listener);
    /// Ends calls in flight with that fault, and destroys the channel. The listener is not told.
    void end(const CallFault& why);

    /// Sends the call. Its result may be there when this returns: it was refused.
    void begin(const std::shared_ptr<StreamCall>& call);
    /// Nobody waits for the call any more; the downstream is told, with the reason.
    void abandon(StreamCall& call, std::string_view reason);
    void forget(const StreamCall& call) { calls_.remove(call.id); }

    void set_interests(Interests interests);
    /// No new calls from now on.
    void stop_admitting(CallFault why) { refusal_ = std::move(why); }
    /// Whether the end of the channel is told to the listener.
    void set_quiet() { is_quiet_ = true; }

    /// Whether a request that is not of the handshake has been answered.
    [[nodiscard]] bool has_answered() const noexcept { return has_answered_; }
    [[nodiscard]] std::optional<LinkProcess> process() const;
    /// Also after the end: what the process said before it went.
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

    // In stream_intake.cpp: what the downstream says.
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
    std::optional<CallFault> refusal_;  // why calls are not taken
    StreamLinkCounters counters_;
    std::string last_junk_;                    // its beginning
    std::vector<std::string> kept_log_lines_;  // of a channel that has ended
    bool is_quiet_ = true;                     // until the handshake is over
    bool has_answered_ = false;
    std::uint64_t loss_ = 0;  // what all calls share that are lost with the channel; 0 = none yet
};

}  // namespace holdfast::downstream
