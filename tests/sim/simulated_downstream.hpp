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

/// How a legacy downstream reacts to the probe of the modern era.
enum class OnProbe : std::uint8_t { refuse, keep_silent, die };

/// The properties of a downstream in one world. Probabilities are per event.
struct DownstreamTraits {
    std::string name = {};
    mcp::Revision revision = mcp::kNewestLegacy;
    OnProbe on_probe = OnProbe::refuse;
    double refuses = 0.1;     ///< A connection.
    double fails = 0.15;      ///< A call fails in some way.
    double asks = 0.35;       ///< A call asks its agent.
    double says = 0.5;        ///< A call logs and reports its progress.
    double slow_lists = 0.1;  ///< A list takes any amount of time.
    bool is_rude = false;     ///< Continues cancelled calls.
    bool is_mortal = true;    ///< Its processes die or hang at some time.

    [[nodiscard]] bool is_modern() const { return mcp::era_of(revision) == mcp::Era::modern; }
};

/// A server behind the gateway: its lists, and its processes. `source` opens connections to it.
///
/// Thread-safety: none.
class SimulatedDownstream final : public std::enable_shared_from_this<SimulatedDownstream> {
public:
    SimulatedDownstream(DownstreamTraits traits, Surroundings& world, Dice dice);

    /// Connects at once, late or never.
    [[nodiscard]] downstream::ChannelSource source();
    /// Starts to change and announce lists from time to time.
    void begin();
    /// Ends storms and sudden deaths; calls fail as before.
    void calm_down() { is_calm_ = true; }

    /// The current entries of `tools`, `prompts`, `resources` or `resourceTemplates`.
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
