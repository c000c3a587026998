#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "downstream/call_listener.hpp"
#include "downstream/stream/stream_call.hpp"
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

    /// Registers a request of the downstream, which waits for the agent of the call until it is
    /// answered; the call may be null. Returns nothing if it was refused: too many are open, or one
    /// with its id is.
    [[nodiscard]] std::optional<Question> opened(const jsonrpc::Message& request,
                                                 const std::shared_ptr<StreamCall>& call);
    /// Answers a request that did not become a question.
    void refuse(std::string_view id, int code, std::string_view message);
    void answer_ping(std::string_view id);

    /// The downstream no longer wants an answer.
    void withdraw(std::string_view id);
    void end();

private:
    class Ticket;

    struct Open {
        std::uint64_t serial = 0;  // differs from that of a later question with the same id
        std::weak_ptr<StreamCall> call = {};
    };
    using Table = std::map<std::string, Open, std::less<>>;  // by id as written

    void close(Table::iterator question);
    void settle(const std::string& id, std::uint64_t serial, const QuestionAnswer& answer);
    void write(std::string_view json);

    const net::OwningLoop home_;
    StreamOutlet* outlet_;  // null after the end
    const std::size_t max_questions_;
    Table open_;
    std::uint64_t last_serial_ = 0;
};

}  // namespace holdfast::downstream
