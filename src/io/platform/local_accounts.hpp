#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::platform {

/// The users and groups in the machine's own files. Users of a directory service are not among
/// them, because the program loads no module of the name service; their numbers work everywhere.
///
/// Thread-safety: that of a plain value.
class LocalAccounts final {
public:
    /// Parses the content of `/etc/passwd` and `/etc/group`. Malformed lines are skipped.
    LocalAccounts(std::string_view passwd, std::string_view group);
    /// Reads the files of this machine. A missing file counts as empty.
    [[nodiscard]] static LocalAccounts of_this_machine();

    /// A user by name or number. A number need not be in the files.
    [[nodiscard]] std::optional<uid_t> user(std::string_view name) const;
    /// The members of a group by name or number; nothing if no file names it.
    [[nodiscard]] std::optional<std::vector<uid_t>> members(std::string_view group) const;
    /// The name of a user, or the number as text.
    [[nodiscard]] std::string name_of(uid_t user) const;

private:
    struct User {
        std::string name;
        uid_t id;
        gid_t group;
    };
    struct Group {
        std::string name;
        gid_t id;
        std::vector<std::string> members;
    };

    std::vector<User> users_;
    std::vector<Group> groups_;
};

}  // namespace holdfast::platform
