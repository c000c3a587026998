#include "sim/world.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <exception>
#include <utility>

#include "downstream/stream_opener.hpp"
#include "support/test_guard.hpp"

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;
using downstream::SessionMode;
using mcp::Revision;

constexpr Duration kActiveFor = 25s;
/// Each downstream has 10 s to stop, and all of them together 30.
constexpr Duration kStopLimit = 31s;
/// The timers of an idle gateway: a few for itself, and several per downstream and link.
constexpr std::size_t kMaxIdleTimers = 64;

constexpr std::array<Revision, 5> kDownstreamRevisions{Revision::v2024_11_05, Revision::v2025_03_26,
                                                       Revision::v2025_11_25, Revision::v2026_07_28,
                                                       Revision::v2026_07_28};
constexpr std::array<Revision, 6> kAgentRevisions{Revision::v2024_11_05, Revision::v2025_03_26,
                                                  Revision::v2025_06_18, Revision::v2025_11_25,
                                                  Revision::v2026_07_28, Revision::v2026_07_28};
constexpr std::array<SessionMode, 3> kSessionModes{SessionMode::automatic, SessionMode::shared,
                                                   SessionMode::per_agent};
constexpr std::array<OnProbe, 4> kOnProbe{OnProbe::refuse, OnProbe::refuse, OnProbe::keep_silent,
                                          OnProbe::die};

}  // namespace

World::World(std::uint64_t seed) : dice_(seed), is_stopped_early_(dice_.chance(0.2)) {}

World::~World() = default;

WorldReport World::run() {
    populate();
    loop_.run_for(kActiveFor);
    if (!is_stopped_early_) {
        wind_down();
        check_at_rest();
    }
    stop_gateway();
    check_nothing_left();

    WorldReport report{.complaints = complaints_.all(), .trace_hash = trace_.hash()};
    for (const auto& agent : agents_) {
        report.requests += agent->sent_count();
    }
    return report;
}

void World::populate() {
    dispatch::GatewayOptions options;
    options.ask_timeout = limits_.ask_timeout;
    options.parked_for = limits_.ask_timeout;
    options.settle_for = limits_.settle_for;
    options.starts_at_once = dice_.chance(0.7);
    options.page_size = dice_.chance(0.3) ? 2 : 1'000;
    const auto make_secret = [dice = std::make_shared<Dice>(dice_.split())] {
        return std::to_string(dice->number()) + std::to_string(dice->number());
    };
    gateway_ = std::make_shared<dispatch::Gateway>(loop_.owning(), options, make_secret, nullptr);

    std::vector<surface::Server> servers;
    const std::size_t server_count = dice_.between(std::size_t{1}, std::size_t{4});
    for (std::size_t index = 1; index <= server_count; ++index) {
        servers.push_back(made_server("d" + std::to_string(index)));
    }
    gateway_->adopt(std::move(servers));

    dispatcher_ = std::make_shared<const dispatch::RequestDispatcher>(gateway_);
    const std::size_t agent_count = dice_.between(std::size_t{1}, std::size_t{5});
    for (std::size_t index = 1; index <= agent_count; ++index) {
        agents_.push_back(std::make_shared<SimulatedAgent>(
            agent_traits("A" + std::to_string(index)), surroundings_, dice_.split()));
        agents_.back()->live(dispatcher_);
    }
}

surface::Server World::made_server(const std::string& name) {
    downstreams_.push_back(std::make_shared<SimulatedDownstream>(downstream_traits(name),
                                                                 surroundings_, dice_.split()));
    downstreams_.back()->begin();
    downstream::DownstreamOptions options{
        .name = name, .session = dice_.pick(kSessionModes), .seed = dice_.number()};
    options.reconnect.cap = 5s;
    auto opener = std::make_unique<downstream::StreamOpener>(downstreams_.back()->source(),
                                                             downstream::StreamOpenerOptions{});
    return {.name = name,
            .downstream = downstream::Downstream::make(loop_.owning(), std::move(opener),
                                                       std::move(options), gateway_),
            .home = loop_.owning(),
            .guard = testing::guard_with(name, limits_.policy())};
}

