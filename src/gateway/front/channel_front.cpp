#include "front/channel_front.hpp"

#include <tuple>
#include <utility>
#include <variant>

#include "agents/modern_agent.hpp"
#include "agents/outlet.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/incoming.hpp"
#include "net/run_on.hpp"

namespace holdfast::front {
namespace {

namespace asio = boost::asio;
using jsonrpc::Message;
using jsonrpc::MessageKind;
using jsonrpc::PaddedText;

constexpr std::string_view kTooSlow = "the agent does not read what it is sent";

/// Writes to the channel, for the session and for every request.
class ChannelOutlet final : public agents::Outlet,
                            public std::enable_shared_from_this<ChannelOutlet> {
public:
    ChannelOutlet(net::OwningLoop loop, std::unique_ptr<net::MessageChannel> channel,
                  dispatch::Gateway& gateway, std::string principal)
        : loop_(std::move(loop)),
          channel_(std::move(channel)),
          gateway_(gateway.weak_from_this()),
          principal_(std::move(principal)) {}

    void send(std::string message, net::Importance importance) override {
        net::run_on(loop_, [self = shared_from_this(), message = std::move(message), importance] {
            self->write(message, importance);
        });
    }

    void end() override {
        net::run_on(loop_, [self = shared_from_this()] { self->channel_->stop_reading(); });
    }
    void report_unwritten(const std::shared_ptr<net::UnwrittenTally>& tally) override {
        tally->ask();
        net::run_on(loop_, [self = shared_from_this(), tally] {
            tally->report(self->channel_->is_flushed() ? 0 : 1);
        });
    }

    [[nodiscard]] net::MessageChannel& channel() { return *channel_; }
    [[nodiscard]] bool is_backed_up() const {
        return !channel_->unwritten().is_within(kPauseReadingAbove);
    }
    [[nodiscard]] bool is_given_up() const { return is_given_up_; }

private:
    void write(const std::string& message, net::Importance importance) {
        if (is_given_up_) {
            return;
        }
        const bool is_droppable = importance == net::Importance::droppable;
        const auto gateway = gateway_.lock();
        if (!gateway) {
            return;
        }
        if (is_droppable && !channel_->unwritten().is_within(kDropNotificationsAbove)) {
            gateway->count_dropped_notification();
            return;
        }
        const auto written = channel_->try_write(message);
        if (written || written.error().code == net::NetErrc::closed) {
            return;  // the reader of the channel notices its end
        }
        if (is_droppable) {
            gateway->count_dropped_notification();
        } else {
            // An agent that waits for an answer which does not come is worse off than one that has
            // lost its connection and knows it.
            is_given_up_ = true;
            channel_->give_up(kTooSlow);
            gateway->tell_agent_given_up(
                principal_, std::string{kTooSlow} + " (" + written.error().message + ")");
        }
    }

    const net::OwningLoop loop_;
    const std::unique_ptr<net::MessageChannel> channel_;
    const std::weak_ptr<dispatch::Gateway> gateway_;  // which owns the session, which owns this
    const std::string principal_;
    bool is_given_up_ = false;
};

/// One request on the channel. When the connection ends, the session ends and cancels its calls.
class ChannelPort final : public agents::ReplyPort {
public:
    explicit ChannelPort(std::shared_ptr<ChannelOutlet> outlet) : outlet_(std::move(outlet)) {}

    void send(std::string message, net::Importance importance) override {
        outlet_->send(std::move(message), importance);
    }
    void finish(std::string message, int /*http_status*/) override {
        outlet_->send(std::move(message), net::Importance::must_arrive);
    }
    void abandon() override {}
    [[nodiscard]] bool can_ask() const override { return true; }
    void on_gone(std::function<void()> /*listener*/) override {}

private:
    const std::shared_ptr<ChannelOutlet> outlet_;
};

/// Handles the messages of one connection.
class ChannelAgent final {
public:
    ChannelAgent(net::OwningLoop loop,
                 std::shared_ptr<const dispatch::RequestDispatcher> dispatcher,
                 std::shared_ptr<agents::AgentSession> session,
                 std::shared_ptr<ChannelOutlet> outlet,
                 std::shared_ptr<const downstream::AgentHeaders> agent_headers)
        : loop_(std::move(loop)),
          dispatcher_(std::move(dispatcher)),
          session_(std::move(session)),
          outlet_(std::move(outlet)),
          agent_headers_(std::move(agent_headers)) {}

    void on_text(std::string text) const {
        const PaddedText padded{std::move(text)};
        if (jsonrpc::is_batch(padded.view()) && takes_batches()) {
            on_batch(padded);
            return;
        }
        const auto message = jsonrpc::thread_reader().read(padded);
        if (!message) {
            const jsonrpc::ReadFault& fault = message.error();
            refuse(fault.id, {.code = fault.code, .message = fault.message});
            return;
        }
        on_message(*message);
    }

