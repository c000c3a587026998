// Every line that a running gateway logs, with its level and fields, in golden files.

#include <chrono>
#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "logging/log.hpp"
#include "runtime/logs/connection_log.hpp"
#include "runtime/logs/event_log.hpp"
#include "runtime/service_log.hpp"
#include "support/golden.hpp"

namespace holdfast::runtime {
namespace {

using namespace std::chrono_literals;
using record::EventKind;
using record::EventWhat;
using resilience::CircuitState;
using resilience::RefusalReason;
using resilience::TransitionCause;

void log_service(const logging::Log& log) {
    const ServiceLog lines{log};
    lines.chain_refused("the gateway would be its own server");
    lines.config_used("/home/me/.config/holdfast/config.json");
    lines.listening("http://127.0.0.1:7332/mcp");
    lines.listen_failed("127.0.0.1:7332",
                        "cannot listen on 127.0.0.1 port 7332: Address already in use");
    lines.tokens_missing("0.0.0.0:7332");
    lines.listener_insecure("0.0.0.0:7332");
    lines.limit_too_low("limits.connections is 10000, but the limit of open files is 1024");
    lines.bridge_unreachable("/bridge/browser");
    lines.stdio_failed("Bad file descriptor");
    lines.agent_given_up("anonymous", "the agent does not read what it is sent");
    lines.status_page("http://127.0.0.1:7333/ui/");
    lines.status_page_moved("127.0.0.1:7333");
    lines.status_page_failed("cannot listen on 127.0.0.1 port 80: Permission denied");
    lines.status_page_not_started("127.0.0.1:7333 is in use by pid 4711");
    lines.status_unavailable("\"/run/user/1000/holdfast\" belongs to another user");
    lines.config_message({.text = "servers.json:3:5: unknown key \"comand\""});
    lines.config_message({.level = logging::LogLevel::error,
                          .text = "servers.json:7:2: limits.sessions: must be at least 1"});
    lines.config_message({.level = logging::LogLevel::info,
                          .text = "using variables with common names: TOKEN (A_TOKEN is not set)"});
    lines.config_reloaded({.unchanged_count = 2});
    lines.config_reloaded(
        {.added = {"a", "b"}, .changed = {"c"}, .removed = {"d"}, .unchanged_count = 1});
    lines.config_rejected();
    lines.reload_skipped();
    lines.restart_needed("telemetry");
    lines.server_skipped("search", "the variable SEARCH_TOKEN is not set.");
    lines.server_entry_kept("search", "the variable SEARCH_TOKEN is not set.");
    lines.server_warning("search", "the server lists 2 tools with the same name");
    lines.arguments_not_validated("read", "/properties/path: the type is not a string");
    lines.telemetry_stored();
    lines.telemetry_not_stored("disk full");
    lines.listing_not_cached("disk full");
    using SearchProblem = tool_search::SearchProblem;
    lines.search_problem({.kind = SearchProblem::Kind::no_embedder, .detail = "there is no model"});
    lines.search_problem({.kind = SearchProblem::Kind::text_refused, .detail = "read_file"});
    lines.search_problem({.kind = SearchProblem::Kind::cache_failed, .detail = "disk full"});
    lines.guardian_failed("Resource temporarily unavailable");
    lines.guardian_replaced();
    lines.demo_message("the config is /home/you/.cache/holdfast/demo.json");
    lines.config_message({.level = logging::LogLevel::debug,
                          .text = "config read: /home/you/servers.json (1500 bytes)"});
    lines.config_changed("/home/you/servers.json");
    lines.connecting("search", 2);
    lines.handshake_done(
        {.server = "search", .era = "legacy", .revision = "2025-11-25", .took_ms = 41});
    lines.connect_failed({.server = "search", .reason = "It exited with code 3.", .retry_ms = 500});
    lines.list_read("search", "tools", 14);
    lines.list_read("search", "prompts", 1);
    lines.attempt_ended({.call = "01J9",
                         .server = "search",
                         .outcome = "timeout",
                         .reason = "No answer within 30 s.",
                         .took_ms = 30'001,
                         .attempt = 1});
    lines.attempt_ended(
        {.call = "01J9", .server = "search", .outcome = "answered", .took_ms = 12, .attempt = 2});
    lines.call_ended({.call = "01J9",
                      .tool = "search__find",
                      .server = "search",
                      .outcome = "ok",
                      .took_ms = 31'020,
                      .attempt = 2});
    lines.call_ended({.call = "01JA",
                      .tool = "search__find",
                      .server = "search",
                      .outcome = "CIRCUIT_OPEN",
                      .reason = "The circuit \"search\" is open."});
    lines.call_ended({.call = "01JB", .tool = "find", .outcome = "NOT_FOUND"});
}

void log_circuits(const logging::Log& log) {
    EventLog events{log};
    for (const TransitionCause cause :
         {TransitionCause::consecutive_failures, TransitionCause::failure_rate,
          TransitionCause::slow_call_rate, TransitionCause::reconfigured}) {
        events.on_transition("search", {.from = CircuitState::closed,
                                        .to = CircuitState::open,
                                        .cause = cause,
                                        .consecutive_failures = 5,
                                        .open_for = 30s});
    }
    for (const TransitionCause cause :
         {TransitionCause::probe_failed, TransitionCause::probe_lease_expired}) {
        events.on_transition("search", {.from = CircuitState::half_open,
                                        .to = CircuitState::open,
                                        .cause = cause,
                                        .open_for = 500ms});
    }
    events.on_transition("search", {.from = CircuitState::open, .to = CircuitState::half_open});
    events.on_transition("search", {.from = CircuitState::half_open, .to = CircuitState::closed});
    for (auto reason = RefusalReason::circuit_open; reason <= RefusalReason::key_limit_reached;
         reason = static_cast<RefusalReason>(static_cast<int>(reason) + 1)) {
        events.on_refusal("search", {.reason = reason});
    }
    events.on_refusal("search", {.reason = RefusalReason::circuit_open, .retry_after = 4'200ms});
    events.on_retry("search", {.attempt = 2, .max_attempts = 3, .delay = 454ms});
    events.on_swept(1);
    events.on_swept(7);
}

void log_connections(const logging::Log& log) {
    ConnectionLog connections{log};
    const auto happens = [&connections](EventWhat what, std::uint32_t attempt,
                                        const std::string& reason, const std::string& list = {}) {
        connections.on_event({.kind = EventKind::connection,
                              .server = "box",
                              .subject = list,
                              .what = what,
                              .reason = reason,
                              .attempt = attempt});
    };
    happens(EventWhat::waiting, 1, "The server cannot be reached: connection refused.");
    happens(EventWhat::ready, 1, "");
    happens(EventWhat::waiting, 2, "It exited with code 3.");
    happens(EventWhat::ready, 0, "");
    happens(EventWhat::list_failed, 0, "database is down", "tools/list");
    happens(EventWhat::list_faults, 0, R"(tool "x": "title" is not a string (removed))",
            "tools/list");
    happens(EventWhat::list_read, 0, "", "tools/list");
    happens(EventWhat::junk, 1, "Starting up ...");
}

std::string logged_as(logging::LogFormat format) {
    std::ostringstream out;
    const logging::Log log{out, {.level = logging::LogLevel::debug, .format = format}, [] {
                               return std::int64_t{1'794'910'500'123};
                           }};
    log_service(log);
    log_circuits(log);
    log_connections(log);
    return out.str();
}

TEST(LogLinesTest, AreThoseOfTheGoldenFile) {
    test::expect_golden("log_lines", logged_as(logging::LogFormat::text));
}

TEST(LogLinesTest, HaveTheirFieldsInJson) {
    test::expect_golden("log_lines_json", logged_as(logging::LogFormat::json));
}

}  // namespace
}  // namespace holdfast::runtime
