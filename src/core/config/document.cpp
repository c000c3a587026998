#include "config/document.hpp"

#include <string>

#include "base/utf8.hpp"
#include "config/syntax/document_parser.hpp"

namespace holdfast::config {

std::optional<Node> read_document(std::string_view text, FaultReport& report,
                                  const DocumentLimits& limits) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text.size() > limits.max_bytes) {
        report.refuse({}, "the file has more than " + std::to_string(limits.max_bytes) +
                              " bytes; is it a config?");
        return std::nullopt;
    }
    if (text.starts_with(kMark)) {
        text.remove_prefix(kMark.size());
    }
    const std::size_t valid_bytes = base::valid_utf8_bytes(text);
    if (valid_bytes < text.size()) {
        TextCursor cursor{text.substr(0, valid_bytes)};
        cursor.advance(valid_bytes);
        report.refuse(cursor.place(), "invalid UTF-8; save the file as UTF-8");
        return std::nullopt;
    }
    return DocumentParser{text, limits, report}.parse();
}

}  // namespace holdfast::config
