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

std::string legal_text(std::string_view text) {
    std::string legal{text};
    std::ranges::replace_if(legal, [](char character) { return !is_legal(character); }, '_');
    return legal;
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
    return with_hash(legal_text(wanted), original, 0);
}

/// Returns a name outside the namespaces of servers whose keys begin with this one's.
std::string name_outside(const OriginalName& original) {
    std::string own_part = legal_text(original.name);
    for (std::size_t at = own_part.find(kSeparator); at != std::string::npos;
         at = own_part.find(kSeparator)) {
        own_part.replace(at, kSeparator.size(), "-");
    }
    std::string name = legal_text(original.server);
    return with_hash(name.append(kSeparator).append(own_part), original, 0);
}

}  // namespace

Namespaces::Namespaces(const std::vector<std::string_view>& servers) {
    for (const std::string_view server : servers) {
        prefixes_.push_back({.text = std::string{server}, .server = server});
        if (std::string legal = legal_text(server); legal != server) {
            prefixes_.push_back({.text = std::move(legal), .server = server});
        }
    }
}

bool Namespaces::is_foreign(std::string_view name, std::string_view own) const {
    const Prefix* longest = nullptr;
    for (const Prefix& prefix : prefixes_) {
        const std::string_view rest =
            name.starts_with(prefix.text) ? name.substr(prefix.text.size()) : std::string_view{};
        const bool is_within = rest.starts_with(kSeparator) || rest.starts_with('.');
        if (is_within && (longest == nullptr || prefix.text.size() > longest->text.size())) {
            longest = &prefix;
        }
    }
    return longest != nullptr && longest->server != own;
}

std::vector<std::string> exposed_names(std::span<const OriginalName> originals,
                                       std::span<const std::string> reserved,
                                       const Namespaces& namespaces) {
    std::vector<std::string> names;
    names.reserve(originals.size());
    std::unordered_set<std::string> taken{reserved.begin(), reserved.end()};
    taken.reserve(originals.size() + reserved.size());
    for (const OriginalName& original : originals) {
        std::string legal = legal_name(original, original.has_prefix);
        if (std::ranges::find(reserved, legal) != reserved.end() ||
            namespaces.is_foreign(legal, original.server)) {
            legal = legal_name(original, true);
        }
        if (namespaces.is_foreign(legal, original.server)) {
            legal = name_outside(original);
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
