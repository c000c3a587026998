#include "admin/status_reader.hpp"

#include <gtest/gtest.h>

#include "admin_world.hpp"
#include "guard/guarded_call.hpp"

namespace holdfast::admin::testing {
namespace {

using downstream::CallFault;
using namespace std::chrono_literals;

class StatusReaderTest : public AdminWorld {
protected:
    /// Makes a call whose only attempt ends with this result.
    void attempt(const downstream::CallResult& result) {
        const surface::Server& server = gateway().servers()->front();
        guard::GuardedCall call{server.guard,
                                server.guard->rules_for_tool("t", loop.timekeeper.now()),
                                {.name = "t"},
                                home()};
        std::ignore = call.start();
        std::ignore = call.on_attempt_end(result);
    }
    [[nodiscard]] std::vector<record::Event> events_of(record::EventWhat what) {
        std::vector<record::Event> found;
        for (const auto& item : recording_->events().after(0, 1'000)) {
            if (item->event.what == what) {
                found.push_back(item->event);
            }
        }
        return found;
    }
    void time_out() {
        attempt(
            CallFault{.kind = CallFault::Kind::timed_out, .delivery = resilience::Delivery::sent});
    }
    void succeed() {
        jsonrpc::PaddedText text{R"({"jsonrpc":"2.0","id":1,"result":{}})"};
        const std::string_view body = text.view().substr(text.view().find("{}"), 2);
        attempt(downstream::Answer{std::move(text), body, false});
    }
};

TEST_F(StatusReaderTest, ReportsAHealthyServer) {
    start();

    const auto server = server_status();
    EXPECT_EQ(server.at("status").as_string(), "connected");
    EXPECT_EQ(server.at("reason").as_string(), "");
    EXPECT_EQ(server.at("tool_count").to_number<int>(), 2);
    EXPECT_EQ(server.at("era").as_string(), "2025-11-25");
    EXPECT_EQ(server.at("circuit_breaker").at("state").as_string(), "closed");
    EXPECT_TRUE(server.at("circuit_breaker").at("can_attempt").as_bool());
    EXPECT_TRUE(server.at("next_attempt_at").is_null());
    EXPECT_EQ(status().at("server").at("version").as_string(), "1.2.3");
    EXPECT_EQ(status().at("server").at("started_at").as_string(), "2026-01-02T03:04:05.678Z");
    EXPECT_EQ(status().at("tool_zoo").at("total_tools").to_number<int>(), 2);
    EXPECT_FALSE(status().at("tool_zoo").at("indexed").as_bool()) << "there is no index";
    EXPECT_EQ(status().at("tool_zoo").at("indexed_tools").to_number<int>(), 0);
}

TEST_F(StatusReaderTest, AFailureIsAnErrorUntilTheNextSuccess) {
    start();

    time_out();
    EXPECT_EQ(server_status().at("status").as_string(), "error");
    EXPECT_EQ(server_status().at("reason").as_string(), "Its last call timed out.");
    EXPECT_EQ(server_status().at("circuit_breaker").at("failure_count").to_number<int>(), 1);

    succeed();
    EXPECT_EQ(server_status().at("status").as_string(), "connected");
    EXPECT_EQ(server_status().at("circuit_breaker").at("failure_count").to_number<int>(), 0);
}

TEST_F(StatusReaderTest, ShowsTheRemainingTimeOfAnOpenCircuit) {
    policy = R"({"retry":"none","circuit":{"failures":2,"open":"30s","openJitter":0}})";
    start();

    time_out();
    time_out();

    const auto circuit = server_status().at("circuit_breaker");
    EXPECT_EQ(circuit.at("state").as_string(), "open");
    EXPECT_FALSE(circuit.at("can_attempt").as_bool());
    const double left = circuit.at("remaining_s").to_number<double>();
    EXPECT_EQ(status().at("circuits").at(0).at("opened").to_number<int>(), 1);

    loop.run_for(10s);
    const auto later = server_status().at("circuit_breaker").at("remaining_s").to_number<double>();
    EXPECT_NEAR(left - later, 10, 0.01);
}

TEST_F(StatusReaderTest, ReadingChangesNothing) {
    policy = R"({"retry":"none","circuit":{"failures":2,"open":"30s","openJitter":0}})";
    start();
    time_out();
    time_out();
    loop.run_for(40s);  // the open time has passed: only a call may make it half-open
    const std::string before = status_text();

    for (int count = 0; count < 10'000; ++count) {
        std::ignore = reader_->read(loop.timekeeper.now());
    }

    EXPECT_EQ(status_text(), before);
    EXPECT_EQ(server_status().at("circuit_breaker").at("state").as_string(), "open");
    EXPECT_TRUE(server_status().at("circuit_breaker").at("can_attempt").as_bool());
    EXPECT_EQ(recording_->events().last(), recording_->events().after(0, 1'000).size());
}

TEST_F(StatusReaderTest, ReportsALostConnectionWithTheTimeOfTheNextAttempt) {
    const auto server = start();

    server->is_down = true;
    on_loop([&] {
        server->listener.lock()->on_lost({.message = "It is gone.", .lost_connection = 1});
    });

    const auto shown = server_status();
    EXPECT_EQ(shown.at("status").as_string(), "error");
    EXPECT_EQ(shown.at("reason").as_string(), "It is gone.");
    EXPECT_GT(shown.at("next_attempt_in_s").to_number<double>(), 0);
    EXPECT_TRUE(shown.at("next_attempt_at").is_string());
    EXPECT_TRUE(shown.at("uptime_s").is_null());
}

TEST_F(StatusReaderTest, ReportsAnUnavailableListUntilItCanBeRead) {
    const auto server = add_server("code", mcp::Era::legacy);
    const std::string good = server->lists["tools/list"];
    server->lists["tools/list"] = R"({"tools":null})";
    begin();
    make_admin();
    loop.run_for(20s);

    EXPECT_EQ(server_status().at("status").as_string(), "error");
    EXPECT_EQ(server_status().at("reason").as_string(),
              "tools/list failed: The server's answer is not a valid list.");
    const auto failures = events_of(record::EventWhat::list_failed);
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures[0].server, "code");
    EXPECT_EQ(failures[0].subject, "tools/list");
    EXPECT_NE(failures[0].reason, "");
    EXPECT_TRUE(events_of(record::EventWhat::list_read).empty());

    server->lists["tools/list"] = good;
    loop.run_for(120s);
    EXPECT_EQ(server_status().at("status").as_string(), "connected");
    EXPECT_EQ(server_status().at("reason").as_string(), "");
    EXPECT_EQ(server_status().at("tool_count").to_number<int>(), 2);
    EXPECT_EQ(events_of(record::EventWhat::list_failed).size(), 1U);
    EXPECT_EQ(events_of(record::EventWhat::list_read).size(), 1U);
}

TEST_F(StatusReaderTest, ShowsTheMemoryOfLargeBuffers) {
    start();
    net::BufferShare body{&buffers_};

    ASSERT_TRUE(body.try_resize(100'000));

    EXPECT_EQ(status().at("buffers").at("used_bytes").to_number<int>(), 100'000);
    EXPECT_EQ(status().at("buffers").at("limit_bytes").to_number<int>(), 1'000'000);
    const std::string metrics = ask("GET", "/metrics")->answer.body;
    EXPECT_NE(metrics.find("\nholdfast_buffers_bytes 100000\n"), std::string::npos);
    EXPECT_NE(metrics.find("\nholdfast_buffers_limit_bytes 1000000\n"), std::string::npos);
}

TEST_F(StatusReaderTest, IsReadyWhenSettledAndNotWhenDraining) {
    start();
    EXPECT_TRUE(reader_->missing().empty());

    gateway().refuse_new_calls();

    EXPECT_EQ(reader_->missing().size(), 1U);
    EXPECT_TRUE(status().at("server").at("draining").as_bool());
}

TEST_F(StatusReaderTest, SharedCircuitsAreListedOnce) {
    const auto config =
        config::read_config("test.json",
                            R"({"mcpServers":{"a":{"command":"x"},"b":{"command":"x"}},
            "circuits":{"c":{"failures":5}},"tools":[{"match":"*.t","circuit":"c"}]})",
                            [](std::string_view) { return std::optional<std::string>{}; });
    ASSERT_TRUE(config.config.has_value());
    const auto table = policy::read_policy_table(*config.config, {});
    ASSERT_TRUE(table.table.has_value());
    const auto house = std::make_shared<guard::Safeguards>(guard::SafeguardsOptions{}, nullptr);
    start();
    std::vector<surface::Server> servers;
    for (const std::string name : {"a", "b"}) {
        surface::Server server = gateway().servers()->front();
        server.name = name;
        server.guard = house->guard_of(name, *table.table);
        std::ignore = server.guard->rules_for_tool("t", loop.timekeeper.now());
        servers.push_back(server);
    }
    on_loop([&] { gateway().change({.servers = servers}); });

    const boost::json::value shown = status();
    std::size_t shared = 0;
    for (const boost::json::value& circuit : shown.at("circuits").as_array()) {
        if (circuit.at("name").as_string() == "c") {
            ++shared;
            EXPECT_EQ(circuit.at("servers").as_array().size(), 2U);
        }
    }
    EXPECT_EQ(shared, 1U);
}

}  // namespace
}  // namespace holdfast::admin::testing
