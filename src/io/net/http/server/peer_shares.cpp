#include "net/http/server/peer_shares.hpp"

#include <algorithm>

namespace holdfast::net {
namespace {

namespace ip = boost::asio::ip;

PeerShare::Peer peer_of(const ip::address& address) {
    constexpr std::size_t kNetworkBytes = 8;
    PeerShare::Peer peer{};
    const bool is_v4 = address.is_v4() || address.to_v6().is_v4_mapped();
    if (!is_v4) {
        const auto bytes = address.to_v6().to_bytes();
        std::copy_n(bytes.begin(), kNetworkBytes, peer.begin());
        return peer;
    }
    const auto v4 =
        address.is_v4() ? address.to_v4() : ip::make_address_v4(ip::v4_mapped, address.to_v6());
    const auto bytes = v4.to_bytes();
    std::ranges::copy(bytes, peer.end() - bytes.size());
    return peer;
}

}  // namespace

PeerShare::~PeerShare() {
    if (shares_) {
        shares_->give_back(peer_);
    }
}

PeerShares::Counted PeerShares::count(const ip::address& address) {
    const PeerShare::Peer peer = peer_of(address);
    const std::size_t count = counts_.with([&peer](auto& counts) { return ++counts[peer]; });
    return {.share = {shared_from_this(), peer}, .count = count};
}

void PeerShares::give_back(const PeerShare::Peer& peer) {
    counts_.with([&peer](auto& counts) {
        const auto found = counts.find(peer);
        if (found != counts.end() && --found->second == 0) {
            counts.erase(found);
        }
    });
}

}  // namespace holdfast::net
