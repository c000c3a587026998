#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "downstream/call_listener.hpp"
#include "downstream/stream/stream_outlet.hpp"
#include "jsonrpc/message.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// The unanswered questions of a downstream. Shared by the link and by late answers. Answers are
/// sent before queued calls.
///
/// Thread-safety: none; belongs to the home loop. The answer functions may be called from any
/// thread.
class QuestionTable final : public std::enable_shared_from_this<QuestionTable> {
public:
    /// `outlet` must live until `end`.
    QuestionTable(net::OwningLoop home, StreamOutlet& outlet, std::size_t max_questions)
        : home_(std::move(home)), outlet_(&outlet), max_questions_(max_questions) {}

    /// Registers a request of the downstream. Returns nothing if it was refused: too many are open,
    /// or one with its id is.
    [[nodiscard]] std::optional<Question> opened(const jsonrpc::Message& request);
    /// Answers a request that did not become a question.
    void refuse(std::string_view id, int code, std::string_view message);
    void answer_ping(std::string_view id);

    /// The downstream no longer wants an answer.
    void withdraw(std::string_view id);
    void end();

private:
    class Ticket;

    void settle(const std::string& id, std::uint64_t serial, const QuestionAnswer& answer);
    void write(std::string_view json);

    const net::OwningLoop home_;
    StreamOutlet* outlet_;  // null after the end
    const std::size_t max_questions_;
    // By id as written. The serial distinguishes a question from a later one with the same id.
    std::map<std::string, std::uint64_t, std::less<>> open_;
    std::uint64_t last_serial_ = 0;
};

}  // namespace holdfast::downstream
