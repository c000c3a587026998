#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/link.hpp"
#include "downstream/stream/question_table.hpp"
#include "downstream/stream/stream_call.hpp"
#include "downstream/stream/stream_outlet.hpp"
#include "downstream/stream_link_options.hpp"
#include "downstream/supervision/interest_keeper.hpp"
#include "holdfast/resilience/timekeeper.hpp"
#include "jsonrpc/message.hpp"
#include "jsonrpc/padded_text.hpp"

namespace holdfast::downstream {

/// A link over a channel of whole messages that all calls share; ids match answers to calls.
///
/// A message of a legacy downstream that names no call goes to the call that `CallChoice` chooses.
/// If there is none, it goes to the listener of the link.
///
/// The object is shared by the pointer that `make` returns, the coroutine that reads the channel,
/// and calls in flight. When the last copy of that pointer is released, the link ends: it releases
/// everything that belongs to the home loop, so that the rest may be destroyed on any loop. A call
/// that starts on another loop passes a copy to the home loop, so that the last one is released
/// there.
///
/// Thread-safety: as `Link`; made and released on the home loop.
class StreamLink final : public Link,
                         public std::enable_shared_from_this<StreamLink>,
                         private resilience::Timer {
public:
    /// Reads the channel until it ends. Releasing the result ends the channel at once: calls in
    /// flight fail, and the listener is not notified.
    [[nodiscard]] static std::shared_ptr<StreamLink> make(
        net::OwningLoop home, std::unique_ptr<net::MessageChannel> channel,
        StreamLinkOptions options);
    /// Use `make`.
    StreamLink(net::OwningLoop home, std::unique_ptr<net::MessageChannel> channel,
               StreamLinkOptions options);
    ~StreamLink() override;

    /// Makes the text of a request from its id, which is JSON.
    using Composer = std::function<std::string(std::string_view id)>;
    /// Runs one request of the handshake. The request is never cancelled at the downstream. `junk`
    /// decides whether a message that is not JSON-RPC fails it.
    [[nodiscard]] boost::asio::awaitable<CallResult> shake_hands(const Composer& composer,
                                                                 resilience::Deadline deadline,
                                                                 JunkRule junk);
    /// Whether the peer is a program that has not read all that was sent to it.
    [[nodiscard]] bool has_unread_input() const;
    /// Ends the handshake: calls are accepted and the listener is notified from here on. A legacy
    /// downstream gets the `initialized` notification.
    void serve(Negotiated negotiated, std::weak_ptr<LinkListener> listener);

    [[nodiscard]] const Negotiated& negotiated() const override { return negotiated_; }
    [[nodiscard]] boost::asio::awaitable<CallResult> call(
        net::OwningLoop caller, Request request, std::shared_ptr<CallListener> listener) override;
    [[nodiscard]] std::shared_ptr<StartedCall> try_start(
        const net::OwningLoop& caller, const Request& request,
        const std::shared_ptr<CallObserver>& observer) override;
    /// The caller no longer waits for the call. On the caller's loop.
    void abandon_at_home(const std::shared_ptr<StreamCall>& call, resilience::WakeReason why);
    void notify(std::string_view method, std::string params) override;
    void set_interests(Interests interests) override;
    [[nodiscard]] boost::asio::awaitable<void> close(CallFault why) override;
    [[nodiscard]] bool has_answered() const override { return has_answered_; }
    [[nodiscard]] std::optional<LinkProcess> process() const override;
    /// Also available after the end: the last output of the process.
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const override;

private:
    class CallWatch;

    void start();
    void on_time() override {}  // It is scheduled only to learn of the end of the loop.
    /// Calls own what owns the link.
    void on_abandoned() override { const auto released = calls_.take_all(); }
    /// Fails all calls in flight with this fault and destroys the channel. The listener is not
    /// notified.
    void end(const CallFault& why);

    // In stream_link_calls.cpp: the side of the callers.
    [[nodiscard]] static boost::asio::awaitable<CallResult> run(std::shared_ptr<StreamLink> self,
                                                                std::shared_ptr<StreamCall> call,
                                                                Request request);
    [[nodiscard]] static boost::asio::awaitable<void> close_politely(
        std::shared_ptr<StreamLink> self, CallFault why);
    /// Sends the call, on the home loop. A coroutine may have its result on return, if the call was
    /// refused.
    void begin(const std::shared_ptr<StreamCall>& call, const Request& request);
    void begin_at_home(const std::shared_ptr<StreamCall>& call, const Request& request);
    /// The caller no longer waits for the call; notifies the downstream with the reason.
    void abandon(StreamCall& call, std::string_view reason);

    [[nodiscard]] static boost::asio::awaitable<void> read_all(std::shared_ptr<StreamLink> self);
    void on_channel_end(const net::NetError& error);
    /// Returns what prevents sending, if anything.
    [[nodiscard]] std::optional<CallFault> send(StreamCall& call, const Request& request);
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
    /// Returns the call that a message without a call id is about; null if there is none.
    [[nodiscard]] std::shared_ptr<StreamCall> chosen(UnnamedMessage what) const;
    void fail(const std::shared_ptr<StreamCall>& call, CallFault fault);
    void tell_link(Notification notification);

    const net::OwningLoop home_;
    std::weak_ptr<StreamLink> life_;  // what `make` returned; constant afterwards
    const StreamLinkOptions options_;
    StreamOutlet outlet_;
    Negotiated negotiated_;
    std::weak_ptr<LinkListener> listener_;
    StreamCallTable calls_;
    const std::shared_ptr<QuestionTable> desk_;
    LegacySubscriptions subscriptions_;
    std::optional<ModernListening> listening_;
    std::optional<CallFault> refusal_;         // set when calls are rejected
    std::uint64_t junk_count_ = 0;             // messages that are not JSON-RPC; skipped
    std::string last_junk_;                    // the start of the message
    std::vector<std::string> kept_log_lines_;  // of a channel that has ended
    bool is_quiet_ = true;                     // until the handshake has ended
    bool has_answered_ = false;
    std::uint64_t loss_ = 0;  // shared by all calls lost with the channel; 0 = not assigned
};

}  // namespace holdfast::downstream
