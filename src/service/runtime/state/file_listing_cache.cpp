#include "runtime/state/file_listing_cache.hpp"

#include <array>
#include <memory>
#include <utility>

#include "platform/crypto.hpp"
#include "platform/done_within.hpp"
#include "platform/private_file.hpp"
#include "runtime/state/listing_format.hpp"

namespace holdfast::runtime {
namespace {

using downstream::Listing;
using downstream::ListKind;

constexpr std::array kKinds{ListKind::tools, ListKind::prompts, ListKind::resources,
                            ListKind::templates};
constexpr std::string_view kEra = "era";
constexpr std::size_t kMaxEraBytes = 4'096;
constexpr std::string_view kAwaited = "awaited";
constexpr std::string_view kAwaitedText = "holdfast-awaited 1\n";
constexpr std::size_t kMaxStartBytes = 64;

std::size_t size_of(const Listing& listing) {
    std::size_t size_bytes = sizeof(Listing);
    for (const downstream::ListedEntry& entry : listing.entries) {
        size_bytes +=
            sizeof(entry) + entry.key.size() + entry.definition.size() + entry.repaired.size();
    }
    return size_bytes;
}

std::optional<platform::FileFault> write_listing(const std::string& path, const Listing& listing,
                                                 std::size_t max_bytes) {
    const std::string text = serialize(listing);
    if (text.size() > max_bytes) {
        return platform::FileFault{"a list of " + std::to_string(text.size()) +
                                   " bytes is too large"};
    }
    // Compares with the disk, because another process may have written since.
    if (platform::private_file_content(path, max_bytes) == text) {
        platform::touch_private_file(path);
        return std::nullopt;
    }
    return platform::replace_atomically(path, text);
}

std::optional<RememberedEra> read_era(const std::string& path) {
    const auto text = platform::private_file_content(path, kMaxEraBytes);
    return text ? parse_era(*text) : std::nullopt;
}

std::optional<platform::FileFault> write_era(const std::string& path, const RememberedEra& era,
                                             resilience::Duration renew_after) {
    const auto before = read_era(path);
    const bool is_same = before && before->era == era.era;
    if (is_same && before->learned_at <= era.learned_at &&
        era.learned_at - before->learned_at < renew_after) {
        platform::touch_private_file(path);
        return std::nullopt;
    }
    return platform::replace_atomically(path, serialize(era));
}

/// The path of the files of a server, without their endings.
std::string stem_of(const std::string& folder, const ServerIdentity& server) {
    // The name is part of it, whatever the caller's text is: two names are two servers.
    return folder + "/" +
           platform::sha256_text(std::to_string(server.name.size()) + ":" + server.name +
                                 server.identity);
}

/// Returns the path of the record that a command has started; empty for other servers.
std::string start_path_of(const std::string& folder, const ServerIdentity& server) {
    return server.command.empty()
               ? std::string{}
               : folder + "/" + platform::sha256_text(server.command) + ".started";
}

std::optional<platform::FileFault> write_start(const std::string& path) {
    if (platform::private_file_content(path, kMaxStartBytes)) {
        platform::touch_private_file(path);
        return std::nullopt;
    }
    return platform::replace_atomically(path, "started\n");
}

std::string file_of(const std::string& stem, std::string_view what) {
    return stem + "." + std::string{what};
}

KnownEras read_eras(const FileListingCacheOptions& options,
                    const std::vector<ServerIdentity>& servers) {
    KnownEras eras;
    const auto now = options.now();
    for (const ServerIdentity& server : servers) {
        const auto era = read_era(file_of(stem_of(options.folder, server), kEra));
        // From the future: one of the two times is wrong, and the age is unknown.
        if (era && era->learned_at <= now) {
            eras.emplace(server.name, KnownEra{.era = era->era, .age = now - era->learned_at});
        }
    }
    return eras;
}

std::vector<Listing> read_listings(const std::vector<std::string>& paths, std::size_t max_bytes) {
    std::vector<Listing> listings;
    for (std::size_t index = 0; index < kKinds.size(); ++index) {
        const auto text = platform::private_file_content(paths.at(index), max_bytes);
        auto listing = text ? parse_listing(*text, kKinds.at(index)) : std::nullopt;
        if (listing) {
            listings.push_back(std::move(*listing));
        }
    }
    return listings;
}

KnownStarts read_starts(const FileListingCacheOptions& options,
                        const std::vector<ServerIdentity>& servers) {
    KnownStarts known;
    for (const ServerIdentity& server : servers) {
        const std::string path = start_path_of(options.folder, server);
        if (!path.empty() && platform::private_file_content(path, kMaxStartBytes)) {
            known.insert(server.name);
        }
    }
    return known;
}

}  // namespace

KnownEras known_eras(const FileListingCacheOptions& options,
                     const std::vector<ServerIdentity>& servers) {
    auto eras = platform::done_within(options.read_within,
                                      [options, servers] { return read_eras(options, servers); });
    return eras ? std::move(*eras) : KnownEras{};
}

KnownStarts known_starts(const FileListingCacheOptions& options,
                         const std::vector<ServerIdentity>& servers) {
    auto known = platform::done_within(
        options.read_within, [options, servers] { return read_starts(options, servers); });
    return known ? std::move(*known) : KnownStarts{};
}

FileListingCache::FileListingCache(FileListingCacheOptions options,
                                   const std::vector<ServerIdentity>& servers,
                                   platform::CoalescingWriter::Tell tell)
    : options_(std::move(options)), tell_(tell), writer_(options_.writer, std::move(tell)) {
    set_servers(servers);
    writer_.put({}, 0, [folder = options_.folder, age = options_.max_unused, now = options_.now()] {
        platform::remove_forgotten_files(folder, age, now);
        return std::optional<platform::FileFault>{};
    });
}

void FileListingCache::set_servers(const std::vector<ServerIdentity>& servers) {
    PathTable paths;
    for (const ServerIdentity& server : servers) {
        paths.emplace(server.name, Paths{.stem = stem_of(options_.folder, server),
                                         .start = start_path_of(options_.folder, server)});
    }
    paths_.with([&paths](PathTable& current) { current.swap(paths); });
}

std::string FileListingCache::path_of(const std::string& server, std::string_view what) const {
    return paths_.with([&](const PathTable& paths) {
        const auto found = paths.find(server);
        return found == paths.end() ? std::string{} : file_of(found->second.stem, what);
    });
}

void FileListingCache::note_hung(bool is_hung) {
    if (is_hung && !is_hung_.exchange(true) && tell_) {
        tell_("the folder " + options_.folder + " does not answer");
    }
}

std::vector<Listing> FileListingCache::listings(const std::string& server) {
    if (is_hung_) {
        return {};
    }
    std::vector<std::string> paths;
    paths.reserve(kKinds.size());
    for (const ListKind kind : kKinds) {
        paths.push_back(path_of(server, name_of(kind)));
    }
    auto listings = platform::done_within(
        options_.read_within, [paths = std::move(paths), max_bytes = options_.max_file_bytes] {
            return read_listings(paths, max_bytes);
        });
    note_hung(!listings);
    return listings ? std::move(*listings) : std::vector<Listing>{};
}

void FileListingCache::keep(const std::string& server, const Listing& listing) {
    std::string path = path_of(server, name_of(listing.kind));
    if (path.empty()) {
        return;
    }
    writer_.put(
        path, size_of(listing),
        [path, copy = std::make_shared<const Listing>(listing),
         max_bytes = options_.max_file_bytes] { return write_listing(path, *copy, max_bytes); });
}

void FileListingCache::keep_start(const std::string& server) {
    std::string path = paths_.with([&](const PathTable& paths) {
        const auto found = paths.find(server);
        return found == paths.end() ? std::string{} : found->second.start;
    });
    if (!path.empty()) {
        writer_.put(path, kMaxStartBytes, [path] { return write_start(path); });
    }
}

void FileListingCache::keep_era(const std::string& server, mcp::Era era) {
    keep_start(server);
    std::string path = path_of(server, kEra);
    if (path.empty()) {
        return;
    }
    const RememberedEra seen{
        .era = era, .learned_at = std::chrono::floor<std::chrono::seconds>(options_.now())};
    writer_.put(path, kMaxEraBytes, [path, seen, renew_after = options_.renew_era_after] {
        return write_era(path, seen, renew_after);
    });
}

bool FileListingCache::was_awaited(const std::string& server) {
    if (is_hung_) {
        return false;
    }
    const auto text =
        platform::done_within(options_.read_within, [path = path_of(server, kAwaited)] {
            return platform::private_file_content(path, kAwaitedText.size());
        });
    note_hung(!text);
    return text && *text == kAwaitedText;
}

void FileListingCache::keep_awaited(const std::string& server) {
    std::string path = path_of(server, kAwaited);
    if (path.empty()) {
        return;
    }
    writer_.put(path, kAwaitedText.size(), [path]() -> std::optional<platform::FileFault> {
        return platform::replace_atomically(path, std::string{kAwaitedText});
    });
}

}  // namespace holdfast::runtime
