#include "platform/archive.hpp"

#define ZLIB_CONST  // NOLINT(readability-identifier-naming): a name of zlib
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace holdfast::platform {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1024} * 1024;
constexpr int kGzipOnly = 16 + MAX_WBITS;

/// Ends the zlib stream in every case.
class Inflater {
public:
    Inflater() : is_ready_(inflateInit2(&stream_, kGzipOnly) == Z_OK) {}
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() {
        if (is_ready_) {
            inflateEnd(&stream_);
        }
    }

    [[nodiscard]] bool is_ready() const noexcept { return is_ready_; }
    z_stream& stream() noexcept { return stream_; }

private:
    z_stream stream_ = {};
    bool is_ready_ = false;
};

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

bool is_gzip(std::string_view bytes) noexcept {
    return bytes.starts_with("\x1F\x8B");
}

std::optional<std::string> unzipped(std::string_view bytes, std::size_t max_bytes) {
    Inflater inflater;
    if (!inflater.is_ready() || bytes.size() > std::numeric_limits<uInt>::max()) {
        return std::nullopt;
    }
    z_stream& stream = inflater.stream();
    stream.next_in = reinterpret_cast<const Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string text;
    int state = Z_OK;
    while (state == Z_OK) {
        const std::size_t used = text.size();
        // One byte above the limit distinguishes a text that is too long from one that just fits.
        const std::size_t space = std::min(kChunkBytes, max_bytes + 1 - used);
        if (space == 0) {
            return std::nullopt;
        }
        text.resize(used + space);
        stream.next_out = reinterpret_cast<Bytef*>(text.data() + used);
        stream.avail_out = static_cast<uInt>(space);
        state = inflate(&stream, Z_NO_FLUSH);
        text.resize(text.size() - stream.avail_out);
    }
    if (state != Z_STREAM_END || text.size() > max_bytes) {
        return std::nullopt;
    }
    return text;
}

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
