#include "platform/tar_archive.hpp"

#include <charconv>
#include <cstddef>
#include <string>

namespace holdfast::platform {
namespace {

constexpr std::size_t kBlockBytes = 512;

/// Returns a field of a header: text up to a zero byte.
std::string_view field(std::string_view header, std::size_t position, std::size_t size) {
    const std::string_view whole = header.substr(position, size);
    return whole.substr(0, whole.find('\0'));
}

std::optional<std::size_t> size_of_entry(std::string_view header) {
    std::string_view digits = field(header, 124, 12);
    digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
    std::size_t size = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), size, 8);
    return error == std::errc{} ? std::optional{size} : std::nullopt;
}

std::string path_of_entry(std::string_view header) {
    const std::string_view prefix = field(header, 345, 155);
    std::string path{prefix};
    path += prefix.empty() ? "" : "/";
    path += field(header, 0, 100);
    return path;
}

}  // namespace

std::optional<std::string_view> tar_file(std::string_view archive, std::string_view path) {
    while (archive.size() >= kBlockBytes) {
        const std::string_view header = archive.substr(0, kBlockBytes);
        archive.remove_prefix(kBlockBytes);
        if (header.front() == '\0') {
            return std::nullopt;  // end of the archive
        }
        const auto size = size_of_entry(header);
        if (!size || *size > archive.size()) {
            return std::nullopt;
        }
        const char kind = header[156];
        if ((kind == '0' || kind == '\0') && path_of_entry(header) == path) {
            return archive.substr(0, *size);
        }
        const std::size_t padded = (*size + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
        archive.remove_prefix(std::min(padded, archive.size()));
    }
    return std::nullopt;
}

}  // namespace holdfast::platform
