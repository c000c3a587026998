#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "rest/arguments.hpp"

namespace holdfast::rest {

/// The body of a request with placeholders for arguments. A text that consists of `{name}` alone is
/// replaced by that argument, with the bytes that the agent sent. A member or element whose
/// argument is absent is omitted.
///
/// Thread-safety: immutable.
class BodyTemplate final {
public:
    /// Reads a template from a config value.
    explicit BodyTemplate(const config::Node& value);
    /// Makes a template whose whole body is one argument.
    [[nodiscard]] static BodyTemplate of_argument(std::string name);

    [[nodiscard]] std::vector<std::string_view> parameters() const;
    /// Returns JSON; nothing if the whole body is an argument that is absent.
    [[nodiscard]] std::optional<std::string> expanded(const Arguments& arguments) const;

    friend bool operator==(const BodyTemplate& one, const BodyTemplate& other) noexcept;

private:
    enum class Kind : std::uint8_t { literal, argument, list, object };
    struct Child;

    BodyTemplate() = default;
    [[nodiscard]] std::string expanded_children(const Arguments& arguments) const;
    void add_parameters(std::vector<std::string_view>& names) const;

    Kind kind_ = Kind::literal;
    std::string text_ = "null";  // JSON of a literal, or an argument's name
    std::vector<Child> children_;
};

struct BodyTemplate::Child {
    std::string key;  // JSON key of an object's member; empty in a list
    BodyTemplate value;

    friend bool operator==(const Child&, const Child&) = default;
};

inline bool operator==(const BodyTemplate& one, const BodyTemplate& other) noexcept {
    return one.kind_ == other.kind_ && one.text_ == other.text_ && one.children_ == other.children_;
}

/// Returns the name if the text consists of `{name}` alone.
[[nodiscard]] std::optional<std::string_view> argument_named_by(std::string_view text);

}  // namespace holdfast::rest
