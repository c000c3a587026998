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

/// The body of a request with arguments in it. A text that is nothing but `{name}` stands for that
/// argument, with the bytes that the agent wrote; a member or element whose argument is not given
/// is left out.
///
/// Thread-safety: immutable.
class BodyTemplate final {
public:
    /// Of a config.
    explicit BodyTemplate(const config::Node& value);
    /// One argument is the whole body.
    [[nodiscard]] static BodyTemplate of_argument(std::string name);

    [[nodiscard]] std::vector<std::string_view> parameters() const;
    /// JSON; nothing if the whole is an argument that is not given.
    [[nodiscard]] std::optional<std::string> expanded(const Arguments& arguments) const;

    friend bool operator==(const BodyTemplate& one, const BodyTemplate& other) noexcept;

private:
    enum class Kind : std::uint8_t { literal, argument, list, object };
    struct Child;

    BodyTemplate() = default;
    [[nodiscard]] std::string expanded_children(const Arguments& arguments) const;
    void add_parameters(std::vector<std::string_view>& names) const;

    Kind kind_ = Kind::literal;
    std::string text_ = "null";  // JSON of a literal, or the name of the argument
    std::vector<Child> children_;
};

struct BodyTemplate::Child {
    std::string key;  // JSON, of an object's member; empty in a list
    BodyTemplate value;

    friend bool operator==(const Child&, const Child&) = default;
};

inline bool operator==(const BodyTemplate& one, const BodyTemplate& other) noexcept {
    return one.kind_ == other.kind_ && one.text_ == other.text_ && one.children_ == other.children_;
}

/// The name in a text that is nothing but `{name}`.
[[nodiscard]] std::optional<std::string_view> argument_named_by(std::string_view text);

}  // namespace holdfast::rest
