#pragma once

#include <array>
#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::net {

class PeerShares;

/// One of the connections of an address. Gives itself back when destroyed.
///
/// Thread-safety: none; may be moved to another loop.
class PeerShare final {
public:
    /// An address, or the network that one machine may use freely: the first 64 bits of IPv6.
    using Peer = std::array<unsigned char, 16>;

    PeerShare() = default;
    PeerShare(std::shared_ptr<PeerShares> shares, const Peer& peer)
        : shares_(std::move(shares)), peer_(peer) {}
    PeerShare(PeerShare&&) noexcept = default;
    PeerShare& operator=(PeerShare&&) = delete;
    // NOLINTNEXTLINE(bugprone-exception-escape): only out of memory, which ends the process.
    ~PeerShare();

private:
    std::shared_ptr<PeerShares> shares_;  // null = not counted
    Peer peer_{};
};

/// The number of connections of each address, so that no stranger can use up all of them.
///
/// Thread-safety: all from any thread.
class PeerShares final : public std::enable_shared_from_this<PeerShares> {
public:
    struct Counted {
        PeerShare share = {};
        std::size_t count = 0;  ///< Connections of this address, with this one.
    };

    [[nodiscard]] Counted count(const boost::asio::ip::address& address);

private:
    friend class PeerShare;
    void give_back(const PeerShare::Peer& peer);

    resilience::Synchronized<std::map<PeerShare::Peer, std::size_t>> counts_;
};

}  // namespace holdfast::net
