#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/object_view.hpp"

namespace holdfast::jsonrpc {

/// A copy of an object with some members changed. Unchanged members keep their bytes and their
/// order; new members come last.
///
/// Thread-safety: none. Holds views of the object and of the arguments.
class ObjectEdit {
public:
    /// An empty view counts as `{}`.
    explicit ObjectEdit(const ObjectView& object);

    /// Sets the first member of that name and removes the other members of that name. `value` is
    /// JSON.
    ObjectEdit& set(std::string_view key, std::string_view value);
    ObjectEdit& remove(std::string_view key);

    [[nodiscard]] std::string text() const;

private:
    struct Member {
        std::string_view key;
        std::string_view key_text;  // empty for a new member
        std::string_view value;
    };

    std::vector<Member> members_;
};

/// Returns the text of an object with one member set, as `ObjectEdit::set` does it. A text that is
/// not an object counts as `{}`.
[[nodiscard]] std::string with_member(std::string_view object, std::string_view key,
                                      std::string_view value);

}  // namespace holdfast::jsonrpc
