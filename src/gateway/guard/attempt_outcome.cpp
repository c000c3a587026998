#include "guard/attempt_outcome.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "policy/error_text.hpp"

namespace holdfast::guard {
namespace {

using downstream::Answer;
using downstream::CallFault;
using jsonrpc::PaddedText;
using policy::AnswerKind;
using policy::Ending;
using policy::ErrorClassId;

/// Words that classify an error stand at its beginning.
constexpr std::size_t kMaxTextBytes = 65'536;

constexpr std::string_view kSpaces = " \t\r\n";

bool is_string(std::string_view value) noexcept {
    return value.starts_with('"');
}

/// The status that a JSON value is: a number, or a text of digits.
std::optional<int> status_of_value(std::optional<std::string_view> value) {
    constexpr std::size_t kMaxBytes = 32;  // three digits, each of them escaped
    if (!value || value->size() > kMaxBytes) {
        return std::nullopt;
    }
    return policy::status_of_digits(is_string(*value) ? jsonrpc::decoded(*value)
                                                      : std::string{*value});
}

/// The status in one of the fields that servers use for it.
std::optional<int> status_of_fields(const PaddedText& text, std::string_view value) {
    const jsonrpc::ObjectView object = jsonrpc::part_reader().read_object(text, value);
    for (const std::string_view key : {"status", "statusCode", "code"}) {
        if (const auto status = status_of_value(object.find(key))) {
            return status;
        }
    }
    const auto error = object.find("error");
    return error ? status_of_value(jsonrpc::part_reader().read_object(text, *error).find("status"))
                 : std::nullopt;
}

/// The status that a decoded text states: by its fields if it is a JSON object, or in words.
std::optional<int> status_of_text(const std::string& decoded) {
    const std::size_t begin = decoded.find_first_not_of(kSpaces);
    if (begin == std::string::npos || decoded[begin] != '{') {
        return policy::status_in(decoded);
    }
    const PaddedText text{decoded};
    const std::size_t end = decoded.find_last_not_of(kSpaces) + 1;
    const std::string_view object = text.view().substr(begin, end - begin);
    if (!jsonrpc::part_reader().read_object(text, object).exists()) {
        return policy::status_in(decoded);
    }
    const auto status = status_of_fields(text, object);
    return status ? status : policy::status_in(decoded, policy::TextForm::json);
}

/// Collects what the parts of an error say: their decoded text, and the first status.
class ErrorLook final {
public:
    explicit ErrorLook(std::string& text) : text_(text) {}

    void add_fields(const PaddedText& text, std::string_view value) {
        if (!status_) {
            status_ = status_of_fields(text, value);
        }
    }

    /// A JSON string, with its quotes.
    void add_string(std::string_view string_text) {
        if (has_space()) {
            add(jsonrpc::decoded_beginning(string_text, kMaxTextBytes - text_.size()));
        }
    }

    /// Any other JSON, as it is written.
    void add_json(std::string_view value) {
        if (has_space()) {
            add(std::string{value.substr(0, kMaxTextBytes - text_.size())});
        }
    }

    /// One of `content`.
    void add_block(const PaddedText& text, std::string_view block) {
        const jsonrpc::ObjectView object = jsonrpc::part_reader().read_object(text, block);
        auto words = object.find("text");
        if (const auto resource = object.find("resource"); !words && resource) {
            words = jsonrpc::part_reader().read_object(text, *resource).find("text");
        }
        if (words && is_string(*words)) {
            add_string(*words);
        }
    }

    [[nodiscard]] std::optional<int> status() const noexcept { return status_; }

private:
    [[nodiscard]] bool has_space() const noexcept { return text_.size() < kMaxTextBytes; }

    void add(const std::string& part) {
        if (!status_) {
            status_ = status_of_text(part);
        }
        text_.append(text_.empty() ? "" : "\n").append(part);
    }

    std::string& text_;
    std::optional<int> status_;
};

/// Nothing if the server answered with a status, which says more.
std::optional<ErrorClassId> class_of(const CallFault& fault) {
    switch (fault.kind) {
        case CallFault::Kind::not_connected:
            return ErrorClassId::not_connected;
        case CallFault::Kind::unreachable:
            return ErrorClassId::connection_refused;
        case CallFault::Kind::connection_lost:
            return ErrorClassId::connection_lost;
        case CallFault::Kind::timed_out:
            return ErrorClassId::timeout;
        case CallFault::Kind::cancelled:
            return ErrorClassId::cancelled;
        case CallFault::Kind::malformed:
            return ErrorClassId::malformed;
        case CallFault::Kind::http_status:
        case CallFault::Kind::unauthorized:
        case CallFault::Kind::rate_limited:
            return std::nullopt;
        case CallFault::Kind::overloaded:
            return ErrorClassId::overloaded;
        case CallFault::Kind::too_large:
            return ErrorClassId::too_large;
        case CallFault::Kind::stopping:
            return ErrorClassId::stopping;
    }
    return ErrorClassId::connection_lost;
}

// A credential that was not sent because there is none is as good as one that was refused.
int status_of(const CallFault& fault) {
    constexpr int kUnauthorized = 401;
    const bool is_our_refusal =
        fault.kind == CallFault::Kind::unauthorized && fault.http_status == 0;
    return is_our_refusal ? kUnauthorized : fault.http_status;
}

void look_at_rpc_error(const Answer& answer, ErrorLook& look) {
    const auto body = jsonrpc::part_reader().read_object(answer.text(), answer.body());
    const auto message = body.find("message");
    const auto data = body.find("data");
    if (message && is_string(*message)) {
        look.add_string(*message);
    }
    if (data && is_string(*data)) {
        look.add_string(*data);
    } else if (data) {
        look.add_fields(answer.text(), *data);
        look.add_json(*data);
    }
}

void look_at_error_result(const Answer& answer, ErrorLook& look) {
    const auto body = jsonrpc::part_reader().read_object(answer.text(), answer.body());
    const auto content = body.find("content");
    if (const auto structured = body.find("structuredContent")) {
        look.add_fields(answer.text(), *structured);
    }
    if (content) {
        for (const std::string_view block :
             jsonrpc::part_reader().read_list(answer.text(), *content)) {
            look.add_block(answer.text(), block);
        }
    }
}

Ending ending_of_answer(const Answer& answer, const policy::Policy& policy, std::string& text) {
    constexpr int kFirstErrorStatus = 400;
    Ending ending{.http_status = answer.http_status, .delivery = answer.delivery};
    ErrorLook look{text};
    if (answer.is_error()) {
        ending.kind = AnswerKind::rpc_error;
        ending.rpc_code = answer.error_code;
        look_at_rpc_error(answer, look);
    } else if (policy.classifies_results && answer.says_error) {
        ending.kind = AnswerKind::error_result;
        look_at_error_result(answer, look);
    }
    ending.text = text;
    if (ending.http_status < kFirstErrorStatus && policy.classifies_results) {
        ending.http_status = look.status().value_or(ending.http_status);
    }
    return ending;
}

}  // namespace

Ending ending_of(const downstream::CallResult& result, const policy::Policy& policy,
                 std::string& text) {
    if (result) {
        return ending_of_answer(*result, policy, text);
    }
    const CallFault& fault = result.error();
    return {.kind = AnswerKind::http_error,
            .fault = class_of(fault),
            .http_status = status_of(fault),
            .text = fault.message,
            .delivery = fault.delivery,
            .retry_after = fault.retry_after,
            .is_final = fault.is_final};
}

}  // namespace holdfast::guard
