#pragma once

#include <string>
#include <vector>

#include "downstream/downstream.hpp"

namespace holdfast::gateway {

/// What each downstream listed when it was last seen, kept beyond the life of the process: the seam
/// to the disk.
///
/// Thread-safety: from any thread. `keep` does not wait.
class LastKnown {
public:
    LastKnown() = default;
    LastKnown(const LastKnown&) = delete;
    LastKnown& operator=(const LastKnown&) = delete;
    virtual ~LastKnown() = default;

    /// Empty if nothing is known, or it cannot be read.
    [[nodiscard]] virtual std::vector<downstream::Listing> listings(const std::string& server) = 0;
    virtual void keep(const std::string& server, const downstream::Listing& listing) = 0;
};

}  // namespace holdfast::gateway