    void on_dropped(net::NetErrc reason) const {
        refuse({}, reason == net::NetErrc::overloaded
                       ? jsonrpc::ErrorObject{.code = mcp::kInternalError,
                                              .message = "The gateway is out of buffer space. The "
                                                         "message was dropped; try again later."}
                       : jsonrpc::ErrorObject{
                             .code = jsonrpc::kInvalidRequest,
                             .message = "The message is over the size limit and was dropped."});
    }

private:
    [[nodiscard]] bool takes_batches() const {
        const auto agent = session_->agent();
        return agent && mcp::allows_batches(agent->revision);
    }

    void on_batch(const PaddedText& text) const {
        const auto parts = jsonrpc::thread_reader().split_batch(text);
        if (!parts) {
            refuse({}, {.code = parts.error().code, .message = parts.error().message});
            return;
        }
        for (const std::string_view part : *parts) {
            on_text(std::string{part});
        }
    }

    void on_message(const Message& message) const {
        switch (message.kind) {
            case MessageKind::result:
            case MessageKind::error:
                dispatcher_->on_response(message, *session_);
                return;
            case MessageKind::notification:
                dispatcher_->on_notification(message, *session_);
                return;
            case MessageKind::request:
                on_request(message);
                return;
        }
    }

    void on_request(const Message& message) const {
        const auto era = mcp::classified(message, nullptr);
        if (const auto* fault = std::get_if<mcp::ProtocolError>(&era)) {
            refuse_at_edge(message.id, *fault);
        } else if (std::get<mcp::Era>(era) == mcp::Era::modern) {
            on_modern_request(message);
        } else if (message.method == "initialize") {
            outlet_->send(dispatcher_->initialized(message, *session_),
                          net::Importance::must_arrive);
        } else if (const auto agent = session_->agent()) {
            start(message, agent);
        } else if (message.method == "ping") {
            outlet_->send(jsonrpc::result_text(message.id, "{}"), net::Importance::must_arrive);
        } else {
            refuse(message.id, {.code = jsonrpc::kInvalidRequest,
                                .message = "Send initialize first, or name the protocol version in "
                                           "params._meta."});
        }
    }

    void on_modern_request(const Message& message) const {
        if (const auto fault = mcp::fault_in_modern_request(message, nullptr)) {
            refuse_at_edge(message.id, *fault);
        } else {
            start(message,
                  agents::modern_agent(message, session_->principal(), agent_headers_.get()));
        }
    }

    void start(const Message& message, std::shared_ptr<const agents::Agent> agent) const {
        dispatcher_->on_request({.message = message,
                                 .agent = std::move(agent),
                                 .session = session_,
                                 .port = std::make_shared<ChannelPort>(outlet_),
                                 .loop = loop_,
                                 .agent_headers = agent_headers_});
    }

    void refuse_at_edge(std::string_view id, const mcp::ProtocolError& fault) const {
        refuse(id, {.code = fault.code, .message = fault.message, .data = fault.data});
    }
    void refuse(std::string_view id, const jsonrpc::ErrorObject& error) const {
        outlet_->send(jsonrpc::error_text(id, error), net::Importance::must_arrive);
    }

    const net::OwningLoop loop_;
    const std::shared_ptr<const dispatch::RequestDispatcher> dispatcher_;
    const std::shared_ptr<agents::AgentSession> session_;
    const std::shared_ptr<ChannelOutlet> outlet_;
    const std::shared_ptr<const downstream::AgentHeaders> agent_headers_;
};

}  // namespace

asio::awaitable<void> serve_channel(net::OwningLoop loop,
                                    std::unique_ptr<net::MessageChannel> channel,
                                    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher,
                                    ChannelPeer peer) {
    const auto session = dispatcher->gateway().open_session(peer.principal, loop.timekeeper->now());
    const auto outlet = std::make_shared<ChannelOutlet>(loop, std::move(channel),
                                                        dispatcher->gateway(), peer.principal);
    if (!session) {
        outlet->send(jsonrpc::error_text({}, {.code = jsonrpc::kInvalidRequest,
                                              .message = "Too many agents are connected."}),
                     net::Importance::must_arrive);
        co_await outlet->channel().close();
        co_return;
    }
    session->set_outlet(outlet);
    const ChannelAgent agent{loop, dispatcher, session, outlet, peer.agent_headers};
    while (!outlet->is_given_up()) {
        if (outlet->is_backed_up()) {
            co_await outlet->channel().wait_for_room(kPauseReadingAbove);
        }
        const auto text = co_await outlet->channel().read();
        if (text) {
            session->touch(loop.timekeeper->now());
            agent.on_text(std::string{*text});
        } else if (text.error().code == net::NetErrc::message_too_long ||
                   text.error().code == net::NetErrc::overloaded) {
            agent.on_dropped(text.error().code);
        } else {
            break;
        }
    }
    if (peer.last_answers_wait > resilience::Duration::zero() && !outlet->is_given_up()) {
        const auto quiet = std::make_shared<resilience::OneShot>(*loop.timekeeper);
        session->when_quiet([loop, quiet] { net::run_on(loop, [quiet] { quiet->signal(); }); });
        std::ignore = co_await quiet->wait_until(
            resilience::saturating_add(loop.timekeeper->now(), peer.last_answers_wait));
    }
    dispatcher->gateway().end_session(session);
    co_await outlet->channel().close();
}

}  // namespace holdfast::front
