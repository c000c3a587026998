#include "jsonrpc/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "jsonrpc/json_text.hpp"

namespace holdfast::jsonrpc {
namespace {

constexpr double kThousand = 1'000;
constexpr std::size_t kMaxNumberBytes = 64;

}  // namespace

void JsonWriter::separate() {
    const bool begins =
        out_.empty() || out_.ends_with('{') || out_.ends_with('[') || out_.ends_with(':');
    if (!begins) {
        out_ += ',';
    }
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    out_ += bracket;
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    out_ += bracket;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    jsonrpc::append_quoted(out_, name);
    out_ += ':';
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
    separate();
    jsonrpc::append_quoted(out_, value);
    return *this;
}

JsonWriter& JsonWriter::texts(std::span<const std::string> values) {
    begin_array();
    for (const std::string& value : values) {
        text(value);
    }
    return end_array();
}

JsonWriter& JsonWriter::number(double value) {
    if (!std::isfinite(value)) {
        return null();
    }
    std::array<char, kMaxNumberBytes> digits{};
    const double rounded = std::round(value * kThousand) / kThousand;
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), rounded,
                                       std::chars_format::fixed);
    return written.ec == std::errc{}
               ? raw({digits.data(), static_cast<std::size_t>(written.ptr - digits.data())})
               : null();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
}

}  // namespace holdfast::jsonrpc
