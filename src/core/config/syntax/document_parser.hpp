#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/document.hpp"
#include "config/syntax/text_cursor.hpp"

namespace holdfast::config {

/// The recursive descent behind `read_document`, for text that is UTF-8. Its functions return false
/// when reading cannot continue; a slip that does not confuse what follows is reported and read
/// over. Messages show no word of the text: a value that lost its quotes may be a secret.
///
/// Thread-safety: none.
class DocumentParser final {
public:
    DocumentParser(std::string_view text, const DocumentLimits& limits, FaultReport& report)
        : cursor_(text), limits_(limits), report_(report) {}

    [[nodiscard]] std::optional<Node> parse();

private:
    [[nodiscard]] bool skip_blank();
    [[nodiscard]] bool skip_block_comment();

    [[nodiscard]] bool parse_value(Node& value);
    [[nodiscard]] bool parse_object(Node& object);
    [[nodiscard]] bool parse_member(Node& object);
    [[nodiscard]] bool parse_key(std::string& key);
    [[nodiscard]] bool parse_list(Node& list);
    [[nodiscard]] bool parse_text(std::string& text);
    [[nodiscard]] bool parse_single_quoted();
    [[nodiscard]] bool parse_word(Node& value);
    void parse_number(std::string_view word, Node& value);
    [[nodiscard]] bool parse_separator(char end);

    void parse_escape(std::string& text);
    void parse_unicode_escape(Place place, std::string& text);
    [[nodiscard]] std::optional<std::uint32_t> parse_four_digits();

    [[nodiscard]] std::string_view take_word();
    void report_repeated_keys(const Node& object);
    bool stop(Place place, std::string message);
    void slip(Place place, std::string message);

    TextCursor cursor_;
    const DocumentLimits limits_;
    FaultReport& report_;
    std::size_t depth_ = 0;
    std::size_t value_count_ = 0;
    bool is_sound_ = true;
};

}  // namespace holdfast::config
