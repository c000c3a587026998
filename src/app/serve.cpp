#include "app/serve.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

#include "app/address.hpp"
#include "app/command_line.hpp"
#include "app/config_file.hpp"
#include "app/event_log.hpp"
#include "app/last_known_files.hpp"
#include "app/loaded_config.hpp"
#include "app/secret.hpp"
#include "app/server_plans.hpp"
#include "app/server_wiring.hpp"
#include "app/user_folders.hpp"
#include "app/version.hpp"
#include "config/secret_list.hpp"
#include "gateway/channel_front.hpp"
#include "gateway/gateway.hpp"
#include "gateway/http_front.hpp"
#include "gateway/request_desk.hpp"
#include "net/event_loops.hpp"
#include "net/guardian.hpp"
#include "net/http_server.hpp"
#include "net/stdio_channel.hpp"
#include "policy/read_policy_book.hpp"

namespace holdfast::app {
namespace {

namespace asio = boost::asio;

constexpr const char* kDefaultAddress = "127.0.0.1:7332";
/// For calls that an agent on stdio still waits for when it has closed our input.
constexpr resilience::Duration kLastAnswersWait = std::chrono::seconds{5};

/// A figure of the preset of the whole gateway, if it has it.
std::size_t preset_figure(const policy::PolicyBook& book, std::string_view section,
                          std::string_view key, std::size_t otherwise) {
    const config::Node* const node = book.gateway_section(section);
    const config::Node* const figure = node == nullptr ? nullptr : node->find(key);
    return figure == nullptr ? otherwise : static_cast<std::size_t>(figure->number);
}

gateway::GatewayOptions gateway_options(const config::Config& config,
                                        const policy::PolicyBook& book, const ServerPlans& plans,
                                        const ServeOptions& options) {
    gateway::GatewayOptions result;
    result.suggested_names =
        preset_figure(book, "search", "suggestedNames", result.suggested_names);
    result.identity = own_implementation();
    switch (config.name_prefix) {
        case config::PrefixRule::automatic:
            result.catalogue.catalogue.prefixing = catalogue::Prefixing::automatic;
            break;
        case config::PrefixRule::always:
            result.catalogue.catalogue.prefixing = catalogue::Prefixing::always;
            break;
        case config::PrefixRule::never:
            result.catalogue.catalogue.prefixing = catalogue::Prefixing::never;
            break;
    }
    result.catalogue.catalogue.max_items = config.limits.tools;
    result.catalogue.withdraw_after = config.catalogue.withdraw_after;
    result.catalogue.gather_for = config.catalogue.gather;
    result.page_size = config.catalogue.page_size;
    result.sessions.max_sessions = config.limits.sessions;
    result.sessions.max_idle = config.limits.session_idle;
    result.max_parked_calls = config.limits.parked_calls;
    result.ask_timeout = config.ask_timeout;
    result.secrets = config.secrets;
    result.agent_headers = plans.agent_headers;
    // An editor may start us twice and kill one of us: nothing is started that nobody needs yet.
    result.starts_at_once = !options.on_stdio;
    return result;
}

/// Servers that share circuits share a lock; all others have one each.
class GuardMaker final {
public:
    GuardMaker(const policy::PolicyBook& book, bool has_shared_circuits, EventLog* events)
        : book_(book), has_shared_circuits_(has_shared_circuits), events_(events) {}

    [[nodiscard]] std::shared_ptr<guard::ServerGuard> guard_of(const std::string& server) {
        if (!safeguards_ || !has_shared_circuits_) {
            const policy::SweepOptions& sweep = book_.sweep();
            safeguards_ = std::make_shared<guard::Safeguards>(
                guard::SafeguardsOptions{.seed = std::hash<std::string>{}(server),
                                         .sweep_every = sweep.every,
                                         .sweep_idle_after = sweep.idle_after},
                events_);
        }
        return safeguards_->guard_of(server, book_);
    }

private:
    const policy::PolicyBook& book_;
    const bool has_shared_circuits_;
    EventLog* const events_;
    std::shared_ptr<guard::Safeguards> safeguards_;
};

/// Everything of one run, in the order in which it is destroyed backwards.
class Serving final {
public:
    Serving(const net::Guardian& guardian, LoadedConfig loaded, ServeOptions options,
            std::ostream& log)
        : guardian_(guardian),
          config_(std::move(loaded.config)),
          book_(std::move(loaded.book)),
          plans_(std::move(loaded.plans)),
          events_(log),
          options_(std::move(options)),
          log_(log),
          loops_(loop_count(), options_.clock_rate),
          signals_(loops_.all().front().executor, SIGINT, SIGTERM) {}

