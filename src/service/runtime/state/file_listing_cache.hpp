#pragma once

#include <atomic>
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
    /// An era that is seen again keeps its age up to this, because it may have been assumed, not
    /// probed.
    resilience::Duration renew_era_after = downstream::DownstreamOptions{}.max_era_age;
    /// Files that no run has used for this long are removed.
    resilience::Duration max_unused = std::chrono::hours{24 * 90};
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
    /// How long the reader of a file waits. A folder that takes longer hangs and is not read again.
    resilience::Duration read_within = std::chrono::seconds{2};
};

/// A server's name, and a text that differs between servers. The text may contain secrets: only its
/// digest is stored on disk.
struct ServerIdentity {
    std::string name = {};
    std::string identity = {};
    std::string command = {};  ///< Differs between programs; empty = it is not a program.
};

/// The eras that are cached for these servers. Reads files, but does not wait for a folder that
/// hangs. Those that are not known or cannot be read are omitted.
[[nodiscard]] KnownEras known_eras(const FileListingCacheOptions& options,
                                   const std::vector<ServerIdentity>& servers);

/// The servers whose command has been started successfully before, by whatever config. Looks at
/// files.
[[nodiscard]] KnownStarts known_starts(const FileListingCacheOptions& options,
                                       const std::vector<ServerIdentity>& servers);

/// Stores the last known state of the downstreams in files, one per server and list. The disk is
/// optional: a failed write is reported once, and an incomplete file is ignored. Several processes
/// may use the same folder.
///
/// Thread-safety: from any thread. `keep`, `keep_era` and `keep_awaited` do not wait; `listings`
/// and `was_awaited` read files, for a limited time.
class FileListingCache final : public dispatch::ListingCache {
public:
    /// `tell` receives a message when something cannot be stored, as in `CoalescingWriter`. Servers
    /// that are not in `servers` are not stored.
    FileListingCache(FileListingCacheOptions options, const std::vector<ServerIdentity>& servers,
                     platform::CoalescingWriter::Tell tell);

    /// Replaces the servers.
    void set_servers(const std::vector<ServerIdentity>& servers);

    [[nodiscard]] std::vector<downstream::Listing> listings(const std::string& server) override;
    void keep(const std::string& server, const downstream::Listing& listing) override;
    /// Also records the successful start of its command.
    void keep_era(const std::string& server, mcp::Era era) override;
    [[nodiscard]] bool was_awaited(const std::string& server) override;
    void keep_awaited(const std::string& server) override;

private:
    /// Reports once that the folder does not answer, and does not read it again.
    void note_hung(bool is_hung);
    /// Returns the path of a file of the server; empty for an unknown server.
    [[nodiscard]] std::string path_of(const std::string& server, std::string_view what) const;
    void keep_start(const std::string& server);

    const FileListingCacheOptions options_;
    /// Where the files of a server are.
    struct Paths {
        std::string stem = {};
        std::string start = {};  ///< Empty = it is not a program.
    };
    using PathTable = std::unordered_map<std::string, Paths>;
    resilience::Synchronized<PathTable> paths_;  // by server
    std::atomic<bool> is_hung_ = false;
    const platform::CoalescingWriter::Tell tell_;
    platform::CoalescingWriter writer_;
};

}  // namespace holdfast::runtime
