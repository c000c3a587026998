#include "telemetry/counters/prometheus_text.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>

#include "base/number_text.hpp"
#include "base/utf8.hpp"

namespace holdfast::telemetry {
namespace {

void append_escaped(std::string& out, std::string_view value) {
    while (!value.empty()) {
        const std::size_t size = base::utf8_character_bytes(value);
        const char first = value.front();
        if (size == 0) {
            out += "\xef\xbf\xbd";
        } else if (first == '\\' || first == '"') {
            out += '\\';
            out += first;
        } else if (first == '\n') {
            out += "\\n";
        } else {
            out += value.substr(0, size);
        }
        value.remove_prefix(size == 0 ? 1 : size);
    }
}

}  // namespace

std::string sample_text(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "+Inf" : "-Inf";
    }
    // Uses plain digits where they are short, because some readers compare bucket bounds as text.
    constexpr double kSmallest = 1e-6;
    constexpr double kLargest = 1e15;
    const double size = std::abs(value);
    const bool is_plain = value == 0 || (size >= kSmallest && size < kLargest);
    return base::number_text(value,
                             is_plain ? std::chars_format::fixed : std::chars_format::general);
}

void PrometheusText::begin(std::string_view name, std::string_view help, std::string_view type) {
    name_ = name;
    text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
    text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void PrometheusText::add(std::string_view suffix, std::span<const LabelPair> labels, double value) {
    text_.append(name_).append(suffix);
    char before = '{';
    for (const auto& [name, label] : labels) {
        text_ += before;
        text_.append(name).append("=\"");
        append_escaped(text_, label);
        text_ += '"';
        before = ',';
    }
    text_.append(labels.empty() ? " " : "} ").append(sample_text(value)).append("\n");
}

}  // namespace holdfast::telemetry
