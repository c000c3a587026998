#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "holdfast/resilience/expect.hpp"
#include "net/line_framer.hpp"
#include "net/line_writer.hpp"

namespace {

using holdfast::net::LineFramer;
using holdfast::net::LineMessage;
using holdfast::net::LineStep;
using holdfast::net::LineTooLong;
using holdfast::net::NeedBytes;

constexpr std::size_t kLimitBytes = 16;

// An empty text represents a dropped line; no message is empty.
std::vector<std::string> lines_of(std::string_view stream, std::size_t piece_bytes) {
    LineFramer framer{{.max_message_bytes = kLimitBytes}};
    std::vector<std::string> lines;
    const auto keep = [&lines](const LineStep& step) {
        if (const auto* line = std::get_if<LineMessage>(&step)) {
            HOLDFAST_EXPECT(line->text.size() <= kLimitBytes);
            lines.emplace_back(line->text);
        } else if (std::holds_alternative<LineTooLong>(step)) {
            lines.emplace_back();
        }
        return !std::holds_alternative<NeedBytes>(step);
    };
    for (; !stream.empty(); stream.remove_prefix(std::min(piece_bytes, stream.size()))) {
        framer.feed(stream.substr(0, piece_bytes));
        while (keep(framer.next())) {
        }
        HOLDFAST_EXPECT(framer.pending_bytes() <= kLimitBytes + 1);
    }
    keep(framer.finish());
    return lines;
}

}  // namespace

// The lines do not depend on the pieces and are within the limit; a written line has one line end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view stream{reinterpret_cast<const char*>(data), size};
    const auto whole = lines_of(stream, size + 1);
    HOLDFAST_EXPECT(whole == lines_of(stream, 1));
    HOLDFAST_EXPECT(whole == lines_of(stream, 7));

    std::string line;
    if (holdfast::net::append_line(line, stream)) {
        HOLDFAST_EXPECT(line.size() == size + 1);
        HOLDFAST_EXPECT(line.find_first_of("\r\n") == size);
    } else {
        HOLDFAST_EXPECT(line.empty());
    }
    return 0;
}
