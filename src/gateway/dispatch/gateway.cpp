#include "dispatch/gateway.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/listed_names.hpp"
#include "base/text_cut.hpp"
#include "calls/call_memory.hpp"
#include "calls/read_sharing.hpp"
#include "calls/suggested_tools.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::dispatch {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kKeptSurfaces = 4;
constexpr std::chrono::milliseconds kDrainLook{10};
// For failures of calls that the end of the downstreams has ended.
constexpr std::chrono::seconds kLastAnswersWait{2};
constexpr std::size_t kMaxInstructionBytes = std::size_t{16} * 1024;
// The model reads them with every conversation.
constexpr std::size_t kMaxJoinedInstructionBytes = std::size_t{2} * 1024;
constexpr std::size_t kMaxServerInstructionBytes = 300;
constexpr std::size_t kMaxNamedServers = 10;

std::string cut(const std::string& text, std::size_t max_bytes) {
    return text.size() <= max_bytes ? text : std::string{base::beginning_of(text, max_bytes)} + "…";
}

void add_paragraph(std::string& all, std::string_view paragraph) {
    all.append(all.empty() || paragraph.empty() ? "" : "\n\n").append(paragraph);
}

std::string words_about_starting(const std::set<std::string>& servers) {
    if (servers.empty()) {
        return {};
    }
    return "Still starting: " + base::listed_names(servers, kMaxNamedServers) +
           ". Their tools are added when they are ready; a call of one waits for its server.";
}

/// The id of a call is an argument of `holdfast explain`; a dash would begin an option.
std::string without_leading_dashes(std::string random) {
    return random.erase(0, random.find_first_not_of('-'));
}

}  // namespace

Gateway::Gateway(net::OwningLoop home, GatewayOptions options,
                 std::function<std::string()> make_secret,
                 std::shared_ptr<ListingCache> listing_cache)
    : home_(std::move(home)),
      options_(std::move(options)),
      listing_cache_(std::move(listing_cache)),
      surface_options_(std::make_shared<const surface::SurfaceOptions>(options_.surface)),
      router_(
          std::make_shared<surface::Router>(surface_options_, options_.finder, options_.recorder)),
      sessions_(options_.sessions, make_secret),
      context_(std::make_shared<const CallContext>(CallContext{
          .agent_headers =
              std::make_shared<const std::vector<std::string>>(options_.agent_headers)})) {
    for (const net::OwningLoop& loop :
         options_.loops.empty() ? std::vector{home_} : options_.loops) {
        loops_.push_back(std::make_unique<LoopState>(loop, sessions_, context_));
    }
    calls::CallEnvironment calls{
        .parked = std::make_shared<calls::ParkedCalls>(options_.max_parked_calls),
        .call_ids = std::make_shared<calls::CallIds>(without_leading_dashes(make_secret())),
        .memory = std::make_shared<calls::CallMemory>(),
        .sharing = std::make_shared<calls::ReadSharing>(),
        .suggested = std::make_shared<calls::SuggestedTools>(options_.finder),
        .make_secret = std::move(make_secret),
        .ask_timeout = options_.ask_timeout,
        .parked_for = options_.parked_for,
        .secrets = std::make_shared<calls::SecretRegistry>(options_.secrets),
        .on_unchecked = options_.on_unchecked,
        .recorder = options_.recorder};
    // Calls never outlive the gateway: `stop` ends them and waits for the downstreams.
    calls.on_stray = [this](const surface::Server& server, const std::string& agent_key,
                            downstream::Notification notification) {
        on_notification(server.name, agent_key, std::move(notification));
    };
    calls_ = std::make_shared<const calls::CallEnvironment>(std::move(calls));
}

Gateway::~Gateway() {
    for (PeriodicTimer* timer : {&settle_timer_, &sweep_timer_}) {
        if (timer->is_scheduled()) {
            home_.timekeeper->cancel(*timer);
        }
    }
}

void Gateway::offer(std::vector<surface::BuiltinTool> tools,
                    std::vector<surface::BuiltinResource> resources) {
    HOLDFAST_EXPECT(!publisher_);
    std::ranges::move(tools, std::back_inserter(own_tools_));
    std::ranges::move(resources, std::back_inserter(own_resources_));
}

void Gateway::sweep() {
    const resilience::TimePoint now = home_.timekeeper->now();
    for (const auto& session : sessions_.remove_idle(now)) {
        end_session(session);
    }
    calls_->secrets->forget_old(now);
    sweep_circuits(now);
    home_.timekeeper->schedule(sweep_timer_, now + options_.sweep_every);
}

