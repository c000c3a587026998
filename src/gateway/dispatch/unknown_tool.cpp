#include "dispatch/unknown_tool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/listed_names.hpp"
#include "base/nearest_name.hpp"
#include "base/secret.hpp"
#include "base/text_cut.hpp"
#include "calls/answer_text.hpp"
#include "calls/call_plan.hpp"
#include "calls/call_trace.hpp"
#include "calls/failure.hpp"
#include "dispatch/request_params.hpp"
#include "downstream/starting_fault.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::dispatch {
namespace {

/// An unknown name may have any length.
constexpr std::size_t kMaxShownName = 200;
constexpr std::size_t kMaxStartingNames = 10;

bool is_tool_of(std::string_view name, std::string_view server) {
    const bool is_longer = name.size() > server.size() && name.starts_with(server);
    const std::string_view rest = name.substr(is_longer ? server.size() : 0);
    return is_longer && (rest.starts_with("__") || rest.starts_with('.'));
}

/// Whether `typed` may mean the exposed name, with or without the prefix of its server.
bool may_mean(std::string_view typed, std::string_view exposed) {
    const std::size_t separator = exposed.find("__");
    return base::is_likely_name(typed, exposed) ||
           (separator != std::string_view::npos &&
            base::is_likely_name(typed, exposed.substr(separator + 2)));
}

bool exposes_bare_names(const surface::Server& server, catalogue::Prefixing prefixing,
                        std::size_t server_count) {
    return !server.has_prefix.value_or(catalogue::needs_prefix(prefixing, server_count));
}

/// Describes a server that may have the tool, and whose list is unknown.
std::string text_about(const std::string& server, const downstream::DownstreamStatus& status) {
    switch (status.state) {
        case downstream::LinkState::paused:
            return fmt::format(
                "The server \"{}\" was paused by an operator, so its tools are not known.", server);
        case downstream::LinkState::waiting:
            return fmt::format(
                "The server \"{}\" is not connected, so its tools are not known yet: {}", server,
                status.reason);
        case downstream::LinkState::ready:
            return fmt::format(
                "The server \"{}\" is connected, but its tools are not known yet. {}", server,
                downstream::list_problems_text(status));
        case downstream::LinkState::stopped:
            return fmt::format("The server \"{}\" is being shut down.", server);
        case downstream::LinkState::idle:
        case downstream::LinkState::connecting:
            break;
    }
    return fmt::format("The server \"{}\" is still connecting, so its tools are not known yet.",
                       server);
}

/// Returns a failure if the name refers to a server whose tools are unknown.
std::optional<calls::Failure> failure_of_silent_server(std::string_view name,
                                                       const NamedTarget& target,
                                                       const surface::Surface& surface,
                                                       resilience::TimePoint now) {
    const std::string& server = target.server->name;
    if (std::ranges::any_of(surface.tools(), [&server](const surface::Callable& tool) {
            return tool.server->name == server;
        })) {
        return std::nullopt;
    }
    const auto status = target.server->downstream->status();
    const bool is_listed = status.state == downstream::LinkState::ready &&
                           status.unread_lists == 0 && status.list_problems.empty();
    if (is_listed) {
        return std::nullopt;
    }
    calls::Failure failure{.code = status.state == downstream::LinkState::stopped
                                       ? calls::FailureCode::shutting_down
                                       : calls::FailureCode::connection_lost,
                           .tool = std::string{base::beginning_of(name, kMaxShownName)},
                           .server = server,
                           .message = text_about(server, status),
                           .is_retryable = status.state != downstream::LinkState::paused};
    if (status.starting_since) {
        const auto fault = downstream::starting_fault(
            server, resilience::elapsed_between(*status.starting_since, now));
        failure.code = calls::FailureCode::starting;
        failure.message = fault.message;
        failure.retry_after = fault.retry_after;
    }
    return failure;
}

void record(const agents::IncomingRequest& request, const Gateway& gateway,
            const surface::Server* server, const calls::Failure& failure,
            std::string_view call_id) {
    calls::record_refusal(*gateway.calls(), {.agent = request.agent, .session = request.session},
                          {.server = server, .request = {.method = "tools/call"}}, failure,
                          call_id);
}

}  // namespace

std::optional<NamedTarget> target_of(std::string_view name,
                                     const std::vector<surface::Server>& servers,
                                     catalogue::Prefixing prefixing) {
    const surface::Server* named = nullptr;
    const surface::Server* bare = nullptr;
    std::size_t bare_count = 0;
    for (const surface::Server& server : servers) {
        const bool is_longer = named == nullptr || server.name.size() > named->name.size();
        if (is_longer && is_tool_of(name, server.name)) {
            named = &server;
        }
        if (exposes_bare_names(server, prefixing, servers.size())) {
            bare = &server;
            ++bare_count;
        }
    }
    if (named != nullptr) {
        const std::size_t separator = name[named->name.size()] == '.' ? 1 : 2;
        return NamedTarget{.server = named,
                           .own_name = name.substr(named->name.size() + separator)};
    }
    return bare_count == 1 ? std::optional{NamedTarget{.server = bare, .own_name = name}}
                           : std::nullopt;
}

