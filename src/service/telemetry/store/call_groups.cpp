#include "telemetry/store/call_groups.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <initializer_list>

#include "jsonrpc/json_text.hpp"
#include "telemetry/store/store_schema.hpp"

namespace holdfast::telemetry {
namespace {

/// The fields that the calls of a group share, and their minute, so that old calls can be deleted
/// by the minute.
constexpr std::array kCommon{
    &record::CallRecord::tool,          &record::CallRecord::server,
    &record::CallRecord::outcome,       &record::CallRecord::principal,
    &record::CallRecord::method,        &record::CallRecord::route,
    &record::CallRecord::message,       &record::CallRecord::policy,
    &record::CallRecord::circuit,       &record::CallRecord::circuit_before,
    &record::CallRecord::circuit_after, &record::CallRecord::substitute};
constexpr int kHexadecimal = 16;

template <class Number>
void append_number(std::string& out, Number number, int base = 10) {
    std::array<char, 24> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
    out.append(digits.data(), written.ptr);
}

void append_numbers(std::string& out, std::initializer_list<std::int64_t> numbers) {
    for (const std::int64_t number : numbers) {
        out += ',';
        append_number(out, number);
    }
}

bool has_plain_attempt(const record::CallRecord& call) {
    return call.attempts.size() == 1 && call.attempts.front().server == call.server &&
           call.attempts.front().end == record::AttemptRecord{}.end &&
           call.attempts.front().detail.empty();
}

void append_call(std::string& out, const record::CallRecord& call) {
    out += '[';
    append_number(out, call.at_ms);
    out += ',';
    jsonrpc::append_quoted(out, call.id);
    out += ",\"";
    if (call.session != 0) {
        append_number(out, call.session, kHexadecimal);
    }
    out += '"';
    append_numbers(out, {call.queue_us, call.total_us, static_cast<std::int64_t>(call.bytes_in),
                         static_cast<std::int64_t>(call.bytes_out)});
    if (has_plain_attempt(call)) {
        append_numbers(out, {call.attempts.front().began_us, call.attempts.front().took_us});
    } else {
        out += ',';
        append_attempts(out, call.attempts);
    }
    out += ']';
}

}  // namespace

std::size_t CallGroups::Hash::operator()(const record::CallRecord* call) const noexcept {
    return std::hash<std::string_view>{}(call->tool);  // Groups rarely share a tool.
}

bool CallGroups::Equal::operator()(const record::CallRecord* one,
                                   const record::CallRecord* other) const noexcept {
    return one->at_ms / kMinuteMs == other->at_ms / kMinuteMs &&
           std::ranges::all_of(kCommon,
                               [&](const auto text) { return one->*text == other->*text; });
}

void CallGroups::add(const record::CallRecord& call) {
    const auto [place, is_new] = open_.try_emplace(&call, groups_.size());
    if (!is_new && groups_[place->second].count >= max_calls_) {
        place->second = groups_.size();
    }
    if (place->second == groups_.size()) {
        groups_.push_back({.first = &call});
    }
    CallGroup& group = groups_[place->second];
    if (group.count == 0) {
        group.calls += '[';
    } else {
        group.calls.back() = ',';
    }
    append_call(group.calls, call);
    group.calls += ']';
    group.last_ms = std::max(group.last_ms, call.at_ms);
    ++group.count;
}

void CallGroups::clear() {
    open_.clear();
    groups_.clear();
}

void append_attempts(std::string& out, std::span<const record::AttemptRecord> attempts) {
    out += '[';
    bool is_first = true;
    for (const record::AttemptRecord& attempt : attempts) {
        out.append(is_first ? R"({"server":)" : R"(,{"server":)");
        is_first = false;
        jsonrpc::append_quoted(out, attempt.server);
        out.append(R"(,"began_us":)");
        append_number(out, attempt.began_us);
        out.append(R"(,"took_us":)");
        append_number(out, attempt.took_us);
        out.append(R"(,"end":)");
        jsonrpc::append_quoted(out, attempt.end);
        out.append(R"(,"detail":)");
        jsonrpc::append_quoted(out, attempt.detail);
        out += '}';
    }
    out += ']';
}

std::string session_text(std::uint64_t session) {
    std::string text;
    if (session != 0) {
        append_number(text, session, kHexadecimal);
    }
    return text;
}

}  // namespace holdfast::telemetry
