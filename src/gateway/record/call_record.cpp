#include "record/call_record.hpp"

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>

namespace holdfast::record {
namespace {

// A block is freed as a whole, without destructors.
static_assert(std::is_trivially_destructible_v<CallRecord>);
static_assert(std::is_trivially_destructible_v<AttemptRecord>);

/// The unit of a block; its alignment and size fit both kinds of records.
using Unit = std::uint64_t;
static_assert(alignof(CallRecord) <= alignof(Unit) && alignof(AttemptRecord) <= alignof(Unit));
static_assert(sizeof(CallRecord) % sizeof(Unit) == 0 && sizeof(AttemptRecord) % sizeof(Unit) == 0);

/// The texts that are copied with a record.
constexpr std::array kTexts{&CallRecord::id,      &CallRecord::principal, &CallRecord::tool,
                            &CallRecord::server,  &CallRecord::message,   &CallRecord::policy,
                            &CallRecord::circuit, &CallRecord::substitute};
constexpr std::array kAttemptTexts{&AttemptRecord::server, &AttemptRecord::end,
                                   &AttemptRecord::detail};

/// Copies the text to `place`, lets it refer to the copy, and advances `place`.
void move_text(std::string_view& text, char*& place) {
    char* const begin = place;
    place += text.copy(begin, text.size());
    text = {begin, text.size()};
}

}  // namespace

std::size_t size_bytes_of(const CallRecord& record) noexcept {
    std::size_t size = sizeof(CallRecord) + record.attempts.size_bytes();
    for (const auto text : kTexts) {
        size += (record.*text).size();
    }
    for (const AttemptRecord& attempt : record.attempts) {
        for (const auto text : kAttemptTexts) {
            size += (attempt.*text).size();
        }
    }
    return size;
}

// Layout: the record, then its attempts, then the texts of both.
std::shared_ptr<CallRecord> kept(const CallRecord& record) {
    const std::size_t units = (size_bytes_of(record) + sizeof(Unit) - 1) / sizeof(Unit);
    const auto block = std::make_shared_for_overwrite<Unit[]>(units);
    auto* const copy = ::new (static_cast<void*>(block.get())) CallRecord{record};
    auto* const attempts =
        reinterpret_cast<AttemptRecord*>(block.get() + sizeof(CallRecord) / sizeof(Unit));
    std::uninitialized_copy(record.attempts.begin(), record.attempts.end(), attempts);
    copy->attempts = {attempts, record.attempts.size()};
    char* place = reinterpret_cast<char*>(attempts + record.attempts.size());
    for (const auto text : kTexts) {
        move_text(copy->*text, place);
    }
    for (AttemptRecord& attempt : std::span{attempts, record.attempts.size()}) {
        for (const auto text : kAttemptTexts) {
            move_text(attempt.*text, place);
        }
    }
    return {block, copy};
}

}  // namespace holdfast::record
