#include "admin/admin_handler.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "admin/page.hpp"
#include "admin_world.hpp"
#include "support/golden.hpp"

namespace holdfast::admin::testing {
namespace {

class AdminHandlerTest : public AdminWorld {};

bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

TEST_F(AdminHandlerTest, AnswersEveryReadablePath) {
    start();

    for (const std::string path :
         {"/api/status", "/api/calls", "/api/calls?limit=2&failed=1", "/api/events",
          "/api/series?minutes=5", "/api/circuits/timeline", "/api/tools?q=do", "/api/search?q=do",
          "/metrics", "/healthz", "/readyz", "/ui/"}) {
        const auto answered = ask("GET", path);
        EXPECT_EQ(answered->answer.status, 200) << path;
        EXPECT_EQ(answered->answers, 1) << path;
        EXPECT_TRUE(has(answered->answer.headers, "Cache-Control: no-store")) << path;
    }
}

TEST_F(AdminHandlerTest, RejectsUnknownPathsAndMethods) {
    start();

    EXPECT_EQ(ask("GET", "/api/nothing")->answer.status, 404);
    EXPECT_EQ(ask("GET", "/api/calls/none")->answer.status, 404);
    EXPECT_EQ(ask("GET", "/ui/none.js")->answer.status, 404);
    const auto drained = ask("GET", "/api/drain");
    EXPECT_EQ(drained->answer.status, 405);
    EXPECT_TRUE(has(drained->answer.headers, "Allow: POST\r\n"));
    EXPECT_EQ(post("/api/status")->answer.status, 405);
    EXPECT_EQ(ask("GET", "/api/circuits/code/reset")->answer.status, 405);
    EXPECT_EQ(post("/api/circuits/code/explode")->answer.status, 404);
    EXPECT_FALSE(gateway().is_draining());
}

TEST_F(AdminHandlerTest, AMethodThatAPathDoesNotTakeNeedsNoControlHeader) {
    start();

    for (const std::string method : {"DELETE", "PUT", "POST", "PATCH"}) {
        const auto answered = ask(method, "/api/status");
        EXPECT_EQ(answered->answer.status, 405) << method;
        EXPECT_TRUE(has(answered->answer.headers, "Allow: GET\r\n")) << answered->answer.headers;
    }
    EXPECT_EQ(ask("POST", "/api/drain")->answer.status, 403);
    EXPECT_EQ(ask("DELETE", "/api/nothing")->answer.status, 403);
}

TEST_F(AdminHandlerTest, RejectsNumbersThatAreNone) {
    start();

    for (const std::string target :
         {"/api/calls?limit=abc", "/api/calls?limit=", "/api/calls?limit=-1",
          "/api/tools?offset=1x", "/api/events?after=x", "/api/series?minutes=0.5",
          "/api/circuits/timeline?minutes=x"}) {
        EXPECT_EQ(ask("GET", target)->answer.status, 400) << target;
    }
    EXPECT_EQ(ask("GET", "/api/calls?limit=abc")->answer.body,
              R"({"error":"limit must be a whole number, not \"abc\"."})");
    EXPECT_EQ(ask("GET", "/api/calls?limit=999999")->answer.status, 200);
}

TEST_F(AdminHandlerTest, AGetChangesNothing) {
    start();
    const std::string before = status_text();

    for (const std::string path : {"/api/circuits/code/force-open", "/api/servers/code/pause",
                                   "/api/drain", "/api/reload"}) {
        ask("GET", path);
        ask("GET", path, {{"Holdfast-Control", "1"}});
        ask("POST", path);
    }

    EXPECT_EQ(status_text(), before);
    EXPECT_EQ(reloads_, 0);
}

TEST_F(AdminHandlerTest, NamesTheStepsOfASearchAsFindToolsDoes) {
    options.surface.ladder.fallback_tools = {"safe"};
    options.surface.ladder.min_tools = 2;
    start();

    const std::string found = ask("GET", "/api/search?q=do")->answer.body;

    EXPECT_TRUE(found.starts_with(R"({"step":"fallback_tools","why":["hybrid: )")) << found;
    EXPECT_TRUE(has(found, R"("step":"all_tools")")) << found;
}

TEST_F(AdminHandlerTest, ChangesCircuits) {
    start();
    const auto mode = [this] { return status().at("circuits").at(0).at("mode").as_string(); };

    EXPECT_EQ(post("/api/circuits/code/force-open")->answer.status, 200);
    EXPECT_EQ(mode(), "forced_open");
    EXPECT_FALSE(server_status().at("circuit_breaker").at("can_attempt").as_bool());
    EXPECT_EQ(post("/api/circuits/code/disable")->answer.status, 200);
    EXPECT_EQ(mode(), "disabled");
    EXPECT_EQ(post("/api/circuits/code/metrics-only")->answer.status, 200);
    EXPECT_EQ(mode(), "metrics_only");
    EXPECT_EQ(post("/api/circuits/code/reset")->answer.status, 200);
    EXPECT_EQ(mode(), "normal");

    const auto unknown = post("/api/circuits/cod/reset");
    EXPECT_EQ(unknown->answer.status, 404);
    EXPECT_TRUE(has(unknown->answer.body, "code")) << unknown->answer.body;
}

TEST_F(AdminHandlerTest, PausesAndResumesAndRestartsAServer) {
    const auto server = start();
    const auto session = connect();

    EXPECT_EQ(post("/api/servers/code/pause")->answer.status, 200);
    EXPECT_EQ(server_status().at("status").as_string(), "disconnected");
    EXPECT_TRUE(server_status().at("paused").as_bool());
    EXPECT_EQ(post("/api/servers/code/pause")->answer.status, 409);
    const auto refused = request(session, "tools/call", R"({"name":"t","arguments":{}})");
    EXPECT_TRUE(has(refused->answer(), R"(\"code\":\"CONNECTION_LOST\")")) << refused->answer();
    EXPECT_TRUE(has(refused->answer(), "paused by an operator")) << refused->answer();

    EXPECT_EQ(post("/api/servers/code/resume")->answer.status, 200);
    EXPECT_EQ(server_status().at("status").as_string(), "connected");

    EXPECT_EQ(post("/api/servers/code/restart")->answer.status, 200);
    EXPECT_EQ(server_status().at("restarts").to_number<int>(), 2);
    EXPECT_EQ(post("/api/servers/nobody/restart")->answer.status, 404);
}

TEST_F(AdminHandlerTest, DrainsAndReloads) {
    const auto server = start();
    const auto session = connect();

    EXPECT_EQ(post("/api/reload")->answer.status, 200);
    EXPECT_EQ(reloads_, 1);
    EXPECT_EQ(post("/api/drain")->answer.status, 200);

    const auto refused = request(session, "tools/call", R"({"name":"t","arguments":{}})");
    EXPECT_TRUE(has(refused->answer(), R"(\"code\":\"SHUTTING_DOWN\")")) << refused->answer();
    EXPECT_EQ(server->calls.size(), 0U);
    EXPECT_EQ(ask("GET", "/readyz")->answer.status, 503);
    EXPECT_EQ(ask("GET", "/healthz")->answer.status, 200);
}

TEST_F(AdminHandlerTest, HasTheMessagesOfTheGoldenFile) {
    start();
    std::string text;
    const auto add = [&text](const std::string& path, const auto& answered) {
        text += path + ": " + answered->answer.body + "\n";
    };

    for (const std::string path : {"/api/nothing", "/api/calls/none", "/ui/none.js", "/api/drain",
                                   "/", "/api/circuits/code/reset"}) {
        add("GET " + path, ask("GET", path));
    }
    add("POST without the header /api/drain", ask("POST", "/api/drain"));
    for (const std::string path :
         {"/api/circuits/code/explode", "/api/circuits/cod/reset", "/api/circuits/code/reset",
          "/api/circuits/code/force-open", "/api/circuits/code/disable",
          "/api/circuits/code/metrics-only", "/api/circuits/code/normal",
          "/api/servers/code/explode", "/api/servers/nobody/pause", "/api/servers/code/resume",
          "/api/servers/code/pause", "/api/servers/code/pause", "/api/servers/code/restart",
          "/api/servers/code/resume", "/api/servers/code/restart", "/api/drain"}) {
        add("POST " + path, post(path));
    }
    add("GET /readyz", ask("GET", "/readyz"));

    test::expect_golden("admin_messages", text);
}

TEST_F(AdminHandlerTest, ExplainsTheMetricsAsTheGoldenFileSays) {
    start();
    std::istringstream metrics{ask("GET", "/metrics")->answer.body};
    std::string help;
    for (std::string line; std::getline(metrics, line);) {
        help += line.starts_with("# HELP ") ? line.substr(7) + "\n" : "";
    }

    test::expect_golden("metric_help", help);
}

TEST_F(AdminHandlerTest, ResumesTheEventStreamAfterTheLastEvent) {
    start();
    const std::uint64_t seen = recording_->events().last();
    const std::string last = std::to_string(seen);

    const auto stream = ask("GET", "/api/events/stream?after=0", {{"Last-Event-ID", last}});
    on_loop([&] { recording_->on_event({.subject = "one", .what = record::EventWhat::draining}); });
    on_loop([&] { recording_->on_event({.subject = "two", .what = record::EventWhat::draining}); });

    EXPECT_TRUE(has(stream->streamed, "id: " + std::to_string(seen + 1) + "\n"));
    EXPECT_TRUE(has(stream->streamed, R"("subject":"two")")) << stream->streamed;
    EXPECT_FALSE(has(stream->streamed, "id: " + last + "\n"));
    on_loop([&] { stream->gone(); });
    const std::string before = stream->streamed;
    on_loop([&] { recording_->on_event({.subject = "three"}); });
    EXPECT_EQ(stream->streamed, before);
}

TEST_F(AdminHandlerTest, ServesACompletePageThatMayLoadNothingElse) {
    start();

    const auto page = ask("GET", "/ui/");

    EXPECT_TRUE(has(page->answer.headers, "Content-Security-Policy: default-src 'none'"));
    EXPECT_TRUE(has(page->answer.body, "<html"));
    EXPECT_EQ(ask("GET", "/ui")->answer.status, 307);
    for (const admin::PageFile& file : admin::page_files()) {
        EXPECT_EQ(ask("GET", "/ui/" + std::string{file.name})->answer.body, file.bytes);
    }
}

}  // namespace
}  // namespace holdfast::admin::testing
