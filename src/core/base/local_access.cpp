#include "base/local_access.hpp"

namespace holdfast::base {

std::optional<std::string> LocalAccess::principal_of(std::optional<std::uint32_t> user) const {
    if (rule == Rule::none) {
        return std::nullopt;
    }
    if (!user) {
        return rule == Rule::any ? std::optional<std::string>{kUnknownUser} : std::nullopt;
    }
    if (*user == own || *user == 0) {
        return kOwnUser;
    }
    const auto found = others.find(*user);
    if (found == others.end() && rule != Rule::any) {
        return std::nullopt;
    }
    const std::string name = found == others.end() ? std::to_string(*user) : found->second;
    return std::string{kOwnUser} + '/' + name;
}

}  // namespace holdfast::base
