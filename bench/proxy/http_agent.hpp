#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "proxy/answer_text.hpp"

namespace holdfast::bench {

enum class Era : std::uint8_t {
    modern,  ///< Every request stands for itself.
    legacy,  ///< Every connection opens a session first.
};

/// What agents call, and where.
struct Target {
    std::uint16_t port = 0;
    Era era = Era::modern;
    std::string tool = "bench_echo";
    std::string arguments = R"({"text":"hello"})";
    /// Additional members for `_meta` of a modern call, each with a leading comma.
    std::string more_meta = {};
    std::string expected = {};  ///< Contained in every right answer.
};

/// Returns a call as a JSON-RPC message.
[[nodiscard]] std::string call_text(const Target& target, std::uint64_t id);

/// One agent on a keep-alive connection, with its session.
///
/// Thread-safety: none.
class HttpAgent final {
public:
    /// `name` appears in the message of a failure, which ends the benchmark.
    HttpAgent(std::string name, Target target);
    HttpAgent(const HttpAgent&) = delete;
    HttpAgent& operator=(const HttpAgent&) = delete;
    ~HttpAgent();

    [[nodiscard]] int socket() const noexcept { return socket_; }
    [[nodiscard]] std::chrono::steady_clock::time_point asked_at() const noexcept {
        return asked_at_;
    }
    [[nodiscard]] const std::string& answer() const noexcept { return answer_.bytes(); }

    /// Reconnects, with the existing session or a new one.
    void connect();
    void ask();
    /// Receives bytes; returns true if they complete an answer of any kind.
    [[nodiscard]] bool receive_any();
    /// Does the same for an answer that must be right: its status, its id, a result, and the
    /// expected text.
    [[nodiscard]] bool receive();
    /// Asks once and waits; returns true for a right answer.
    [[nodiscard]] bool try_once();

private:
    [[nodiscard]] bool is_right() const;
    void hang_up();
    void send(const std::string& text);
    void open_session();

    std::string name_;
    Target target_;
    std::string headers_;
    AnswerText answer_;
    std::chrono::steady_clock::time_point asked_at_;
    std::uint64_t id_ = 0;
    int socket_ = -1;
    bool has_session_ = false;
};

}  // namespace holdfast::bench
