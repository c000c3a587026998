#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "agents/outlet.hpp"
#include "agents/reply_port.hpp"
#include "support/call_id.hpp"

namespace holdfast::test {

/// Records the answers to a request.
class RecordingPort final : public agents::ReplyPort {
public:
    explicit RecordingPort(bool can_ask = true) : can_ask_(can_ask) {}

    void send(std::string message, net::Importance /*importance*/) override {
        sent.push_back(std::move(message));
    }
    using agents::ReplyPort::finish;
    void finish(std::string message, int http_status) override {
        answers.push_back(std::move(message));
        status = http_status;
    }
    void abandon() override { ++abandoned; }
    [[nodiscard]] bool can_ask() const override { return can_ask_; }
    void on_gone(std::function<void()> listener) override { gone = std::move(listener); }

    /// Returns the only answer, or a text that reports the number of answers.
    [[nodiscard]] std::string whole_answer() const {
        return answers.size() == 1 ? answers.front() : std::to_string(answers.size()) + " answers";
    }
    /// The same without the call's id.
    [[nodiscard]] std::string answer() const { return test::without_call_id(whole_answer()); }
    /// The number of times the request ended.
    [[nodiscard]] std::size_t ends() const { return answers.size() + abandoned; }

    std::vector<std::string> sent;
    std::vector<std::string> answers;
    int status = 0;
    std::size_t abandoned = 0;
    std::function<void()> gone;

private:
    const bool can_ask_;
};

/// Records the messages to an agent outside of its requests.
class RecordingOutlet final : public agents::Outlet {
public:
    void send(std::string message, net::Importance /*importance*/) override {
        sent.push_back(std::move(message));
    }
    void end() override { ++ends; }

    std::vector<std::string> sent;
    int ends = 0;
};

}  // namespace holdfast::test
