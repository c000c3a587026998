#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::telemetry {

using LabelPair = std::pair<std::string_view, std::string_view>;

/// Writes the text format 0.0.4 of Prometheus. Values of labels may be any bytes: what could end a
/// value or a line is escaped, and what is no UTF-8 is replaced.
///
/// Thread-safety: none.
class PrometheusText final {
public:
    /// Begins a metric. Name and type must be legal.
    void begin(std::string_view name, std::string_view help, std::string_view type);
    /// A line of the metric that was begun; `suffix` such as `_bucket`.
    void add(std::string_view suffix, std::span<const LabelPair> labels, double value);
    void add(std::string_view suffix, std::initializer_list<LabelPair> labels, double value) {
        add(suffix, std::span{labels.begin(), labels.size()}, value);
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string name_;
    std::string text_;
};

/// A number as Prometheus reads it: `12`, `0.25`, `+Inf`.
[[nodiscard]] std::string number_text(double value);

}  // namespace holdfast::telemetry
