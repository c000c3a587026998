#include "downstream/stream/question_table.hpp"

#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <optional>
#include <tuple>
#include <utility>

#include "jsonrpc/message_writer.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::downstream {

/// The right to answer one question, once.
class QuestionTable::Ticket final {
public:
    Ticket(std::weak_ptr<QuestionTable> desk, std::string id, std::uint64_t serial)
        : desk_(std::move(desk)), id_(std::move(id)), serial_(serial) {}
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    // NOLINTNEXTLINE(bugprone-exception-escape): only when out of memory, which ends the process.
    ~Ticket() {
        use({.is_error = true,
             .body = R"({"code":-32603,"message":"The question was not answered."})"});
    }

    void use(QuestionAnswer answer) {
        if (is_used_.exchange(true)) {
            return;
        }
        if (auto desk = desk_.lock()) {
            const auto executor = desk->home_.executor;
            boost::asio::dispatch(
                executor, [desk = std::move(desk), id = id_, serial = serial_,
                           answer = std::move(answer)] { desk->settle(id, serial, answer); });
        }
    }

private:
    const std::weak_ptr<QuestionTable> desk_;
    const std::string id_;
    const std::uint64_t serial_;
    std::atomic<bool> is_used_ = false;
};

std::optional<Question> QuestionTable::opened(const jsonrpc::Message& request,
                                              const std::shared_ptr<StreamCall>& call) {
    if (open_.size() >= max_questions_) {
        refuse(request.id, mcp::kInternalError,
               "Too many questions are open on this connection; ask again later.");
        return std::nullopt;
    }
    const auto [place, is_new] =
        open_.try_emplace(std::string{request.id}, Open{.serial = last_serial_ + 1, .call = call});
    if (!is_new) {
        refuse(request.id, jsonrpc::kInvalidRequest,
               "A request with this id is still waiting for its answer.");
        return std::nullopt;
    }
    if (call) {
        ++call->open_questions;
    }
    const auto ticket = std::make_shared<Ticket>(weak_from_this(), place->first, ++last_serial_);
    return Question{.method = std::string{request.method},
                    .params = std::string{request.body.text()},
                    .answer = [ticket](QuestionAnswer answer) { ticket->use(std::move(answer)); }};
}

void QuestionTable::refuse(std::string_view id, int code, std::string_view message) {
    write(jsonrpc::error_text(id, {.code = code, .message = message}));
}

void QuestionTable::answer_ping(std::string_view id) {
    write(jsonrpc::result_text(id, "{}"));
}

void QuestionTable::withdraw(std::string_view id) {
    const auto found = open_.find(id);
    if (found != open_.end()) {
        close(found);
    }
}

void QuestionTable::close(Table::iterator question) {
    if (const auto call = question->second.call.lock()) {
        --call->open_questions;
    }
    open_.erase(question);
}

void QuestionTable::end() {
    outlet_ = nullptr;
    open_.clear();
}

void QuestionTable::settle(const std::string& id, std::uint64_t serial,
                           const QuestionAnswer& answer) {
    const auto found = open_.find(id);
    if (found == open_.end() || found->second.serial != serial) {
        return;  // withdrawn, or the link has ended
    }
    close(found);
    write(answer.is_error ? jsonrpc::relayed_error_text(id, answer.body)
                          : jsonrpc::result_text(id, answer.body));
}

void QuestionTable::write(std::string_view json) {
    if (outlet_ == nullptr) {
        return;
    }
    if (!outlet_->try_write_urgent(json)) {
        // The slots for urgent messages are few and small. If the normal queue is full too, the
        // downstream is not reading, and its own timeout ends the question.
        std::ignore = outlet_->try_write(json);
    }
}

}  // namespace holdfast::downstream
