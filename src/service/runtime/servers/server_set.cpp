#include "runtime/servers/server_set.hpp"

#include <algorithm>
#include <utility>

#include "downstream/downstream.hpp"
#include "runtime/servers/server_wiring.hpp"

namespace holdfast::runtime {
namespace {

/// Returns the rules over several arguments of an HTTP API's tools; may be null.
std::shared_ptr<const surface::ArgumentRules> checks_of(const ResolvedServer& plan) {
    surface::ArgumentRules rules;
    if (plan.rest) {
        for (const rest::RestTool& tool : plan.rest->tools) {
            if (!tool.check.schema.empty()) {
                rules[tool.name] = {.schema = tool.check.schema, .sentence = tool.check.sentence};
            }
        }
    }
    return rules.empty() ? nullptr
                         : std::make_shared<const surface::ArgumentRules>(std::move(rules));
}

downstream::JunkRule junk_rule_of(const config::ServerConfig& server, const LoadedConfig& loaded) {
    const auto rule = loaded.table.resolve_server(server.name).policy.junk;
    return rule == policy::JunkRule::fail ? downstream::JunkRule::fail : downstream::JunkRule::skip;
}

}  // namespace

std::vector<surface::Server> ServerSet::servers_of(
    const LoadedConfig& loaded, const std::weak_ptr<dispatch::Gateway>& gateway) {
    const bool shares_circuits = loaded.config.section("circuits") != nullptr;
    const bool keeps_guards = shares_circuits == std::exchange(shares_circuits_, shares_circuits);
    before_ = std::exchange(made_, {});
    skipped_.clear();
    carried_.clear();
    std::vector<surface::Server> servers;
    servers.reserve(loaded.config.servers.size() + loaded.config.skipped.size());
    for (const config::SkippedServer& server : loaded.config.skipped) {
        carry_or_skip(server.name, server.reason(), servers);
    }
    for (const config::ServerConfig& server : loaded.config.servers) {
        if (server.is_disabled) {
            continue;
        }
        ServerSetup setup = setup_of(server, loaded.plans.servers.at(server.name),
                                     loaded.table.reconnect(server.name), loaded.config,
                                     loaded.table.resolve_server(server.name).policy.junk);
        const auto known = before_.find(server.name);
        const bool is_kept = known != before_.end() && known->second.setup == setup;
        auto one = is_kept ? MadeOrReason{known->second} : made(server, loaded, gateway);
        if (!one) {
            carry_or_skip(server.name, one.error(), servers);
            continue;
        }
        one->setup = std::move(setup);
        one->server.trusts_annotations = server.trusts_annotations;
        one->server.has_prefix = server.prefix;
        one->server.checks = checks_of(loaded.plans.servers.at(server.name));
        guard(*one, loaded, !is_kept || !keeps_guards);
        servers.push_back(one->server);
        made_.emplace(server.name, std::move(*one));
    }
    before_.clear();
    return servers;
}

front::BridgeTable::Bridges ServerSet::bridges() const {
    front::BridgeTable::Bridges bridges;
    bridges.reserve(made_.size());
    for (const auto& [name, made] : made_) {
        if (made.bridge) {
            bridges.push_back(made.bridge);
        }
    }
    return bridges;
}

bool ServerSet::is_taken(const std::string& path) const {
    return std::ranges::any_of(made_, [&path](const auto& entry) {
        return entry.second.bridge && entry.second.bridge->path() == path;
    });
}

ServerSet::MadeOrReason ServerSet::made(const config::ServerConfig& server,
                                        const LoadedConfig& loaded,
                                        const std::weak_ptr<dispatch::Gateway>& gateway) {
    const net::OwningLoop& home = parts_.loops[next_home_++ % parts_.loops.size()];
    const auto dial_in = dial_in_of(server, home);
    if (dial_in && is_taken(dial_in->path())) {
        return "another server has its path " + dial_in->path() + ".";
    }
    auto opener =
        opener_of(server, loaded.plans.servers.at(server.name),
                  {.limits = loaded.config.limits,
                   .guardian = parts_.guardian,
                   .dial_in = dial_in,
                   .warn = [log = parts_.log, name = server.name](
                               const std::string& message) { log.server_warning(name, message); },
                   .junk = junk_rule_of(server, loaded)});
    if (!opener) {
        return opener.error().message + ".";
    }
    Made one;
    one.server = {.name = server.name,
                  .transport = std::string{transport_name(server)},
                  .downstream = downstream::Downstream::make(home, std::move(*opener),
                                                             options_of(server, loaded), gateway),
                  .home = home};
    if (dial_in) {
        dial_in->set_listener([weak = std::weak_ptr{one.server.downstream}] {
            if (const auto downstream = weak.lock()) {
                downstream->on_available();
            }
        });
        one.bridge = bridge_of(server, loaded.config.limits, dial_in);
    }
    return one;
}

void ServerSet::carry_or_skip(const std::string& server, const std::string& why,
                              std::vector<surface::Server>& servers) {
    const auto known = before_.find(server);
    const auto bridge = known != before_.end() ? known->second.bridge : nullptr;
    if (known == before_.end() || (bridge && is_taken(bridge->path()))) {
        parts_.log.server_skipped(server, why);
        skipped_[server] = why;
        return;
    }
    parts_.log.server_entry_kept(server, why);
    carried_[server] = why;
    servers.push_back(known->second.server);
    made_.insert(*known);
}

downstream::DownstreamOptions ServerSet::options_of(const config::ServerConfig& server,
                                                    const LoadedConfig& loaded) const {
    downstream::DownstreamOptions options = downstream_options_of(
        server, loaded.plans.servers.at(server.name), loaded.table.reconnect(server.name));
    options.seed = parts_.make_seed();
    options.connect_wait = start_timeout_of(server, loaded.config.server_defaults);
    if (options.starts_process && !loaded.known_starts.contains(server.name)) {
        options.first_start_gate = parts_.start_gate;
    }
    const auto known = loaded.known_eras.find(server.name);
    if (known != loaded.known_eras.end()) {
        options.known_era = known->second.era;
        options.known_era_age = known->second.age;
    }
    return options;
}

void ServerSet::guard(Made& made, const LoadedConfig& loaded, bool is_new) {
    if (is_new) {
        made.server.guard = guards_.guard_of(made.server.name, loaded.table, shares_circuits_,
                                             loaded.config.limits.circuits);
    } else {
        made.server.guard->reconfigure(loaded.table, parts_.loops.front().timekeeper->now());
    }
}

}  // namespace holdfast::runtime
