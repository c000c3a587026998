#pragma once

#include <string>
#include <vector>

#include "downstream/downstream.hpp"
#include "mcp/revision.hpp"

namespace holdfast::dispatch {

/// Stores the last lists and the era of each downstream beyond the life of the process. The
/// interface to the disk.
///
/// Thread-safety: from any thread. `keep`, `keep_era` and `keep_awaited` do not block.
class ListingCache {
public:
    ListingCache() = default;
    ListingCache(const ListingCache&) = delete;
    ListingCache& operator=(const ListingCache&) = delete;
    virtual ~ListingCache() = default;

    /// Returns an empty list if nothing is known or it cannot be read.
    [[nodiscard]] virtual std::vector<downstream::Listing> listings(const std::string& server) = 0;
    virtual void keep(const std::string& server, const downstream::Listing& listing) = 0;

    /// A link has become ready. A link that assumed the known era does not refresh its age.
    virtual void keep_era(const std::string& server, mcp::Era era) = 0;

    /// Whether an earlier run has waited for the first lists of the server, without success.
    [[nodiscard]] virtual bool was_awaited(const std::string& server) = 0;
    virtual void keep_awaited(const std::string& server) = 0;
};

}  // namespace holdfast::dispatch