    [[nodiscard]] int run() {
        last_known_ = last_known();
        gateway::GatewayOptions options = gateway_options(config_, book_, plans_, options_);
        options.on_circuits_swept = [this](std::size_t count) { events_.on_swept(count); };
        options.on_unchecked = [this](const std::string& tool, const std::string& problem) {
            say("calls of the tool \"" + tool + "\" are not checked: its schema is wrong at " +
                problem + ".");
        };
        gateway_ = std::make_shared<gateway::Gateway>(loops_.all().front(), std::move(options),
                                                      make_secret, last_known_);
        desk_ = std::make_shared<const gateway::RequestDesk>(gateway_);
        gateway_->adopt(servers());
        if (!listen() || !serve_stdio()) {
            return kExitFailure;
        }
        signals_.async_wait([this](const boost::system::error_code& error, int /*signal*/) {
            if (!error) {
                stop();
            }
        });
        loops_.run();
        servers_.clear();
        return kExitSuccess;
    }

private:
    // In one piece, so that a reader of the log never sees half a line.
    void say(const std::string& sentence) const {
        log_ << "holdfast: " + sentence + "\n" << std::flush;
    }

    [[nodiscard]] std::size_t loop_count() const {
        return options_.loops != 0 ? options_.loops
                                   : std::max(1U, std::thread::hardware_concurrency());
    }

    [[nodiscard]] std::shared_ptr<gateway::LastKnown> last_known() const {
        std::vector<ServerIdentity> identities;
        identities.reserve(config_.servers.size());
        for (const config::ServerConfig& server : config_.servers) {
            identities.push_back(
                {.name = server.name, .identity = identity_of(server, config_.file_name)});
        }
        return std::make_shared<LastKnownFiles>(
            LastKnownFilesOptions{.folder =
                                      user_folders(environment_variable).cache + "/catalogue"},
            identities, [&log = log_](const std::string& sentence) {
                log << "holdfast: " + sentence + "\n" << std::flush;  // in one piece
            });
    }

    [[nodiscard]] downstream::DownstreamOptions options_of(const config::ServerConfig& server) {
        downstream::DownstreamOptions options = downstream_options_of(
            server, plans_.servers.at(server.name), book_.reconnect(server.name));
        if (const auto known = last_known_->known_era(server.name)) {
            options.known_era = known->era;
            options.known_era_age = known->age;
        }
        return options;
    }

    std::vector<gateway::Server> servers() {
        std::vector<gateway::Server> servers;
        GuardMaker guards{book_, config_.section("circuits") != nullptr, &events_};
        for (const config::ServerConfig& server : config_.servers) {
            if (server.is_disabled) {
                continue;
            }
            const net::OwningLoop& home = loops_.all()[servers.size() % loops_.all().size()];
            const auto dial_in = dial_in_of(server, home);
            if (dial_in && is_taken(dial_in->path())) {
                say("server \"" + server.name + "\" is left out: another server has its path " +
                    dial_in->path() + ".");
                continue;
            }
            auto opener = opener_of(server, plans_.servers.at(server.name),
                                    {config_.limits, guardian_, dial_in});
            if (!opener) {
                say("server \"" + server.name + "\" is left out: " + opener.error().message + ".");
                continue;
            }
            servers.push_back({.name = server.name,
                               .downstream = downstream::Downstream::make(
                                   home, std::move(*opener), options_of(server), gateway_),
                               .home = home,
                               .guard = guards.guard_of(server.name),
                               .trusts_annotations = server.trusts_annotations});
            if (dial_in) {
                dial_in->set_listener([weak = std::weak_ptr{servers.back().downstream}] {
                    if (const auto downstream = weak.lock()) {
                        downstream->on_available();
                    }
                });
                bridges_.push_back(bridge_of(server, config_.limits, dial_in));
            }
        }
        return servers;
    }

    [[nodiscard]] bool is_taken(const std::string& path) const {
        return std::ranges::any_of(bridges_,
                                   [&path](const auto& bridge) { return bridge->path() == path; });
    }

