#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {

/// The preset `ucp` with an admin listener, whose status the test reads.
///
/// Thread-safety: none.
class UcpScene {
public:
    [[nodiscard]] Acceptance& scene() { return scene_; }

    /// Starts the gateway with the servers of the scene.
    void start(int rate, const std::string& awaited_tool) {
        scene_.scene().add_section(R"("preset":"ucp")");
        scene_.scene().add_section(R"("admin":{"http":"127.0.0.1:0"})");
        scene_.start(kAcceptanceLegs[1], rate, awaited_tool);
        admin_port_ = scene_.scene().admin_port();
        ASSERT_NE(admin_port_, 0);
    }

    /// Returns the status of one server.
    [[nodiscard]] boost::json::value server(const std::string& name) {
        scene_.listen();
        const auto body =
            http_exchange(admin_port_, {.method = "GET", .path = "/api/status"}).body();
        return boost::json::parse(body).at("downstream_servers").at(name);
    }
    [[nodiscard]] std::string status(const std::string& name) {
        return server(name).at("status").as_string().c_str();
    }
    /// Returns `closed`, `open` or `half_open`.
    [[nodiscard]] std::string circuit(const std::string& name) {
        return server(name).at("circuit_breaker").at("state").as_string().c_str();
    }
    [[nodiscard]] int failure_count(const std::string& name) {
        return server(name).at("circuit_breaker").at("failure_count").to_number<int>();
    }
    [[nodiscard]] bool can_attempt(const std::string& name) {
        return server(name).at("circuit_breaker").at("can_attempt").as_bool();
    }

private:
    Acceptance scene_;
    std::uint16_t admin_port_ = 0;
};

}  // namespace holdfast::test