asio::awaitable<void> Gateway::stop() {
    refuse_new_calls();
    const auto limit = resilience::saturating_add(home_.timekeeper->now(), options_.drain_for);
    for (const auto& listen : listens()) {
        listen->finish();
        remove(*listen);
    }
    co_await drain(limit);
    co_await wait_until_written({}, limit);
    calls_->parked->cancel_all();
    co_await stop_downstreams();
    // The calls that were left have failed now; their agents get that answer.
    const auto last = resilience::saturating_add(home_.timekeeper->now(), kLastAnswersWait);
    co_await drain(last);
    std::vector<std::shared_ptr<agents::Outlet>> outlets;
    for (const auto& session : sessions_.all()) {
        if (auto outlet = session->outlet()) {
            outlets.push_back(std::move(outlet));
        }
        end_session(session);
    }
    co_await wait_until_written(std::move(outlets), std::max(limit, last));
}

asio::awaitable<void> Gateway::drain(resilience::TimePoint limit) {
    while (calls_->in_flight->load(std::memory_order_relaxed) > calls_->parked->size() &&
           home_.timekeeper->now() < limit) {
        resilience::OneShot pause{*home_.timekeeper};
        std::ignore = co_await pause.wait_until(home_.timekeeper->now() + kDrainLook);
    }
}

asio::awaitable<void> Gateway::wait_until_written(
    std::vector<std::shared_ptr<agents::Outlet>> outlets, resilience::TimePoint limit) {
    while (home_.timekeeper->now() < limit) {
        const auto tally = std::make_shared<net::UnwrittenTally>();
        for (const auto& outlet : outlets) {
            outlet->report_unwritten(tally);
        }
        for (const auto& session : sessions_.all()) {
            session->report_unwritten(tally);
        }
        if (options_.report_unwritten) {
            options_.report_unwritten(tally);
        }
        if (tally->is_clear()) {
            co_return;
        }
        // Most reports come from other loops.
        resilience::OneShot pause{*home_.timekeeper};
        std::ignore = co_await pause.wait_until(home_.timekeeper->now() + kDrainLook);
        if (tally->is_clear()) {
            co_return;
        }
    }
}

std::shared_ptr<const std::vector<surface::Server>> Gateway::servers() const {
    return servers_.with([](const auto& servers) { return servers; });
}

LoopState& Gateway::on(const net::OwningLoop& loop) const {
    // There are few loops: a linear search is cheaper than a hash.
    const auto found = std::ranges::find(
        loops_, loop.timekeeper, [](const auto& state) { return state->loop().timekeeper; });
    HOLDFAST_EXPECT(found != loops_.end());
    return **found;
}

void Gateway::share(CallContext context) {
    context_.publish(std::make_shared<const CallContext>(std::move(context)));
}

std::shared_ptr<const surface::Surface> Gateway::surface() const {
    return shown_.with([](const Shown& shown) { return shown.surface; });
}

std::shared_ptr<const surface::Surface> Gateway::surface_of(std::uint64_t generation) const {
    return shown_.with([generation](const Shown& shown) -> std::shared_ptr<const surface::Surface> {
        if (shown.surface->generation() == generation) {
            return shown.surface;
        }
        const auto found = std::ranges::find_if(shown.earlier, [generation](const auto& surface) {
            return surface->generation() == generation;
        });
        return found == shown.earlier.end() ? nullptr : *found;
    });
}

void Gateway::publish(surface::Publication publication) {
    if (publication.surface) {
        // The loops come first, because an agent that sees a new tool may call it at once.
        share({.surface = publication.surface, .agent_headers = context_.latest()->agent_headers});
        // The oldest snapshot is destroyed outside the lock.
        std::shared_ptr<const surface::Surface> dropped;
        shown_.with([&](Shown& shown) {
            if (shown.surface) {
                shown.earlier.push_back(std::move(shown.surface));
            }
            if (shown.earlier.size() > kKeptSurfaces) {
                dropped = std::move(shown.earlier.front());
                shown.earlier.pop_front();
            }
            shown.surface = publication.surface;
        });
        router_->show(publication.surface);
    }
    for (const auto& [server, kind] : publication.shown) {
        startup_barrier_.on_listed(server, kind);
    }
    tell_changed(publication.changed);
}

std::string Gateway::instructions() const {
    const auto servers = this->servers();
    const bool is_joined = servers->size() > 1;
    std::string all;
    if (is_joined) {
        all = fmt::format("This endpoint combines {} MCP servers.", servers->size());
    }
    add_paragraph(all, words_about_search());
    add_paragraph(all, words_about_starting(startup_barrier_.starting()));
    return instructions_.with([&](const auto& by_server) {
        for (const surface::Server& server : *servers) {
            const auto found = by_server.find(server.name);
            if (found == by_server.end() || found->second.empty()) {
                continue;
            }
            const std::string part =
                is_joined ? server.name + ": " + cut(found->second, kMaxServerInstructionBytes)
                          : found->second;
            if (is_joined && all.size() + part.size() > kMaxJoinedInstructionBytes) {
                break;
            }
            add_paragraph(all, part);
        }
        return std::string{base::beginning_of(all, kMaxInstructionBytes)};
    });
}

}  // namespace holdfast::dispatch
