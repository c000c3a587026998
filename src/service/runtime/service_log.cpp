#include "runtime/service_log.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"

namespace holdfast::runtime {
namespace {

/// Reasons are written as sentences in some places and as phrases in others.
std::string_view without_stop(std::string_view reason) {
    return reason.ends_with('.') ? reason.substr(0, reason.size() - 1) : reason;
}

/// The reason behind an outcome; empty without one.
std::string reason_part(std::string_view reason) {
    return reason.empty() ? std::string{} : fmt::format(", {}", without_stop(reason));
}

void append_names(std::string& text, std::string_view verb, const std::vector<std::string>& names) {
    if (!names.empty()) {
        text += fmt::format("{} \"{}\"; ", verb, fmt::join(names, "\", \""));
    }
}

}  // namespace

void ServiceLog::config_used(std::string_view file) const {
    log_.info("config_used", {{"file", file}}, "using the config {}", file);
}

void ServiceLog::chain_refused(std::string_view reason) const {
    log_.error("chain_refused", {}, "{}", reason);
}

void ServiceLog::listening(std::string_view url) const {
    log_.info("listening", {{"url", url}}, "listening on {}", url);
}

void ServiceLog::listen_failed(std::string_view address, std::string_view reason) const {
    log_.error("listen_failed", {{"address", address}}, "{}", without_stop(reason));
}

void ServiceLog::tokens_missing(std::string_view address) const {
    log_.error("tokens_missing", {{"address", address}},
               "cannot listen on {}: agents of other machines need tokens. Set agents.tokens in "
               "the config, or listen on 127.0.0.1",
               address);
}

void ServiceLog::listener_insecure(std::string_view address) const {
    log_.error("listener_insecure", {{"address", address}},
               "cannot listen on {}: tokens would cross the network in clear text. If TLS "
               "terminates in front of the gateway, set agents.insecureHttp or add "
               "--insecure-http; else listen on 127.0.0.1",
               address);
}

void ServiceLog::limit_too_low(std::string_view sentence) const {
    log_.warn("limit_too_low", {}, "{}", sentence);
}

void ServiceLog::bridge_unreachable(std::string_view path) const {
    log_.warn("bridge_unreachable", {{"path", path}},
              "no server can connect to {}: the gateway does not listen for HTTP. Add --http",
              path);
}

void ServiceLog::stdio_failed(std::string_view reason) const {
    log_.error("stdio_failed", {}, "cannot use standard input and output: {}",
               without_stop(reason));
}

void ServiceLog::agent_given_up(std::string_view agent, std::string_view reason) const {
    log_.warn("agent_disconnected", {{"agent", agent}, {"reason", reason}},
              "agent \"{}\" disconnected: {}; its calls were cancelled", agent,
              without_stop(reason));
}

void ServiceLog::status_page(std::string_view url) const {
    log_.info("status_page", {{"url", url}}, "status page at {}", url);
}

void ServiceLog::status_page_moved(std::string_view default_address) const {
    log_.warn("status_page_moved", {{"address", default_address}},
              "{} is in use; the status page gets another port", default_address);
}

void ServiceLog::status_page_failed(std::string_view reason) const {
    log_.error("status_page_failed", {}, "cannot serve the status page (admin.http): {}",
               without_stop(reason));
}

void ServiceLog::status_page_not_started(std::string_view reason) const {
    log_.warn("status_page_not_started", {}, "page not started: {}; continuing without it",
              without_stop(reason));
}

void ServiceLog::status_unavailable(std::string_view reason) const {
    log_.warn("status_unavailable", {}, "\"holdfast status\" cannot find this gateway: {}",
              without_stop(reason));
}

void ServiceLog::config_message(const ConfigMessage& message) const {
    switch (message.level) {
        case logging::LogLevel::error:
            log_.error("config_invalid", {}, "{}", message.text);
            break;
        case logging::LogLevel::warn:
            log_.warn("config_warning", {}, "{}", message.text);
            break;
        case logging::LogLevel::info:
            log_.info("config_note", {}, "{}", message.text);
            break;
        case logging::LogLevel::debug:
            log_.debug("config_read", {}, "{}", message.text);
            break;
    }
}

void ServiceLog::config_reloaded(const ServerChanges& changes) const {
    std::string text;
    append_names(text, "added", changes.added);
    append_names(text, "changed", changes.changed);
    append_names(text, "removed", changes.removed);
    log_.info("config_reloaded",
              {{"added", changes.added.size()},
               {"changed", changes.changed.size()},
               {"removed", changes.removed.size()},
               {"unchanged", changes.unchanged_count}},
              "config reloaded: {}{} unchanged", text,
              base::counted(changes.unchanged_count, "server"));
}

void ServiceLog::config_rejected() const {
    log_.warn("config_rejected", {}, "config rejected, keeping the previous one");
}

void ServiceLog::reload_skipped() const {
    log_.warn("reload_skipped", {},
              "reload skipped: the previous reload is still waiting for the disk");
}

void ServiceLog::restart_needed(std::string_view section) const {
    log_.warn("restart_needed", {{"section", section}},
              "\"{}\" changed in the config; restart to apply", section);
}

void ServiceLog::server_skipped(std::string_view server, std::string_view reason) const {
    log_.warn("server_skipped", {{"server", server}, {"reason", reason}},
              "server \"{}\" skipped: {}", server, without_stop(reason));
}

void ServiceLog::server_entry_kept(std::string_view server, std::string_view reason) const {
    log_.warn("server_entry_kept", {{"server", server}, {"reason", reason}},
              "server \"{}\" keeps its previous entry: {}", server, without_stop(reason));
}

void ServiceLog::server_warning(std::string_view server, std::string_view message) const {
    log_.warn("server_warning", {{"server", server}}, "server \"{}\": {}", server,
              without_stop(message));
}

void ServiceLog::arguments_not_validated(std::string_view tool, std::string_view problem) const {
    log_.warn("arguments_not_validated", {{"tool", tool}, {"problem", problem}},
              "tool \"{}\": arguments are not validated, invalid schema at {}", tool,
              without_stop(problem));
}

void ServiceLog::telemetry_stored() const {
    log_.info("telemetry_stored", {}, "telemetry is stored again");
}

void ServiceLog::telemetry_not_stored(std::string_view reason) const {
    log_.warn("telemetry_not_stored", {{"reason", reason}},
              "telemetry is not stored, only counted: {}", without_stop(reason));
}

void ServiceLog::listing_not_cached(std::string_view reason) const {
    log_.warn("listing_not_cached", {{"reason", reason}},
              "cannot cache every list of the servers for the next start: {}",
              without_stop(reason));
}

void ServiceLog::search_problem(const tool_search::SearchProblem& problem) const {
    using Kind = tool_search::SearchProblem::Kind;
    switch (problem.kind) {
        case Kind::no_embedder:
            log_.warn("semantic_search_off", {{"reason", problem.detail}},
                      "semantic search is off, tools are found by keywords: {}", problem.detail);
            break;
        case Kind::text_refused:
            log_.warn("embedding_refused", {{"tool", problem.detail}},
                      "the embedder rejected the text of \"{}\" and possibly of other tools; they "
                      "are found by keywords",
                      problem.detail);
            break;
        case Kind::cache_failed:
            log_.warn("embeddings_not_cached", {{"reason", problem.detail}},
                      "embeddings are not cached: {}", problem.detail);
            break;
    }
}

void ServiceLog::guardian_failed(std::string_view reason) const {
    log_.error("guardian_failed", {}, "cannot start the guardian of child processes: {}",
               without_stop(reason));
}

void ServiceLog::guardian_replaced() const {
    log_.warn("guardian_replaced", {},
              "the guardian of child processes has died, and with it the servers that it started; "
              "another guardian is running and they start again");
}

void ServiceLog::demo_message(std::string_view message) const {
    log_.info("demo", {}, "demo: {}", without_stop(message));
}

void ServiceLog::config_changed(std::string_view file) const {
    log_.debug("config_changed", {{"file", file}}, "config file changed: {}", file);
}

void ServiceLog::connecting(std::string_view server, std::uint32_t attempt) const {
    log_.debug("connecting", {{"server", server}, {"attempt", attempt}},
               "server \"{}\": connecting (attempt {})", server, attempt);
}

void ServiceLog::handshake_done(const HandshakeLine& line) const {
    log_.debug("handshake_done",
               {{"server", line.server},
                {"era", line.era},
                {"revision", line.revision},
                {"ms", line.took_ms}},
               "server \"{}\": handshake done after {} ms ({} era, revision {})", line.server,
               line.took_ms, line.era, line.revision);
}

void ServiceLog::connect_failed(const DisconnectLine& line) const {
    log_.debug("connect_failed",
               {{"server", line.server}, {"reason", line.reason}, {"retry_ms", line.retry_ms}},
               "server \"{}\": not connected, next attempt in {} ms: {}", line.server,
               line.retry_ms, without_stop(line.reason));
}

void ServiceLog::list_read(std::string_view server, std::string_view list,
                           std::size_t entries) const {
    log_.debug("list_read", {{"server", server}, {"list", list}, {"entries", entries}},
               "server \"{}\": list of {} read ({})", server, list,
               entries == 1 ? "1 entry" : fmt::format("{} entries", entries));
}

void ServiceLog::attempt_ended(const CallLine& line) const {
    log_.debug("attempt_ended",
               {{"call", line.call},
                {"server", line.server},
                {"attempt", line.attempt},
                {"outcome", line.outcome},
                {"reason", line.reason},
                {"ms", line.took_ms}},
               "call {}: attempt {} at \"{}\" ended after {} ms: {}{}", line.call, line.attempt,
               line.server, line.took_ms, line.outcome, reason_part(line.reason));
}

void ServiceLog::call_ended(const CallLine& line) const {
    log_.debug("call_ended",
               {{"call", line.call},
                {"tool", line.tool},
                {"server", line.server},
                {"outcome", line.outcome},
                {"reason", line.reason},
                {"ms", line.took_ms},
                {"attempts", line.attempt}},
               "call {}: \"{}\"{} ended after {} ms ({}): {}{}", line.call, line.tool,
               line.server.empty() ? std::string{} : fmt::format(" at \"{}\"", line.server),
               line.took_ms, base::counted(line.attempt, "attempt"), line.outcome,
               reason_part(line.reason));
}

}  // namespace holdfast::runtime
