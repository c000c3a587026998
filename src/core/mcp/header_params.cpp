#include "mcp/header_params.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "base/http_token.hpp"
#include "base/letter_case.hpp"

namespace holdfast::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kAnnotation = "x-mcp-header";
constexpr std::int64_t kLargestExact = (std::int64_t{1} << 53) - 1;

/// Walks a schema and tracks the path of property names. An annotation outside `properties` is a
/// fault at any depth.
class AnnotationSearch {
public:
    explicit AnnotationSearch(std::size_t max_depth) : depth_left_(max_depth) {}

    void visit_schema(const json::value& schema, std::vector<std::string>& path) {
        const json::object* object = schema.if_object();
        if (object == nullptr || fault || !enter()) {
            return;
        }
        if (const json::value* annotation = object->if_contains(kAnnotation)) {
            take(*annotation, *object, path);
        }
        for (const auto& [key, value] : *object) {
            if (key == "properties" && value.is_object()) {
                for (const auto& [name, property] : value.get_object()) {
                    path.emplace_back(name);
                    visit_schema(property, path);
                    path.pop_back();
                }
            } else if (key != kAnnotation) {
                forbid_within(value);
            }
        }
        ++depth_left_;
    }

    std::vector<HeaderParam> found;
    std::optional<HeaderParamFault> fault;

private:
    bool enter() {
        if (depth_left_ == 0) {
            fault = HeaderParamFault{"the input schema is nested too deep"};
            return false;
        }
        --depth_left_;
        return true;
    }

    void take(const json::value& annotation, const json::object& schema,
              const std::vector<std::string>& path) {
        const json::string* name = annotation.if_string();
        if (name == nullptr || !base::is_token(*name)) {
            fault = HeaderParamFault{"x-mcp-header must be a header token"};
            return;
        }
        const json::value* type = schema.if_contains("type");
        if (path.empty() || type == nullptr ||
            (*type != "string" && *type != "integer" && *type != "boolean")) {
            fault = HeaderParamFault{"x-mcp-header \"" + std::string{*name} +
                                     "\" must be on a property of type string, integer or boolean"};
            return;
        }
        const std::string header = "Mcp-Param-" + std::string{*name};
        const auto is_same = [&](const HeaderParam& other) {
            return base::equals_ignoring_case(other.header, header);
        };
        if (std::ranges::any_of(found, is_same)) {
            fault = HeaderParamFault{"x-mcp-header \"" + std::string{*name} + "\" is used twice"};
            return;
        }
        found.push_back({.path = path, .header = header});
    }

    void forbid_within(const json::value& value) {
        if (fault || (!value.is_object() && !value.is_array()) || !enter()) {
            return;
        }
        if (const json::object* object = value.if_object()) {
            for (const auto& [key, inner] : *object) {
                if (key == kAnnotation) {
                    fault =
                        HeaderParamFault{"x-mcp-header may be reached through \"properties\" only"};
                    return;
                }
                forbid_within(inner);
            }
        } else {
            for (const json::value& inner : value.get_array()) {
                forbid_within(inner);
            }
        }
        ++depth_left_;
    }

    std::size_t depth_left_;
};

/// Returns null if the argument is missing.
const json::value* argument_at(const HeaderParam& param, const json::value& arguments) {
    const json::value* value = &arguments;
    for (const std::string& name : param.path) {
        const json::object* object = value->if_object();
        value = object != nullptr ? object->if_contains(name) : nullptr;
        if (value == nullptr) {
            return nullptr;
        }
    }
    return value;
}

std::optional<double> number_of(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    return is_number ? std::optional{number} : std::nullopt;
}

}  // namespace

Result<std::vector<HeaderParam>, HeaderParamFault> header_params(const json::value& input_schema) {
    constexpr std::size_t kMaxDepth = 128;
    AnnotationSearch search{kMaxDepth};
    std::vector<std::string> path;
    search.visit_schema(input_schema, path);
    if (search.fault) {
        return *search.fault;
    }
    return std::move(search.found);
}

std::optional<std::string> header_text_of(const HeaderParam& param, const json::value& arguments) {
    const json::value* value = argument_at(param, arguments);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (const json::string* text = value->if_string()) {
        return std::string{*text};
    }
    if (const bool* truth = value->if_bool()) {
        return *truth ? "true" : "false";
    }
    const std::int64_t* integer = value->if_int64();
    if (integer != nullptr && *integer >= -kLargestExact && *integer <= kLargestExact) {
        return std::to_string(*integer);
    }
    return std::nullopt;
}

bool repeats_argument(std::optional<std::string_view> header, const HeaderParam& param,
                      const json::value& arguments) {
    const auto expected = header_text_of(param, arguments);
    if (!expected || !header) {
        return expected.has_value() == header.has_value();
    }
    const bool is_integer = argument_at(param, arguments)->is_int64();
    return *header == *expected || (is_integer && number_of(*header) == number_of(*expected));
}

}  // namespace holdfast::mcp
