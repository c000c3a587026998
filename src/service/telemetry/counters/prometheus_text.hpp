#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::telemetry {

using LabelPair = std::pair<std::string_view, std::string_view>;

/// Writes the text format 0.0.4 of Prometheus. Label values may be any bytes: characters that could
/// end a value or a line are escaped, and invalid UTF-8 is replaced.
///
/// Thread-safety: none.
class PrometheusText final {
public:
    /// Begins a metric. Name and type must be valid.
    void begin(std::string_view name, std::string_view help, std::string_view type);
    /// Adds a line to the current metric; `suffix` is for example `_bucket`.
    void add(std::string_view suffix, std::span<const LabelPair> labels, double value);
    void add(std::string_view suffix, std::initializer_list<LabelPair> labels, double value) {
        add(suffix, std::span{labels.begin(), labels.size()}, value);
    }

    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    std::string name_;
    std::string text_;
};

/// Returns a number as Prometheus reads it: `12`, `0.25`, `+Inf`.
[[nodiscard]] std::string sample_text(double value);

}  // namespace holdfast::telemetry
