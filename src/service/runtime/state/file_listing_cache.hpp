#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dispatch/listing_cache.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"
#include "platform/coalescing_writer.hpp"
#include "runtime/loaded_config.hpp"

namespace holdfast::runtime {

struct FileListingCacheOptions {
    std::string folder = {};  ///< Made when there is something to keep.
    std::size_t max_file_bytes = std::size_t{64} * 1024 * 1024;
    platform::CoalescingWriterOptions writer = {};
    /// An era that is seen again keeps its age up to this: it may have been believed, not probed.
    resilience::Duration renew_era_after = downstream::DownstreamOptions{}.max_era_age;
    /// A file that no run has used for so long is removed.
    resilience::Duration max_unused = std::chrono::hours{24 * 90};
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
};

/// A server by its name, and a text that differs for servers that are not the same. The text may
/// hold secrets: only its digest gets onto the disk.
struct ServerIdentity {
    std::string name = {};
    std::string identity = {};
};

/// The eras that are cached for these servers. Reads files. Those that are not known or cannot be
/// read are omitted.
[[nodiscard]] KnownEras known_eras(const FileListingCacheOptions& options,
                                   const std::vector<ServerIdentity>& servers);

/// Keeps what is last known of the downstreams in files, one for each server and list. The disk is
/// a help and never a condition: what cannot be written is told once, and what cannot be read whole
/// is not known. Several processes may use the same folder.
///
/// Thread-safety: from any thread. `keep` and `keep_era` do not wait; `listings` reads files.
class FileListingCache final : public dispatch::ListingCache {
public:
    /// `tell` gets a sentence when something cannot be kept, as in `CoalescingWriter`. Servers that
    /// are not in `servers` are not remembered.
    FileListingCache(FileListingCacheOptions options, const std::vector<ServerIdentity>& servers,
                     platform::CoalescingWriter::Tell tell);

    /// The servers have changed: these are remembered from now on.
    void set_servers(const std::vector<ServerIdentity>& servers);

    [[nodiscard]] std::vector<downstream::Listing> listings(const std::string& server) override;
    void keep(const std::string& server, const downstream::Listing& listing) override;
    void keep_era(const std::string& server, mcp::Era era) override;

private:
    /// The path of a file of the server; empty if the server is none of ours.
    [[nodiscard]] std::string path_of(const std::string& server, std::string_view what) const;

    const FileListingCacheOptions options_;
    using Stems = std::unordered_map<std::string, std::string>;
    resilience::Synchronized<Stems> stems_;  // by server
    platform::CoalescingWriter writer_;
};

}  // namespace holdfast::runtime