DownstreamTraits World::downstream_traits(const std::string& name) {
    DownstreamTraits traits{.name = name,
                            .revision = dice_.pick(kDownstreamRevisions),
                            .on_probe = dice_.pick(kOnProbe),
                            .is_rude = dice_.chance(0.3),
                            .is_mortal = dice_.chance(0.6)};
    if (dice_.chance(0.2)) {  // A valid one.
        traits.refuses = 0;
        traits.fails = 0;
        traits.slow_lists = 0;
        traits.is_mortal = false;
    }
    return traits;
}

AgentTraits World::agent_traits(const std::string& name) {
    AgentTraits traits{.name = name, .revision = dice_.pick(kAgentRevisions)};
    const bool has_elicitation = traits.revision >= mcp::Revision::v2025_06_18;
    if (has_elicitation && dice_.chance(0.7)) {
        json::object modes;
        if (mcp::has_url_elicitation(traits.revision) && dice_.chance(0.5)) {
            modes = {{"form", json::object{}}, {"url", json::object{}}};
        }
        traits.capabilities["elicitation"] = std::move(modes);
    }
    for (const std::string_view ability : {"sampling", "roots"}) {
        if (dice_.chance(0.5)) {
            traits.capabilities[ability] = json::object{};
        }
    }
    return traits;
}

/// Ends new requests, and waits until everything in flight has ended.
void World::wind_down() {
    for (const auto& agent : agents_) {
        agent->rest();
    }
    for (const auto& downstream : downstreams_) {
        downstream->calm_down();
    }
    loop_.run_for(limits_.answer_limit() * 3);
    for (const auto& agent : agents_) {
        agent->leave(true);
    }
    loop_.run_for(limits_.ask_timeout + 1s);
}

void World::check_at_rest() {
    if (const std::size_t parked = gateway_->calls()->parked->size(); parked > 0) {
        complaints_.add(std::to_string(parked) + " calls are parked though nobody is here");
    }
    if (const std::size_t sessions = gateway_->sessions().size(); sessions > 0) {
        complaints_.add(std::to_string(sessions) + " sessions are open though nobody is here");
    }
    if (loop_.timer_count() > kMaxIdleTimers) {
        complaints_.add(std::to_string(loop_.timer_count()) + " timers wait though nobody is here");
    }
}

void World::stop_gateway() {
    surroundings_.is_gateway_stopping = true;
    bool has_stopped = false;
    boost::asio::co_spawn(
        loop_.owning().executor, gateway_->stop(),
        [&has_stopped](const std::exception_ptr& error) { has_stopped = error == nullptr; });
    const TimePoint limit = loop_.now() + kStopLimit;
    while (!has_stopped && loop_.now() < limit) {
        loop_.run_for(100ms);
    }
    if (!has_stopped) {
        complaints_.add("the gateway did not stop in time");
    }
    for (const auto& agent : agents_) {
        agent->rest();
        agent->leave(false);
    }
    loop_.run_for(100ms);
}

void World::check_nothing_left() {
    const std::size_t parked = gateway_->calls()->parked->size();
    if (parked > 0) {
        complaints_.add(std::to_string(parked) + " calls are parked after the stop");
    }
    const std::weak_ptr<dispatch::Gateway> weak = gateway_;
    dispatcher_.reset();
    gateway_.reset();
    loop_.run_for(1s);
    if (!weak.expired()) {
        complaints_.add("something still holds the gateway");
    }
    if (loop_.timer_count() > 0) {
        complaints_.add(std::to_string(loop_.timer_count()) + " timers outlive the gateway");
    }
    if (loop_.is_stuck()) {
        complaints_.add("work kept repeating without progress of time");
    }
}

}  // namespace holdfast::sim
