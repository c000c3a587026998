#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jsonrpc/object_view.hpp"

namespace holdfast::jsonrpc {

/// A copy of an object with some members changed. Members that are not touched keep their bytes
/// and their order; a member that is new comes last.
///
/// Thread-safety: none. Keeps views of the object and of what it is given.
class ObjectEdit {
public:
    /// An object that does not exist counts as `{}`.
    explicit ObjectEdit(const ObjectView& object);

    /// The first member of that name gets the value, others of that name go. `value` is JSON.
    ObjectEdit& set(std::string_view key, std::string_view value);
    ObjectEdit& remove(std::string_view key);

    [[nodiscard]] std::string text() const;

private:
    struct Member {
        std::string_view key;
        std::string_view key_text;  // empty for a member that is new
        std::string_view value;
    };

    std::vector<Member> members_;
};

/// The text of an object with one member set, as `ObjectEdit::set` does it. A text that is no
/// object counts as `{}`.
[[nodiscard]] std::string with_member(std::string_view object, std::string_view key,
                                      std::string_view value);

}  // namespace holdfast::jsonrpc
