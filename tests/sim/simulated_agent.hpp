#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/request_dispatcher.hpp"
#include "sim/agent_ledger.hpp"
#include "sim/dice.hpp"
#include "support/memory_channel.hpp"

namespace holdfast::sim {

/// An agent in front of the gateway: connects, sends requests, cancels them, disconnects without
/// notice and reconnects. The ledger of the connection checks everything it receives.
///
/// Thread-safety: none.
class SimulatedAgent final : public std::enable_shared_from_this<SimulatedAgent> {
public:
    SimulatedAgent(AgentTraits traits, Surroundings& world, Dice dice);

    /// Connects, and acts from time to time until `rest`.
    void live(std::shared_ptr<const dispatch::RequestDispatcher> dispatcher);
    /// Sends no new requests; still answers questions.
    void rest() { is_resting_ = true; }
    /// Disconnects for good. If `is_owed`, all pending answers must have arrived.
    void leave(bool is_owed);

    [[nodiscard]] std::size_t sent_count() const { return sent_count_; }

private:
    struct Connection {
        Connection(const AgentTraits& traits, Surroundings& world,
                   std::unique_ptr<test::MemoryChannel> end)
            : channel(std::move(end)), ledger(traits, world) {}

        std::unique_ptr<test::MemoryChannel> channel;
        AgentLedger ledger;
        bool is_left = false;
    };
    using Params = json::object;

    static boost::asio::awaitable<void> receive(std::shared_ptr<SimulatedAgent> self,
                                                std::shared_ptr<Connection> connection);
    void connect();
    void disconnect();
    void act_later();
    void act();
    void misbehave();

    // Requests; in agent_requests.cpp.
    void shake_hands();
    void call_something();
    void list_something();
    void watch_something();
    void cancel_something();
    void send_batch();
    json::value request(std::string_view method, Params params);
    [[nodiscard]] json::object made_request(std::string_view method, Params params);
    void dress(std::string_view method, Params& params);
    [[nodiscard]] json::value new_id();

    // Handling of received messages; in agent_answers.cpp.
    void on_text(const std::string& text);
    void on_message(const json::object& message);
    void on_result(const json::value& id, const json::object& result);
    void learn(const json::object& result);
    void on_question(const json::object& question);
    [[nodiscard]] json::object answer_to(std::string_view method);
    void resume_later(const json::object& request, const json::object& result);
    void resume(const json::object& request, const json::object& result, bool is_rightful);

    void notify(std::string_view method, json::object params);
    void say(const json::value& message);
    void say_text(const std::string& text);
    /// No effect if this connection has ended by then.
    void later(Duration delay, std::function<void()> work);

    const AgentTraits traits_;
    Surroundings& world_;
    Dice dice_;
    std::shared_ptr<const dispatch::RequestDispatcher> dispatcher_;
    std::shared_ptr<Connection> connection_;  // null while it is disconnected
    bool is_resting_ = false;
    bool is_ready_ = false;  // a legacy agent is ready after its handshake
    std::size_t sent_count_ = 0;
    std::size_t last_number_ = 0;
    std::vector<std::string> tools_;
    std::vector<std::string> prompts_;
    std::vector<std::string> uris_;
};

}  // namespace holdfast::sim
