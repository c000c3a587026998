#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "downstream/stream_opener.hpp"
#include "mcp/revision.hpp"
#include "sim/dice.hpp"
#include "sim/inhabitant.hpp"
#include "sim/wire.hpp"

namespace holdfast::sim {

class DownstreamProcess;

/// What a legacy downstream does when it is asked for the modern era.
enum class OnProbe : std::uint8_t { refuse, keep_silent, die };

/// What a downstream is like, for one world. Chances are of each single event.
struct DownstreamTraits {
    std::string name = {};
    mcp::Revision revision = mcp::kNewestLegacy;
    OnProbe on_probe = OnProbe::refuse;
    double refuses = 0.1;     ///< A connection.
    double trouble = 0.15;    ///< A call goes wrong somehow.
    double asks = 0.35;       ///< A call asks its agent.
    double says = 0.5;        ///< A call logs and tells its progress.
    double slow_lists = 0.1;  ///< A list takes as long as it likes.
    bool is_rude = false;     ///< Goes on with calls that were cancelled.
    bool is_mortal = true;    ///< Its processes die, or hang, at some time.

    [[nodiscard]] bool is_modern() const { return mcp::era_of(revision) == mcp::Era::modern; }
};

/// A server behind the gateway: what it offers, and the processes that come and go. It is asked for
/// a connection through `source`.
///
/// Thread-safety: none.
class SimulatedDownstream final : public std::enable_shared_from_this<SimulatedDownstream> {
public:
    SimulatedDownstream(DownstreamTraits traits, Surroundings& world, Dice dice);

    /// Connects late, or never, or not at all.
    [[nodiscard]] downstream::ChannelSource source();
    /// From now on lists change and are announced, now and then.
    void begin();
    /// No more storms and sudden deaths; calls go wrong as before.
    void calm_down() { is_calm_ = true; }

    /// The entries of `tools`, `prompts`, `resources` or `resourceTemplates` now.
    [[nodiscard]] json::array list(std::string_view member) const;

    [[nodiscard]] const DownstreamTraits& traits() const { return traits_; }
    [[nodiscard]] Surroundings& world() { return world_; }
    [[nodiscard]] Dice& dice() { return dice_; }
    [[nodiscard]] bool is_calm() const { return is_calm_; }

private:
    using Connected = net::NetResult<std::unique_ptr<net::MessageChannel>>;

    static boost::asio::awaitable<Connected> connect(std::shared_ptr<SimulatedDownstream> self,
                                                     net::OwningLoop home,
                                                     resilience::Deadline deadline);
    [[nodiscard]] std::unique_ptr<net::MessageChannel> started(const net::OwningLoop& home);
    void storm();

    const DownstreamTraits traits_;
    Surroundings& world_;
    Dice dice_;
    bool is_calm_ = false;
    std::size_t generation_ = 0;
    std::vector<std::weak_ptr<DownstreamProcess>> processes_;
};

}  // namespace holdfast::sim
