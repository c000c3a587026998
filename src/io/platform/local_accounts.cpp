#include "platform/local_accounts.hpp"

#include <algorithm>
#include <charconv>

#include "platform/read_file.hpp"

namespace holdfast::platform {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{4} * 1024 * 1024;

std::optional<std::uint32_t> id_in(std::string_view text) {
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional{id}
                                                                    : std::nullopt;
}

std::string_view take_until(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    while (!line.empty()) {
        fields.push_back(take_until(line, ':'));
    }
    return fields;
}

std::string content_of(const std::string& path) {
    auto content = read_file(path, kMaxFileBytes);
    return content ? *std::move(content) : std::string{};
}

}  // namespace

LocalAccounts::LocalAccounts(std::string_view passwd, std::string_view group) {
    constexpr std::size_t kIdField = 2;
    constexpr std::size_t kGroupField = 3;
    constexpr std::size_t kMembersField = 3;
    while (!passwd.empty()) {
        const auto fields = fields_of(take_until(passwd, '\n'));
        if (fields.size() <= kGroupField || fields.front().empty()) {
            continue;
        }
        const auto id = id_in(fields[kIdField]);
        const auto main_group = id_in(fields[kGroupField]);
        if (id && main_group) {
            users_.push_back(
                {.name = std::string{fields.front()}, .id = *id, .group = *main_group});
        }
    }
    while (!group.empty()) {
        const auto fields = fields_of(take_until(group, '\n'));
        const auto id = fields.size() > kIdField ? id_in(fields[kIdField]) : std::nullopt;
        if (!id || fields.front().empty()) {
            continue;
        }
        Group entry{.name = std::string{fields.front()}, .id = *id, .members = {}};
        std::string_view names = fields.size() > kMembersField ? fields[kMembersField] : "";
        while (!names.empty()) {
            entry.members.emplace_back(take_until(names, ','));
        }
        groups_.push_back(std::move(entry));
    }
}

LocalAccounts LocalAccounts::of_this_machine() {
    return {content_of("/etc/passwd"), content_of("/etc/group")};
}

std::optional<uid_t> LocalAccounts::user(std::string_view name) const {
    const auto found = std::ranges::find(users_, name, &User::name);
    return found != users_.end() ? std::optional<uid_t>{found->id} : id_in(name);
}

std::optional<std::vector<uid_t>> LocalAccounts::members(std::string_view group) const {
    const auto number = id_in(group);
    const auto found = std::ranges::find_if(groups_, [&](const Group& entry) {
        return entry.name == group || (number && entry.id == *number);
    });
    if (found == groups_.end()) {
        return std::nullopt;
    }
    std::vector<uid_t> ids;
    for (const User& user : users_) {
        const bool is_member = user.group == found->id ||
                               std::ranges::find(found->members, user.name) != found->members.end();
        if (is_member) {
            ids.push_back(user.id);
        }
    }
    return ids;
}

std::string LocalAccounts::name_of(uid_t user) const {
    const auto found = std::ranges::find(users_, user, &User::id);
    return found != users_.end() ? found->name : std::to_string(user);
}

}  // namespace holdfast::platform