    bool listen() {
        std::vector<std::string> addresses = options_.http_addresses;
        if (addresses.empty() && !options_.on_stdio) {
            addresses.emplace_back(kDefaultAddress);
        }
        if (addresses.empty() && !bridges_.empty()) {
            say("nothing can dial in at " + bridges_.front()->path() + ": start with --http too.");
        }
        return std::ranges::all_of(addresses,
                                   [this](const std::string& text) { return listen_at(text); });
    }

    bool listen_at(const std::string& text) {
        const auto address = parsed_address(text);
        if (!address) {
            say("--http \"" + text + "\" is no address; write it like 127.0.0.1:7332.");
            return false;
        }
        if (!address->is_loopback() && config_.agents.tokens.empty()) {
            say("listening on " + text +
                " needs tokens for the agents: set agents.tokens in the config, or listen on "
                "127.0.0.1.");
            return false;
        }
        gateway::AgentGateOptions gate{.is_loopback = address->is_loopback(),
                                       .hosts = config_.agents.hosts,
                                       .origins = config_.agents.origins};
        for (const config::NamedText& token : config_.agents.tokens) {
            gate.tokens.push_back({.principal = token.name, .token = token.value});
        }
        const net::HttpServerOptions server_options{
            .address = address->host,
            .port = address->port,
            .max_header_bytes = config_.limits.header_block_bytes,
            .max_body_bytes = config_.limits.agent_message_bytes,
            .max_message_bytes = config_.limits.agent_message_bytes,
            .max_connections = config_.limits.connections};
        auto server =
            net::HttpServer::listen(loops_.all(), server_options,
                                    std::make_shared<gateway::HttpFront>(
                                        desk_, gateway::AgentGate{std::move(gate)}, bridges_));
        if (!server) {
            say(server.error().message + ".");
            return false;
        }
        const Address bound{.host = address->host, .port = (*server)->port()};
        say("listening on http://" + bound.text() + "/mcp");
        servers_.push_back(std::move(*server));
        return true;
    }

    bool serve_stdio() {
        if (!options_.on_stdio) {
            return true;
        }
        const net::OwningLoop& loop = loops_.all().front();
        auto channel = net::make_stdio_channel(
            loop, {.max_message_bytes = config_.limits.agent_message_bytes});
        if (!channel) {
            say("the standard streams cannot be used: " + channel.error().message + ".");
            return false;
        }
        asio::co_spawn(loop.executor,
                       gateway::serve_channel(loop, std::move(*channel), desk_,
                                              {.last_answers_wait = kLastAnswersWait}),
                       [this](const std::exception_ptr& error) {
                           HOLDFAST_EXPECT(error == nullptr);
                           stop();
                       });
        return true;
    }

    // On the first loop.
    void stop() {
        if (is_stopping_) {
            return;
        }
        is_stopping_ = true;
        signals_.cancel();
        for (const auto& server : servers_) {
            server->drain();
        }
        asio::co_spawn(loops_.all().front().executor, gateway_->stop(),
                       [this](const std::exception_ptr& error) {
                           HOLDFAST_EXPECT(error == nullptr);
                           loops_.stop();
                       });
    }

    const net::Guardian& guardian_;
    const config::Config config_;
    const policy::PolicyBook book_;
    const ServerPlans plans_;
    EventLog events_;
    const ServeOptions options_;
    std::ostream& log_;
    net::EventLoops loops_;
    asio::signal_set signals_;
    std::shared_ptr<gateway::LastKnown> last_known_;
    std::shared_ptr<gateway::Gateway> gateway_;
    std::shared_ptr<const gateway::RequestDesk> desk_;
    gateway::HttpFront::Bridges bridges_;
    std::vector<std::unique_ptr<net::HttpServer>> servers_;
    bool is_stopping_ = false;
};

}  // namespace

int serve(const ServeOptions& options, std::ostream& log) {
    // First of all: it is forked, and must have neither threads nor secrets to inherit.
    auto guardian = net::Guardian::start();
    if (!guardian) {
        log << "holdfast: " << guardian.error().message << ".\n";
        return kExitFailure;
    }
    auto loaded = load_everything(options.config_file, log);
    if (!loaded) {
        return kExitConfig;
    }
    Serving serving{*guardian, std::move(*loaded), options, log};
    return serving.run();
}

}  // namespace holdfast::app
