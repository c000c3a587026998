#include "runtime/service.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <iterator>
#include <random>
#include <thread>
#include <utility>

#include "dispatch/search_tools.hpp"
#include "front/channel_front.hpp"
#include "holdfast/resilience/expect.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "net/stdio_channel.hpp"
#include "platform/crypto.hpp"
#include "platform/environment.hpp"
#include "platform/user_folders.hpp"
#include "platform/wall_clock.hpp"
#include "process/process_table.hpp"
#include "runtime/gateway_options.hpp"
#include "runtime/loading/config_diff.hpp"
#include "runtime/logs/debug_log.hpp"
#include "runtime/resource_plan.hpp"
#include "runtime/servers/server_wiring.hpp"

namespace holdfast::runtime {
namespace {

namespace asio = boost::asio;

/// Time limit for calls in flight after an agent on stdio has closed its end.
constexpr resilience::Duration kLastAnswersWait = std::chrono::seconds{5};

std::size_t loop_count(const ServiceOptions& options) {
    return options.loops != 0 ? options.loops : std::max(1U, std::thread::hardware_concurrency());
}

/// Whether anything can ever read the records.
bool has_readers(const LoadedConfig& loaded) {
    return loaded.admin.is_on || loaded.telemetry.stores;
}

std::vector<ServerIdentity> identities_in(const LoadedConfig& loaded) {
    std::vector<ServerIdentity> identities;
    identities.reserve(loaded.config.servers.size() + loaded.carried.size());
    for (const auto* servers : {&loaded.config.servers, &loaded.carried}) {
        for (const config::ServerConfig& server : *servers) {
            identities.push_back({.name = server.name,
                                  .identity = identity_of(server, loaded.config.file_name),
                                  .command = command_identity_of(server)});
        }
    }
    return identities;
}

FileListingCacheOptions listing_options() {
    return {.folder = platform::user_folders(platform::environment_variable).cache + "/catalogue"};
}

std::shared_ptr<FileListingCache> cached_listing_of(const LoadedConfig& loaded,
                                                    const ServiceLog& log) {
    return std::make_shared<FileListingCache>(
        listing_options(), identities_in(loaded),
        [log](const std::string& why) { log.listing_not_cached(why); });
}

}  // namespace

Service::Service(const process::Guardian& guardian, LoadedConfig loaded, ServiceOptions options,
                 const logging::Log& log)
    : loaded_(std::move(loaded)),
      log_(log),
      guardian_pid_(guardian.pid()),
      events_(log),
      options_(std::move(options)),
      telemetry_(loaded_, options_.records && has_readers(loaded_), events_, log_),
      connections_(log),
      loops_(loop_count(options_), options_.clock_rate, loaded_.config.limits.all_buffers_bytes),
      listing_cache_(options_.remembers ? cached_listing_of(loaded_, log_) : nullptr),
      set_({.guardian = guardian,
            .start_gate = std::make_shared<downstream::StartGate>(
                downstream::StartSlotOptions{.parallel_starts =
                                                 loaded_.config.server_defaults.parallel_starts},
                std::random_device{}()),
            .loops = loops_.all(),
            .observer = &telemetry_.observer(),
            .log = log_}) {}

Service::~Service() {
    if (search_) {
        search_->stop();
    }
    // Its thread may wake streams, whose loops are about to end.
    if (recording()) {
        recording()->stop();
    }
}

std::string Service::why_skipped(const std::string& server) const {
    const auto found = set_.skipped().find(server);
    return found == set_.skipped().end() ? std::string{} : found->second;
}

std::string Service::missing_credential(const std::string& server) const {
    const auto plan = loaded_.plans.servers.find(server);
    if (plan == loaded_.plans.servers.end()) {
        return {};
    }
    for (const downstream::Credential& credential : plan->second.credentials.headers) {
        if (credential.is_required && credential.sources.empty()) {
            return credential.missing;
        }
    }
    return {};
}

bool Service::start() {
    set_json_depth();
    make_gateway();
    make_admin();
    if (listing_cache_) {
        loaded_.known_eras = known_eras(listing_options(), identities_in(loaded_));
    }
    loaded_.known_starts = known_starts(listing_options(), identities_in(loaded_));
    gateway_->adopt(set_.servers_of(loaded_, gateway_));
    publish_problems();
    bridges_->replace(set_.bridges());
    listeners_.emplace(ListenerDeps{.loops = loops_.all(),
                                    .dispatcher = dispatcher_,
                                    .bridges = bridges_,
                                    .log = log_,
                                    .allows_insecure_http = options_.allows_insecure_http,
                                    .max_descriptor = planned_max_descriptor()});
    if (options_.http_addresses.empty() && !set_.bridges().empty()) {
        log_.bridge_unreachable(set_.bridges().front()->path());
    }
    return std::ranges::all_of(options_.http_addresses,
                               [this](const std::string& address) {
                                   return listeners_->listen_at(address, loaded_);
                               }) &&
           listen_for_admin() && (!options_.on_stdio || serve_stdio());
}

int Service::planned_max_descriptor() const {
    const ResourcePlan plan = resource_plan(
        loaded_.config, loops_.all().size(),
        {.descriptors = process::descriptor_limit(), .processes = process::process_count_limit()});
    for (const std::string& warning : plan.warnings) {
        log_.limit_too_low(warning);
    }
    return plan.max_descriptor;
}

// Each loop is a thread with its own readers.
void Service::set_json_depth() const {
    for (const net::OwningLoop& loop : loops_.all()) {
        asio::post(loop.executor, [depth = loaded_.config.limits.json_depth] {
            jsonrpc::set_reader_limits({.max_depth = depth});
        });
    }
}

void Service::make_admin() {
    if (!options_.reload || !recording()) {
        return;
    }
    admin_.emplace(loaded_.admin,
                   AdminSideDeps{.loops = loops_.all(),
                                 .gateway = gateway_,
                                 .recording = recording(),
                                 .log = log_,
                                 .reload =
                                     [this](const admin::ControlDone& done) {
                                         asio::post(first_loop().executor,
                                                    [this, done] { options_.reload(done); });
                                     },
                                 .problems = problems_,
                                 .config_file = loaded_.config.file_name,
                                 .clock_rate = options_.clock_rate,
                                 .allows_insecure_http = options_.allows_insecure_http ||
                                                         loaded_.config.agents.allows_insecure_http,
                                 .is_own_child =
                                     [guardian = guardian_pid_](pid_t process) {
                                         return process::kinship_of(process, guardian) !=
                                                process::Kinship::foreign;
                                     }});
    admin::AgentItems items = admin_->agent_items();
    gateway_->offer(std::move(items.tools), std::move(items.resources));
}

bool Service::listen_for_admin() {
    const bool has_http = !options_.http_addresses.empty();
    if (!admin_) {
        return true;
    }
    // Two clients may start the same config on stdio; neither needs the page.
    if (!admin_->listen(has_http, !options_.on_stdio)) {
        return false;
    }
    admin_->announce(has_http ? listeners_->url() : std::string{});
    return true;
}

void Service::make_gateway() {
    dispatch::GatewayOptions options = gateway_options_of(loaded_);
    options.sessions.session.replay.buffers = first_loop().buffers;
    // An editor may start the gateway twice and kill one of them, so servers are started only when
    // needed.
    options.starts_at_once = !options_.on_stdio;
    options.drain_for = options_.drain_for.value_or(options.drain_for);
    options.settle_for = options_.settle_for.value_or(options.settle_for);
    options.report_unwritten = [this](const std::shared_ptr<net::UnwrittenTally>& tally) {
        listeners_->report_unwritten(tally);
    };
    options.awaits_once = !options_.settle_for;
    options.on_circuits_swept = [this](std::size_t count) { events_.on_swept(count); };
    options.on_connection = [this](record::Event event) {
        event.reason = telemetry_.without_secrets(event.reason);
        connections_.on_event(event);
    };
    options.on_unchecked = [this](const std::string& tool, const std::string& problem) {
        log_.arguments_not_validated(tool, problem);
    };
    options.on_agent_given_up = [this](const std::string& agent, const std::string& reason) {
        log_.agent_given_up(agent, reason);
    };
    options.loops = loops_.all();
    options.recorder = telemetry_.recording();
    if (log_.is_debug()) {
        add_debug_log(options);
    }
    search_ = make_search();
    options.finder = search_;
    gateway_ = std::make_shared<dispatch::Gateway>(first_loop(), std::move(options),
                                                   platform::make_secret, listing_cache_);
    gateway_->offer(dispatch::search_tools(gateway_));
    dispatcher_ = std::make_shared<const dispatch::RequestDispatcher>(gateway_);
}

void Service::add_debug_log(dispatch::GatewayOptions& options) {
    const auto debug = std::make_shared<DebugLog>(DebugLogDeps{
        .log = log_,
        .next = options.recorder,
        .without_secrets =
            [this](const std::string& text) { return telemetry_.without_secrets(text); },
        .now = [this] { return first_loop().timekeeper->now(); }});
    options.on_status = [debug](const std::string& server,
                                const downstream::DownstreamStatus& status) {
        debug->on_status(server, status);
    };
    options.on_list = [debug](const std::string& server, const downstream::Listing& listing) {
        debug->on_list(server, listing);
    };
    options.recorder = debug;
}

std::shared_ptr<tool_search::ToolSearch> Service::make_search() const {
    const platform::UserFolders folders = platform::user_folders(platform::environment_variable);
    return std::make_shared<tool_search::ToolSearch>(
        tool_search::ToolSearchOptions{.cache_folder = folders.cache,
                                       .deadline = loaded_.search.deadline},
        [choice = options_.finds_by_meaning ? loaded_.search.embedder : NoEmbedder{}, folders] {
            return load_embedders(choice, folders);
        },
        [log = log_](const tool_search::SearchProblem& problem) { log.search_problem(problem); });
}

bool Service::serve_stdio() {
    const net::OwningLoop& loop = first_loop();
    auto channel = net::make_stdio_channel(
        loop, {.max_message_bytes = loaded_.config.limits.agent_message_bytes,
               .write_queue = front::kAgentQueue});
    if (!channel) {
        log_.stdio_failed(channel.error().message);
        return false;
    }
    asio::co_spawn(loop.executor,
                   front::serve_channel(loop, std::move(*channel), dispatcher_,
                                        {.last_answers_wait = kLastAnswersWait}),
                   [this](const std::exception_ptr& error) {
                       HOLDFAST_EXPECT(error == nullptr);
                       stop();
                   });
    return true;
}

void Service::stop() {
    if (is_stopping_) {
        return;
    }
    is_stopping_ = true;
    listeners_->drain();
    asio::co_spawn(first_loop().executor, gateway_->stop(),
                   [this](const std::exception_ptr& error) {
                       HOLDFAST_EXPECT(error == nullptr);
                       loops_.stop();
                   });
}

void Service::change(LoadedConfig loaded) {
    if (is_stopping_) {
        return;
    }
    for (const std::string& section : sections_for_a_restart(loaded_.config, loaded.config)) {
        log_.restart_needed(section);
    }
    carry_entries_into(loaded);
    if (listing_cache_) {
        listing_cache_->set_servers(identities_in(loaded));
    }
    telemetry_.hide(loaded.config.secrets, first_loop().timekeeper->now());
    listeners_->change(loaded);
    if (admin_) {
        admin_->change(loaded.admin);
    }
    gateway_->end_agents([before = access_rules_of(loaded_),
                          after = access_rules_of(loaded)](const std::string& principal) {
        return loses_access(principal, before, after);
    });
    const auto before = gateway_->servers();
    std::vector<surface::Server> servers = set_.servers_of(loaded, gateway_);
    publish_problems();
    log_.config_reloaded(describe_change(*before, servers));
    bridges_->replace(set_.bridges());
    gateway_->change({.servers = std::move(servers),
                      .agent_headers = loaded.plans.agent_headers,
                      .secrets = loaded.config.secrets});
    loaded_ = std::move(loaded);
}

void Service::reject(const ConfigMessages& messages) {
    problems_->reject({.at_ms = platform::wall_clock_ms(), .reason = errors_in(messages)});
    log_.config_rejected();
}

std::function<std::shared_ptr<ConfigReading>()> Service::config_reader() const {
    return [file = config().file_name, needs_trust = config().needs_trust,
            is_cached = listing_cache_ != nullptr, options = listing_options()] {
        auto reading = read_anew(file, needs_trust);
        if (reading->loaded && is_cached) {
            reading->loaded->known_eras = known_eras(options, identities_in(*reading->loaded));
        }
        if (reading->loaded) {
            reading->loaded->known_starts = known_starts(options, identities_in(*reading->loaded));
        }
        return reading;
    };
}

void Service::carry_entries_into(LoadedConfig& loaded) const {
    const std::size_t secret_count = loaded.config.secrets.size();
    for (const config::SkippedServer& skipped : loaded.config.skipped) {
        const auto plan = loaded_.plans.servers.find(skipped.name);
        if (plan == loaded_.plans.servers.end()) {
            continue;
        }
        // The secrets of its entry are among those of the previous config.
        if (loaded.config.secrets.size() == secret_count) {
            std::ranges::copy(loaded_.config.secrets, std::back_inserter(loaded.config.secrets));
        }
        for (const auto* servers : {&loaded_.config.servers, &loaded_.carried}) {
            const auto entry =
                std::ranges::find(*servers, skipped.name, &config::ServerConfig::name);
            if (entry != servers->end()) {
                loaded.carried.push_back(*entry);
            }
        }
        loaded.plans.servers.insert(*plan);
        for (const std::string& header : plan->second.credentials.agent_headers) {
            if (std::ranges::find(loaded.plans.agent_headers, header) ==
                loaded.plans.agent_headers.end()) {
                loaded.plans.agent_headers.push_back(header);
            }
        }
    }
}

}  // namespace holdfast::runtime
