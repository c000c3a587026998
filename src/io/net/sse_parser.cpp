#include "net/sse_parser.hpp"

#include <algorithm>
#include <charconv>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::net {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// "event" and "retry" with colon and space: the maximum addition to a value.
constexpr std::size_t kFieldNameBytes = 7;
// Memory above this, caused by a large event, is freed.
constexpr std::size_t kReusableBytes = std::size_t{64} * 1024;

bool is_comment(std::string_view line) {
    return line.starts_with(':');
}

void clear(std::string& text) {
    text.clear();
    if (text.capacity() > kReusableBytes) {
        text.shrink_to_fit();
    }
}

}  // namespace

void SseParser::feed(std::string_view bytes) {
    HOLDFAST_EXPECT(input_.empty());
    input_ = bytes;
}

SseStep SseParser::next() {
    if (is_dispatched_) {
        forget_event();
    }
    skip_byte_order_mark();
    while (!input_.empty()) {
        if (was_carriage_return_) {
            was_carriage_return_ = false;
            if (input_.front() == '\n') {
                input_.remove_prefix(1);
                continue;
            }
        }
        const std::size_t length = input_.find_first_of("\r\n");
        std::optional<SseStep> step;
        if (length == std::string_view::npos) {
            step = keep_unfinished_line();
        } else {
            const std::string_view rest = input_.substr(0, length);
            was_carriage_return_ = input_[length] == '\r';
            input_.remove_prefix(length + 1);
            step = take_line(rest);
        }
        if (step) {
            return *step;
        }
    }
    return SseNeedBytes{};
}

// An incomplete mark is the beginning of the first line.
void SseParser::skip_byte_order_mark() {
    while (mark_index_ < kByteOrderMark.size() && !input_.empty()) {
        if (input_.front() != kByteOrderMark[mark_index_]) {
            line_.assign(kByteOrderMark.substr(0, mark_index_));
            mark_index_ = static_cast<std::uint8_t>(kByteOrderMark.size());
            return;
        }
        ++mark_index_;
        input_.remove_prefix(1);
    }
}

// `line` follows the stored beginning of the line.
std::optional<SseStep> SseParser::take_line(std::string_view line) {
    if (is_dropping_line_) {
        is_dropping_line_ = false;
        clear(line_);
        return std::nullopt;
    }
    std::string kept;
    if (!line_.empty()) {
        kept = std::move(line_);
        kept.append(line);
        line = kept;
        line_.clear();
    }
    if (line.empty()) {
        return dispatch();
    }
    if (is_comment(line) || is_dropping_event_) {
        return std::nullopt;
    }
    if (line.size() > options_.max_event_bytes + kFieldNameBytes) {
        return drop_event();
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) {
        value.remove_prefix(1);
    }
    return take_field(line.substr(0, colon), value);
}

std::optional<SseStep> SseParser::keep_unfinished_line() {
    const std::string_view bytes = input_;
    input_ = {};
    if (is_dropping_line_) {
        return std::nullopt;
    }
    line_.append(bytes.substr(0, options_.max_event_bytes + kFieldNameBytes + 1));
    if (is_comment(line_) || is_dropping_event_) {
        // It only matters that the line is not blank.
        is_dropping_line_ = true;
        return std::nullopt;
    }
    if (line_.size() > options_.max_event_bytes + kFieldNameBytes) {
        is_dropping_line_ = true;
        return drop_event();
    }
    if (!has_space()) {
        is_dropping_line_ = true;
        return drop_event(true);
    }
    return std::nullopt;
}

std::optional<SseStep> SseParser::dispatch() {
    if (is_dropping_event_) {
        is_dropping_event_ = false;
        forget_event();
        return std::nullopt;
    }
    last_id_ = id_;
    if (data_.size() <= 1) {
        forget_event();
        return std::nullopt;
    }
    is_dispatched_ = true;
    return SseEvent{
        .type = type_, .data = std::string_view{data_}.substr(0, data_.size() - 1), .id = last_id_};
}

std::optional<SseStep> SseParser::take_field(std::string_view name, std::string_view value) {
    if (name == "data") {
        if (value.size() + data_.size() > options_.max_event_bytes) {
            return drop_event();
        }
        data_.append(value);
        data_.push_back('\n');
        if (!has_space()) {
            return drop_event(true);
        }
    } else if (name == "event" || name == "id") {
        if (value.size() > options_.max_field_bytes) {
            return drop_event();
        }
        if (name == "event") {
            type_ = value;
        } else if (value.find('\0') == std::string_view::npos) {
            id_ = value;
        }
    } else if (name == "retry") {
        take_retry(value);
    }
    return std::nullopt;
}

void SseParser::take_retry(std::string_view value) {
    if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) {
        return;
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_huge = error != std::errc{} || number > options_.max_retry.count();
    retry_ = is_huge ? options_.max_retry : std::chrono::milliseconds{number};
}

void SseParser::forget_event() {
    is_dispatched_ = false;
    clear(data_);
    clear(type_);
    share_.resize(line_.size());
}

SseStep SseParser::drop_event(bool is_out_of_space) {
    is_dropping_event_ = true;
    forget_event();
    // A dropped event must not be the one to resume from.
    id_ = last_id_;
    return SseTooLong{.is_out_of_space = is_out_of_space};
}

}  // namespace holdfast::net
