#include "catalogue/exposed_names.hpp"

#include <algorithm>
#include <unordered_set>

namespace holdfast::catalogue {
namespace {

constexpr std::string_view kSeparator = "__";
constexpr std::size_t kHashLength = 8;

constexpr bool is_legal(char character) noexcept {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_' || character == '-';
}

/// FNV-1a, because the names must be the same in every version; std::hash does not promise that.
std::uint64_t hash_of(const OriginalName& original, std::uint64_t round) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325ULL + round;
    const auto add = [&hash](std::string_view text) {
        for (const char character : text) {
            hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
        }
    };
    add(original.server);
    add(std::string_view{"\0", 1});
    add(original.name);
    return hash ^ (hash >> 32U);
}

std::string with_hash(std::string name, const OriginalName& original, std::uint64_t round) {
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    name.resize(std::min(name.size(), kMaxNameLength - kHashLength - 1));
    name.push_back('_');
    const std::uint64_t hash = hash_of(original, round);
    for (std::size_t digit = 0; digit < kHashLength; ++digit) {
        name.push_back(kHexDigits[(hash >> (4U * digit)) & 0xfU]);
    }
    return name;
}

std::string legal_name(const OriginalName& original, bool with_prefix) {
    std::string wanted;
    if (with_prefix) {
        wanted.append(original.server).append(kSeparator);
    }
    wanted.append(original.name);
    if (!wanted.empty() && wanted.size() <= kMaxNameLength &&
        std::ranges::all_of(wanted, is_legal)) {
        return wanted;
    }
    std::ranges::replace_if(wanted, [](char character) { return !is_legal(character); }, '_');
    return with_hash(std::move(wanted), original, 0);
}

}  // namespace

std::vector<std::string> exposed_names(std::span<const OriginalName> originals,
                                       std::span<const std::string> reserved) {
    std::vector<std::string> names;
    names.reserve(originals.size());
    std::unordered_set<std::string> taken{reserved.begin(), reserved.end()};
    taken.reserve(originals.size() + reserved.size());
    for (const OriginalName& original : originals) {
        std::string legal = legal_name(original, original.has_prefix);
        if (std::ranges::find(reserved, legal) != reserved.end()) {
            legal = legal_name(original, true);
        }
        std::string name = legal;
        for (std::uint64_t round = 1; !taken.insert(name).second; ++round) {
            name = with_hash(legal, original, round);
        }
        names.push_back(std::move(name));
    }
    return names;
}

}  // namespace holdfast::catalogue
