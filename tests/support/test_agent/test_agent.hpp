#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/test_agent/agent_wire.hpp"

namespace holdfast::test {

enum class AgentEra : std::uint8_t { legacy, modern };

/// A request of an agent. The parts are JSON, as on the wire.
struct AgentRequest {
    std::string method = {};
    std::string params = {};  ///< Members, without the braces.
    std::string meta = {};    ///< Members of `params._meta` in addition to those of the era.
    std::string name = {};    ///< Of the tool, prompt or resource, if there is one.
    std::string id = {};      ///< Empty: the next number.
};

/// Calls a tool. `arguments` is JSON.
[[nodiscard]] AgentRequest tool_call(const std::string& name, const std::string& arguments = "{}");

/// An agent that sends one request after another, in one era. It can answer forms (elicitation)
/// with given content.
///
/// Thread-safety: none.
class TestAgent final {
public:
    TestAgent(std::unique_ptr<AgentWire> wire, AgentEra era) : wire_(std::move(wire)), era_(era) {}

    /// Performs the handshake of its era. Returns false if the gateway refuses.
    [[nodiscard]] bool open(const std::string& revision = "2025-11-25");
    /// Lists the tools until this one appears; false if it does not appear in time.
    [[nodiscard]] bool finds_tool(const std::string& name);

    /// Returns the id of the request, as JSON.
    std::string send(const AgentRequest& request);
    void send_notification(const std::string& method, const std::string& params);
    /// Sends an arbitrary message.
    void send_text(const std::string& text);
    /// Returns the whole answer to a request; empty if none arrives in time. Keeps other messages.
    [[nodiscard]] std::string answer_to(const std::string& id);
    [[nodiscard]] std::string request(const AgentRequest& request) {
        return answer_to(send(request));
    }
    /// Returns the first text of a tool's result; the whole answer if it has none.
    [[nodiscard]] std::string call(const std::string& tool, const std::string& arguments = "{}");

    /// Returns the next message of any kind; empty if none arrives in time.
    [[nodiscard]] std::string next_message(std::chrono::milliseconds limit = kPatience) {
        return wire_->receive(limit);
    }
    /// Returns the next message of the gateway with that method: a notification, or a question.
    [[nodiscard]] std::string next_message_of(std::string_view method);
    /// The messages that arrived while waiting for answers.
    [[nodiscard]] const std::vector<std::string>& kept() const noexcept { return kept_; }

    /// Calls a tool that asks one form, answers it with `content` (JSON), and returns the answer to
    /// the call. Empty if there was no question.
    [[nodiscard]] std::string call_and_fill_in(const AgentRequest& call,
                                               const std::string& content);
    void answer_question(std::string_view question, const std::string& result);
    /// Cancels a request, in the style of the era and the transport.
    void cancel(const std::string& id);

private:
    [[nodiscard]] std::string params_of(const AgentRequest& request) const;

    std::unique_ptr<AgentWire> wire_;
    AgentEra era_;
    int last_id_ = 100;
    std::vector<std::string> kept_;
};

}  // namespace holdfast::test
