#include "admin/admin_handler.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <charconv>
#include <chrono>
#include <limits>
#include <utility>

#include "admin/admin_paths.hpp"
#include "admin/event_stream.hpp"
#include "admin/explained_call.hpp"
#include "admin/gauges.hpp"
#include "admin/page.hpp"
#include "admin/record_json.hpp"
#include "admin/request_target.hpp"
#include "admin/tool_list_json.hpp"
#include "base/uri.hpp"
#include "jsonrpc/json_writer.hpp"
#include "net/expect_no_exception.hpp"

// One table defines the paths and their methods; the gate has already checked everything else.

namespace holdfast::admin {
namespace {

using net::HttpReply;
using net::HttpRequest;

constexpr int kRedirect = 307;
constexpr int kBadRequest = 400;
constexpr int kNotAllowed = 405;
constexpr int kUnavailable = 503;

constexpr std::size_t kMaxCalls = 1'000;
constexpr std::size_t kMaxEvents = 1'000;
constexpr std::size_t kMaxTools = 1'000;
constexpr std::size_t kMaxMinutes = 60;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
constexpr std::string_view kPagePolicy =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "form-action 'none'\r\n";

boost::asio::awaitable<void> reply_found(std::shared_ptr<net::HttpExchange> exchange,
                                         surface::Router::Answer search) {
    const resilience::Timekeeper& timekeeper = *exchange->loop().timekeeper;
    const auto began = timekeeper.now();
    const auto answer = co_await std::move(search);
    if (answer) {
        const std::chrono::duration<double, std::milli> took =
            resilience::elapsed_between(began, timekeeper.now());
        exchange->reply(json_reply(found_json(*answer, took.count())));
    }
}

std::uint64_t number_in(std::string_view text) {
    std::uint64_t number = 0;
    // stays zero if it is not a number
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

/// A path that ends with a slash matches all paths that begin with it.
struct AdminHandler::Route {
    std::string_view path;
    std::string_view method;
    void (AdminHandler::*answer)(const Exchange&) const;

    [[nodiscard]] bool takes(std::string_view asked) const {
        return path.size() > 1 && path.ends_with('/')
                   ? asked.starts_with(path) && asked.size() >= path.size()
                   : asked == path;
    }
};

struct AdminHandler::RouteTable {
    static constexpr std::array<Route, 19> kRoutes = {{
        {"/api/status", "GET", &AdminHandler::answer_status},
        {"/api/calls", "GET", &AdminHandler::answer_calls},
        {kCalls, "GET", &AdminHandler::answer_call},
        {"/api/events", "GET", &AdminHandler::answer_events},
        {"/api/events/stream", "GET", &AdminHandler::stream_events},
        {"/api/series", "GET", &AdminHandler::answer_series},
        {"/api/circuits/timeline", "GET", &AdminHandler::answer_timeline},
        {"/api/tools", "GET", &AdminHandler::answer_tools},
        {"/api/search", "GET", &AdminHandler::search_tools},
        {"/metrics", "GET", &AdminHandler::answer_metrics},
        {"/healthz", "GET", &AdminHandler::answer_health},
        {"/readyz", "GET", &AdminHandler::answer_readiness},
        {kCircuits, "POST", &AdminHandler::command_circuit},
        {kServers, "POST", &AdminHandler::command_server},
        {"/api/drain", "POST", &AdminHandler::drain},
        {"/api/reload", "POST", &AdminHandler::reload},
        {kPage, "GET", &AdminHandler::answer_page},
        {"/ui", "GET", &AdminHandler::lead_to_page},
        {"/", "GET", &AdminHandler::lead_to_page},
    }};
};

std::optional<HttpReply> AdminHandler::refused(const HttpRequest& request) {
    const AllowedMethods allowed = allowed_methods(request);
    return gate_.current().refused(request, allowed.takes_it == nullptr && !allowed.names.empty());
}

AdminHandler::AllowedMethods AdminHandler::allowed_methods(const HttpRequest& request) {
    const std::string_view method = request.method == "HEAD" ? "GET" : request.method;
    AllowedMethods allowed;
    for (const Route& route : RouteTable::kRoutes) {
        if (!route.takes(request.path)) {
            continue;
        }
        if (route.method == method) {
            allowed.takes_it = &route;
        }
        allowed.names.append(allowed.names.empty() ? "" : ", ").append(route.method);
    }
    return allowed;
}

void AdminHandler::on_request(std::shared_ptr<net::HttpExchange> exchange) {
    const HttpRequest& request = exchange->request();
    const AllowedMethods allowed = allowed_methods(request);
    if (allowed.names.empty()) {
        exchange->reply(error_reply(kNotFound, "Not found."));
    } else if (allowed.takes_it == nullptr) {
        HttpReply reply = error_reply(kNotAllowed, "This path only accepts " + allowed.names + ".");
        reply.headers += "Allow: " + allowed.names + "\r\n";
        exchange->reply(std::move(reply));
    } else if (const auto fault = invalid_number(request)) {
        exchange->reply(error_reply(kBadRequest, *fault));
    } else {
        (this->*allowed.takes_it->answer)(exchange);
    }
}

void AdminHandler::answer_status(const Exchange& exchange) const {
    exchange->reply(json_reply(json_of(parts_.status->read(exchange->loop().timekeeper->now()))));
}

void AdminHandler::answer_calls(const Exchange& exchange) const {
    const HttpRequest& request = exchange->request();
    const telemetry::CallFilter filter{
        .only_failed = query_value(request, "failed").value_or("0") == "1",
        .server = query_value(request, "server").value_or(""),
        .tool = query_value(request, "tool").value_or("")};
    const std::size_t limit = query_number(request, "limit", 50, kMaxCalls);
    exchange->reply(json_reply(calls_json(recording().calls().latest(limit, filter))));
}

void AdminHandler::answer_call(const Exchange& exchange) const {
    const std::string id = base::percent_decoded(behind(exchange->request().path, kCalls));
    const auto call = recording().calls().find(id);
    exchange->reply(
        call ? json_reply(explained_json(*parts_.status->sources().gateway, *call))
             : error_reply(kNotFound, "The call \"" + id + "\" is unknown or has been dropped."));
}

void AdminHandler::answer_events(const Exchange& exchange) const {
    const HttpRequest& request = exchange->request();
    const std::size_t after = query_number(request, "after", 0, kNoLimit);
    const std::size_t limit = query_number(request, "limit", 200, kMaxEvents);
    telemetry::EventFeed& feed = recording().events();
    exchange->reply(json_reply(events_json(feed.after(after, limit), feed.last())));
}

void AdminHandler::stream_events(const Exchange& exchange) const {
    const HttpRequest& request = exchange->request();
    if (request.method == "HEAD") {
        exchange->reply({.headers = common_headers(), .content_type = "text/event-stream"});
        return;
    }
    const auto last_seen = request.headers.find("Last-Event-ID");
    const std::uint64_t after =
        last_seen ? number_in(*last_seen) : query_number(request, "after", 0, kNoLimit);
    if (!EventStream::start(exchange, parts_.status->sources().recording, after,
                            common_headers())) {
        exchange->reply(error_reply(kUnavailable, "Too many streams are open; try again later."));
    }
}

void AdminHandler::answer_series(const Exchange& exchange) const {
    const std::size_t minutes = query_number(exchange->request(), "minutes", 60, kMaxMinutes);
    exchange->reply(
        json_reply(json_of(recording().series().view(parts_.status->sources().now_ms(), minutes))));
}

void AdminHandler::answer_timeline(const Exchange& exchange) const {
    const std::chrono::minutes span{query_number(exchange->request(), "minutes", 60, kMaxMinutes)};
    const std::int64_t to = parts_.status->sources().now_ms();
    const std::int64_t from = to - std::chrono::milliseconds{span}.count();
    exchange->reply(json_reply(timeline_json(recording().circuits().since(from), from, to)));
}

void AdminHandler::answer_tools(const Exchange& exchange) const {
    const HttpRequest& request = exchange->request();
    const auto surface = parts_.status->sources().gateway->surface();
    exchange->reply(
        json_reply(tools_json(*surface, {.words = query_value(request, "q").value_or(""),
                                         .limit = query_number(request, "limit", 50, kMaxTools),
                                         .offset = query_number(request, "offset", 0, kNoLimit)})));
}

void AdminHandler::search_tools(const Exchange& exchange) const {
    const HttpRequest& request = exchange->request();
    dispatch::Gateway& gateway = *parts_.status->sources().gateway;
    const net::OwningLoop loop = exchange->loop();
    auto search = gateway.router().look({.text = query_value(request, "q").value_or(""),
                                         .limit = query_number(request, "limit", 10, kMaxTools),
                                         .surface = gateway.surface(),
                                         .now = loop.timekeeper->now()},
                                        loop);
    boost::asio::co_spawn(loop.executor, reply_found(exchange, std::move(search)),
                          net::expect_no_exception);
}

void AdminHandler::answer_metrics(const Exchange& exchange) const {
    const Status status = parts_.status->read(exchange->loop().timekeeper->now());
    exchange->reply({.headers = common_headers(),
                     .content_type = kMetricsType,
                     .body = recording().metrics().text(gauges_of(status))});
}

void AdminHandler::answer_health(const Exchange& exchange) const {
    exchange->reply(json_reply(R"({"status":"alive"})"));
}

void AdminHandler::answer_readiness(const Exchange& exchange) const {
    const std::vector<std::string> missing = parts_.status->missing();
    jsonrpc::JsonWriter out;
    out.begin_object().key("ready").boolean(missing.empty()).key("missing").begin_array();
    for (const std::string& what : missing) {
        out.text(what);
    }
    out.end_array().end_object();
    exchange->reply(json_reply(out.take(), missing.empty() ? 200 : kUnavailable));
}

void AdminHandler::answer_page(const Exchange& exchange) const {
    const std::string_view asked = behind(exchange->request().path, kPage);
    const std::string_view name = asked.empty() ? "index.html" : asked;
    const auto files = page_files();
    const auto file = std::ranges::find(files, name, &PageFile::name);
    if (file == files.end()) {
        exchange->reply(error_reply(kNotFound, "The page has no such file."));
        return;
    }
    exchange->reply({.headers = common_headers() + std::string{kPagePolicy},
                     .content_type = file->content_type,
                     .body = std::string{file->bytes}});
}

// Relative, so that it works behind a proxy that adds a path prefix.
void AdminHandler::lead_to_page(const Exchange& exchange) const {
    exchange->reply({.status = kRedirect,
                     .headers = common_headers() + "Location: ui/\r\n",
                     .body = R"({"message":"The page is at /ui/."})"});
}

}  // namespace holdfast::admin
