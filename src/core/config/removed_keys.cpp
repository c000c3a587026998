#include <algorithm>
#include <array>

#include "base/glob.hpp"
#include "config/key_info.hpp"

namespace holdfast::config {
namespace {

constexpr std::array<RemovedKey, 1> kRemovedKeys = {{
    {.object = "catalogue", .name = "gather", .replacement = "use \"debounce\""},
}};

}  // namespace

std::span<const RemovedKey> removed_keys() {
    return kRemovedKeys;
}

std::string_view replacement_of(std::string_view path, std::string_view key,
                                std::span<const RemovedKey> removed) {
    const auto found = std::ranges::find_if(removed, [&](const RemovedKey& one) {
        return one.name == key && base::glob_matches(one.object, path);
    });
    return found == removed.end() ? std::string_view{} : found->replacement;
}

}  // namespace holdfast::config