bool may_be_hidden(std::string_view name, const NamedTarget& target,
                   const surface::Surface& surface, const surface::SurfaceOptions& options,
                   resilience::TimePoint now) {
    const surface::Server& server = *target.server;
    const auto status = server.downstream->status();
    const bool is_listed = status.state == downstream::LinkState::ready && status.unread_lists == 0;
    if (!is_listed || server.transport == "rest" || !options.suggests_only_likely ||
        target.own_name.empty() || target.own_name.size() > kMaxShownName ||
        server.guard->rules_for_tool(target.own_name, now)->policy().detail ==
            policy::Detail::self_correct) {
        return false;
    }
    const auto nearest = surface.nearest_tools(name, names_to_compare(options));
    return std::ranges::none_of(nearest,
                                [name](std::string_view other) { return may_mean(name, other); });
}

std::size_t names_to_compare(const surface::SurfaceOptions& options) {
    // Some of them may differ too much.
    constexpr std::size_t kMany = 20;
    return options.suggests_only_likely ? std::max(options.suggested_names, kMany)
                                        : options.suggested_names;
}

std::string unknown_name_words(std::string_view kind, std::string_view name,
                               std::vector<std::string_view> nearest,
                               const surface::SurfaceOptions& options) {
    const std::string_view shown = base::beginning_of(name, kMaxShownName);
    if (options.suggests_only_likely) {
        std::erase_if(nearest, [name](std::string_view other) { return !may_mean(name, other); });
        nearest.resize(std::min(nearest.size(), options.suggested_names));
        return nearest.empty() ? fmt::format("There is no {} \"{}\".", kind, shown)
                               : fmt::format("There is no {} \"{}\". Did you mean {}?", kind, shown,
                                             fmt::join(nearest, ", "));
    }
    return nearest.empty()
               ? fmt::format("There is no {} \"{}\".", kind, shown)
               : fmt::format("There is no {0} \"{1}\". Available {0}s, nearest names first: {2}.",
                             kind, shown, fmt::join(nearest, ", "));
}

std::string unknown_server_words(std::string_view name,
                                 const std::vector<surface::Server>& servers) {
    std::vector<std::string_view> names;
    names.reserve(servers.size());
    for (const surface::Server& server : servers) {
        names.emplace_back(server.name);
    }
    const std::string_view shown = base::beginning_of(name, kMaxShownName);
    if (const auto likely = base::likely_name(name, names)) {
        return fmt::format("There is no server \"{}\". Did you mean \"{}\"?", shown, *likely);
    }
    return fmt::format("There is no server \"{}\". Servers: {}.", shown,
                       base::listed_names(names, kMaxStartingNames));
}

void refuse_unknown_tool(const agents::IncomingRequest& request, std::string_view name,
                         const surface::Surface& surface, const Gateway& gateway) {
    const std::string call_id{std::string_view{gateway.calls()->call_ids->next()}};
    const std::string id_member = R"("callId":")" + call_id + "\"";
    const auto servers = gateway.servers();
    const auto target = target_of(name, *servers, gateway.options().catalogue.catalogue.prefixing);
    if (auto silent = target ? failure_of_silent_server(name, *target, surface,
                                                        request.loop.timekeeper->now())
                             : std::nullopt) {
        silent->message = base::without_secrets(silent->message, *gateway.calls()->secrets->all());
        silent->more_members = id_member;
        record(request, gateway, target->server, *silent, call_id);
        const calls::AnsweredRequest answered{.id = request.message.id,
                                              .method = request.message.method,
                                              .era = request.agent->era()};
        request.port->finish(calls::builtin_result_text(answered, calls::tool_result_of(*silent)));
        return;
    }
    std::string words = unknown_name_words(
        "tool", name, surface.nearest_tools(name, names_to_compare(gateway.options().surface)),
        gateway.options().surface);
    if (gateway.options().surface.suggests_only_likely &&
        surface.mode() != surface::SurfaceMode::all) {
        words += " Find tools with find_tools.";
    }
    if (const auto starting = gateway.startup_barrier().starting(); !starting.empty()) {
        words +=
            fmt::format(" Still starting: {}.", base::listed_names(starting, kMaxStartingNames));
    }
    const calls::Failure failure{.code = calls::FailureCode::tool_not_found,
                                 .tool = std::string{base::beginning_of(name, kMaxShownName)},
                                 .message = words,
                                 .more_members = id_member};
    record(request, gateway, nullptr, failure, call_id);
    const std::string data = calls::json_of(failure);
    refuse(request, {.code = mcp::kInvalidParams, .message = words, .data = data});
}

}  // namespace holdfast::dispatch
