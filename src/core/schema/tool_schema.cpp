#include "schema/tool_schema.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "base/secret.hpp"
#include "schema/example.hpp"

namespace holdfast::schema {
namespace {

namespace json = boost::json;

// The same depth as for the messages that contain the arguments.
constexpr std::size_t kMaxDepth = 512;
// A longer example does not help a reader.
constexpr std::size_t kMaxExampleBytes = 4'000;

/// A parsed JSON text in a buffer that most texts fit into, so that they need no allocation.
///
/// Thread-safety: none.
class ParsedText final {
public:
    // The buffer is not initialised: that would cost more than parsing most texts.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    explicit ParsedText(std::string_view text) {
        json::parse_options options;
        options.max_depth = kMaxDepth;
        json::parser parser{{}, options, parser_memory_.data(), parser_memory_.size()};
        parser.reset(&resource_);
        json::error_code error;
        parser.write({text.data(), text.size()}, error);
        if (!error) {
            value_.emplace(parser.release());
        }
    }
    ParsedText(const ParsedText&) = delete;
    ParsedText& operator=(const ParsedText&) = delete;

    /// Null if the text is not JSON or is nested too deeply.
    [[nodiscard]] const json::value* value() const noexcept { return value_ ? &*value_ : nullptr; }

private:
    std::array<unsigned char, 4'096> value_memory_;
    std::array<unsigned char, 512> parser_memory_;
    json::monotonic_resource resource_{value_memory_.data(), value_memory_.size()};
    std::optional<json::value> value_;  // last, because it lives in the memory above
};

std::string example_text(const Schema& schema, const json::value& sent) {
    const Example example = corrected_example(schema, sent);
    if (!example.is_valid || !example.value.is_object()) {
        return {};
    }
    std::string text = json::serialize(example.value);
    return text.size() <= kMaxExampleBytes ? text : std::string{};
}

/// Returns whether the arguments would be valid without optional parameters that are null. Many
/// models send null for "absent". The server still receives what was sent.
bool fits_without_nulls(const Schema& schema, const json::value& sent) {
    const json::object* const object = sent.if_object();
    if (object == nullptr) {
        return false;
    }
    const std::vector<Parameter> parameters = parameters_of(schema);
    json::object without;
    for (const auto& [name, value] : *object) {
        const auto known = std::ranges::find(parameters, std::string_view{name}, &Parameter::name);
        const bool is_omitted = value.is_null() && known != parameters.end() && !known->is_required;
        if (!is_omitted) {
            without.emplace(name, value);
        }
    }
    return without.size() < object->size() &&
           schema.validate(without, {}).verdict == Verdict::valid;
}

}  // namespace

ToolSchema::ToolSchema(std::string_view input_schema, const CompileLimits& limits) {
    const ParsedText text{input_schema};
    if (text.value() == nullptr) {
        problem_ = "the schema is not JSON, or nested too deeply";
        return;
    }
    auto schema = compile(*text.value(), {.limits = limits});
    if (schema) {
        schema_ = std::move(*schema);
    } else {
        problem_ = schema.error().location + ": " + schema.error().message;
    }
}

std::optional<ArgumentReport> ToolSchema::check(std::string_view arguments,
                                                bool show_values) const {
    if (!schema_) {
        return std::nullopt;
    }
    const ParsedText text{arguments};
    if (text.value() == nullptr) {
        return std::nullopt;
    }
    Report report = schema_->validate(
        *text.value(), {.show_values = show_values, .hides_member = base::is_secret_name});
    if (report.verdict != Verdict::invalid || fits_without_nulls(*schema_, *text.value())) {
        return std::nullopt;
    }
    return ArgumentReport{.violations = std::move(report.violations),
                          .truncated = report.truncated,
                          .example = example_text(*schema_, *text.value())};
}

bool ToolSchema::refuses_without_nulls(std::string_view arguments) const {
    const ParsedText text{arguments};
    if (!schema_ || text.value() == nullptr) {
        return false;
    }
    const json::object* const object = text.value()->if_object();
    const bool has_null = object != nullptr && std::ranges::any_of(*object, [](const auto& member) {
                              return member.value().is_null();
                          });
    if (!has_null) {
        return schema_->validate(*text.value(), {}).verdict == Verdict::invalid;
    }
    json::object without;
    for (const auto& [name, value] : *object) {
        if (!value.is_null()) {
            without.emplace(name, value);
        }
    }
    return schema_->validate(without, {}).verdict == Verdict::invalid;
}

std::vector<Parameter> ToolSchema::parameters() const {
    return schema_ ? parameters_of(*schema_) : std::vector<Parameter>{};
}

std::string ToolSchema::parameter_summary() const {
    return schema_ ? describe_parameters(*schema_) : std::string{};
}

}  // namespace holdfast::schema
