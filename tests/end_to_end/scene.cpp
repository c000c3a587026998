#include "end_to_end/scene.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "support/process_watch.hpp"
#include "support/test_agent/json_text.hpp"

namespace holdfast::test {
namespace {

constexpr const char* kLifetimeSeconds = "100";  // of a fixture server that was not stopped

std::string gateway_path() {
    const char* value = std::getenv("HOLDFAST_BINARY");
    EXPECT_NE(value, nullptr) << "HOLDFAST_BINARY must be set; CTest does so.";
    return value == nullptr ? "" : value;
}

std::string_view era_text(ServerEra era) {
    return era == ServerEra::legacy ? "legacy" : "modern";
}

std::string listening_option(ServerTransport transport) {
    switch (transport) {
        case ServerTransport::stdio:
            return "--stdio";
        case ServerTransport::http:
            return "--http";
        case ServerTransport::sse:
            return "--sse";
        case ServerTransport::websocket:
            return "--ws";
    }
    return {};
}

std::string type_text(ServerTransport transport) {
    switch (transport) {
        case ServerTransport::stdio:
            return "stdio";
        case ServerTransport::http:
            return "http";
        case ServerTransport::sse:
            return "sse";
        case ServerTransport::websocket:
            return "ws";
    }
    return {};
}

/// Returns the port in the instance file of the gateway; 0 if there is none yet.
std::uint16_t announced_admin_port(const std::string& runtime_folder) {
    std::uint16_t port = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator{runtime_folder, error}) {
        if (entry.path().extension() == ".json") {
            std::ifstream instance{entry.path()};
            const std::string text{std::istreambuf_iterator<char>{instance}, {}};
            const std::string url = plain_text(member_text(text, "admin"));
            const std::string digits = url.substr(url.rfind(':') + 1);
            std::from_chars(digits.data(), digits.data() + digits.size(), port);
        }
    }
    return port;
}

}  // namespace

Scene::Scene() {
    // Processes that outlive the gateway become children of this one, so that a test can see them.
    inherit_orphans();
}

std::string Scene::fixture_path() {
    const std::filesystem::path build = std::filesystem::path{gateway_path()}.parent_path();
    return build / "tests/support/fixture_server/holdfast_fixture_server";
}

std::string Scene::stdio_entry(const std::vector<std::string>& arguments) {
    std::string entry = R"({"command":")" + fixture_path() + R"(","args":["--lifetime-seconds",")" +
                        kLifetimeSeconds + "\"";
    for (const std::string& argument : arguments) {
        entry += ",\"" + argument + "\"";
    }
    return entry + "]}";
}

void Scene::add_server(const std::string& name, const std::string& entry) {
    servers_ += (servers_.empty() ? "" : ",\n") + ("\"" + name + "\":" + entry);
}

void Scene::add_fixture(const std::string& name, const ServerLeg& leg,
                        const std::vector<std::string>& arguments) {
    if (leg.transport == ServerTransport::stdio) {
        std::vector<std::string> all{"--stdio", "--era", std::string{era_text(leg.era)}};
        all.insert(all.end(), arguments.begin(), arguments.end());
        add_server(name, stdio_entry(all));
        return;
    }
    add_server(name, R"({"type":")" + type_text(leg.transport) + R"(","url":")" +
                         start_fixture(leg, arguments) + "\"}");
}

std::string Scene::start_fixture(const ServerLeg& leg, const std::vector<std::string>& arguments) {
    std::vector<std::string> command{fixture_path(),
                                     "--era",
                                     std::string{era_text(leg.era)},
                                     listening_option(leg.transport),
                                     "127.0.0.1:0",
                                     "--lifetime-seconds",
                                     kLifetimeSeconds};
    command.insert(command.end(), arguments.begin(), arguments.end());
    fixtures_.push_back(std::make_unique<Program>(std::move(command)));
    std::string url = fixtures_.back()->rest_of_error_line("fixture: listening on ");
    EXPECT_NE(url, "");
    return url;
}

void Scene::add_section(const std::string& section) {
    sections_ += ",\n" + section;
}

bool Scene::start(const std::vector<std::string>& arguments, std::vector<std::string> variables) {
    const std::string config = folder_ / "config.json";
    // By default, lists contain all tools of the servers and no built-in ones.
    const auto unless_given = [this](const std::string& name, const std::string& value) {
        const std::string key = "\"" + name + "\":";
        return sections_.find(key) == std::string::npos ? ",\n" + key + value : std::string{};
    };
    write_file(config, "{\"mcpServers\":{\n" + servers_ + "\n}" + sections_ +
                           unless_given("admin", "false") +
                           unless_given("surface", R"({"mode":"all"})") + "}\n");
    for (const char* name : {"CACHE_HOME", "DATA_HOME", "CONFIG_HOME", "RUNTIME_DIR"}) {
        variables.push_back("XDG_" + std::string{name} + "=" + folder_.path());
    }
    gateway_ =
        std::make_unique<GatewayProcess>(gateway_path(), config, std::move(variables), arguments);
    return gateway_->port() != 0;
}

std::uint16_t Scene::admin_port() const {
    std::uint16_t port = 0;
    EXPECT_TRUE(eventually([&] {
        port = announced_admin_port(folder_.path() + "/holdfast");
        return port != 0;
    })) << "the gateway has announced no address of its admin side";
    return port;
}

TestAgent Scene::agent(const AgentLeg& leg, const std::string& headers) {
    switch (leg.transport) {
        case AgentTransport::stdio:
            return {make_stdio_wire(gateway_->program().take_streams()), leg.era};
        case AgentTransport::http:
            return {make_http_wire(port(), headers), leg.era};
        case AgentTransport::websocket:
            return {make_websocket_wire(port(), headers), leg.era};
    }
    return {nullptr, leg.era};
}

}  // namespace holdfast::test
