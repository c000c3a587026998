#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "jsonrpc/message_reader.hpp"

namespace holdfast::jsonrpc {

/// Memory that a reader reuses for the next message.
struct ReaderMemory {
    simdjson::ondemand::parser parser;
    std::vector<Field> message;
    std::vector<Field> body;
    std::vector<Field> meta;
    std::vector<Field> object;
    std::deque<std::string> decoded_keys;  // a deque, so that views of its elements stay valid
    std::string method;
};

/// Decides where the members of an object are stored, and which nested objects are searched.
enum class Level { message, body, meta, other, lone_object };

/// One walk over one text. It visits every value, checks each scalar against its grammar without
/// converting it, and stores the members of the objects that matter.
///
/// On-demand parsing alone visits only what is requested and accepts junk in the rest: `{"x":nul, 1
/// 2}` passes if nothing reads "x". The gateway passes on what it does not read, so everything must
/// be checked.
///
/// Thread-safety: none; lives for one read.
class MessageWalk {
public:
    /// The padding of `PaddedText` must be readable after the text.
    MessageWalk(const ReaderLimits& limits, ReaderMemory& memory, std::string_view text) noexcept
        : limits_(limits),
          memory_(memory),
          text_(text),
          has_escapes_(text.find('\\') != std::string_view::npos) {}

    /// Requires that the text is one object, and stores its members according to the level.
    bool walk_object(Level level);
    /// Requires that the text is one array, and appends the texts of its elements.
    bool walk_array(std::vector<std::string_view>& elements);

    /// Why a walk returned false.
    [[nodiscard]] const std::string& complaint() const noexcept { return complaint_; }
    /// Whether the walk failed because of a limit, not because of the text.
    [[nodiscard]] bool is_limit() const noexcept { return is_limit_; }
    /// Returns the id of a response that exceeds a limit, as written; empty if it has none. Members
    /// may come in any order, so the id can follow the part that exceeds the limit.
    [[nodiscard]] std::string id_of_response() const;

private:
    using Document = simdjson::ondemand::document;
    using Object = simdjson::ondemand::object;
    using Value = simdjson::ondemand::value;

    bool fail(std::string complaint);
    bool fail_limit(std::string_view what, std::size_t limit);
    bool fail_if(simdjson::error_code error) {
        return error != simdjson::SUCCESS && fail_with(error);
    }
    bool fail_with(simdjson::error_code error);  // returns true
    bool index(Document& document);
    bool expect_end(Document& document);
    bool visit(Value value, Level level, std::size_t depth, std::string_view& text);
    bool visit_container(Value& value, bool is_object, Level level, std::size_t depth);
    bool visit_members(Object& object, Level level, std::size_t depth);
    [[nodiscard]] bool is_sound_scalar(std::string_view text) const noexcept;
    bool read_key(simdjson::ondemand::field& member, bool is_wanted, Field& field);
    std::vector<Field>* fields_of(Level level) noexcept;

    const ReaderLimits& limits_;
    ReaderMemory& memory_;
    std::string_view text_;
    // anywhere in the text; most messages have none, and then strings need no search
    bool has_escapes_;
    std::string complaint_;
    bool is_limit_ = false;
    std::size_t field_count_ = 0;
};

}  // namespace holdfast::jsonrpc
