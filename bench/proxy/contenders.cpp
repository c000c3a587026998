#include "proxy/contenders.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

namespace holdfast::bench {
namespace {

namespace fs = std::filesystem;

// Returns the build that contains this program.
fs::path own_build() {
    return fs::read_symlink("/proc/self/exe").parent_path().parent_path();
}

// Returns the gateway of that build, or the one to be measured instead.
fs::path gateway_of(const fs::path& build) {
    const char* other = std::getenv("HOLDFAST_BINARY");
    return other != nullptr ? fs::path{other} : build / "holdfast";
}

fs::path temporary_folder() {
    std::string name = (fs::temp_directory_path() / "holdfast_bench.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        fail("cannot make a folder in " + fs::temp_directory_path().string());
    }
    return name;
}

void write(const fs::path& file, const std::string& text) {
    std::ofstream{file} << text;
}

// Debian installs servers in folders that are not in every user's PATH.
std::optional<std::string> system_program(const std::string& name) {
    for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/sbin/", "/usr/local/bin/"}) {
        if (fs::exists(folder + name)) {
            return folder + name;
        }
    }
    return std::nullopt;
}

std::string quoted(const std::string& text) {
    return '"' + text + '"';
}

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : separator) + word;
    }
    return text;
}

std::string core_list(const Cores& cores) {
    std::vector<std::string> words;
    words.reserve(cores.numbers.size());
    for (const int number : cores.numbers) {
        words.push_back(std::to_string(number));
    }
    return joined(words, ",");
}

}  // namespace

std::uint16_t port_in(const std::string& url) {
    return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

Contenders::Contenders()
    : build_(own_build()), gateway_{gateway_of(build_)}, folder_(temporary_folder()) {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    proxy_cores_.numbers = {0};
    for (int core = cores > 1 ? 1 : 0; core < cores; ++core) {
        other_cores_.numbers.push_back(core);
    }
    other_cores_.apply();
}

Contenders::~Contenders() {
    std::error_code ignored;  // the system cleans up temporary folders anyway
    fs::remove_all(folder_, ignored);
}

fs::path Contenders::new_folder(const std::string& name) {
    fs::path folder = folder_ / (name + "-" + std::to_string(++started_));
    fs::create_directories(folder);
    return folder;
}

Contender Contenders::backend(const BackendOptions& options) {
    auto child = std::make_unique<Child>(
        "the backend",
        std::vector<std::string>{build_ / "tests/support/fixture_server/holdfast_fixture_server",
                                 "--era", options.era == Era::modern ? "modern" : "legacy",
                                 "--http", "127.0.0.1:0", "--sessions", "off", "--tools",
                                 std::to_string(options.generated_tools)},
        other_cores_, new_folder("backend") / "log");
    const std::uint16_t port = port_in(child->said_behind("listening on "));
    return {.child = std::move(child), .port = port};
}

Contender Contenders::haproxy(std::uint16_t backend_port) {
    const auto program = system_program("haproxy");
    if (!program) {
        return {};
    }
    const fs::path folder = new_folder("haproxy");
    const std::uint16_t port = free_port();
    write(folder / "config",
          "global\n  nbthread 1\n  maxconn 4000\n"
          "defaults\n  mode http\n  timeout connect 5s\n  timeout client 10m\n"
          "  timeout server 10m\n  option http-keep-alive\n  http-reuse always\n"
          "frontend agents\n  bind 127.0.0.1:" +
              std::to_string(port) +
              "\n  default_backend tools\n"
              "backend tools\n  server only 127.0.0.1:" +
              std::to_string(backend_port) + "\n");
    auto child = std::make_unique<Child>(
        "haproxy", std::vector<std::string>{*program, "-db", "-f", folder / "config"}, proxy_cores_,
        folder / "log");
    child->expect_listening(port);
    return {.child = std::move(child), .port = port};
}

Contender Contenders::nginx(std::uint16_t backend_port) {
    const auto program = system_program("nginx");
    if (!program) {
        return {};
    }
    const fs::path folder = new_folder("nginx");
    const std::uint16_t port = free_port();
    std::string paths;
    for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"}) {
        paths += std::string{"  "} + kind + "_temp_path " + (folder / kind).string() + ";\n";
    }
    write(folder / "config",
          "daemon off; master_process off; worker_processes 1;\npid " + (folder / "pid").string() +
              ";\nerror_log stderr;\nevents { worker_connections 2048; }\nhttp {\n" + paths +
              "  access_log off; keepalive_timeout 600s; keepalive_requests 1000000000;\n"
              "  upstream tools { server 127.0.0.1:" +
              std::to_string(backend_port) +
              "; keepalive 64; keepalive_requests 1000000000; }\n"
              "  server { listen 127.0.0.1:" +
              std::to_string(port) +
              "; location / { proxy_pass http://tools; proxy_http_version 1.1;\n"
              "    proxy_set_header Connection \"\"; proxy_set_header Host 127.0.0.1; } }\n}\n");
    auto child = std::make_unique<Child>(
        "nginx", std::vector<std::string>{*program, "-e", "stderr", "-c", folder / "config"},
        proxy_cores_, folder / "log");
    child->expect_listening(port);
    return {.child = std::move(child), .port = port};
}

std::vector<std::string> Contenders::holdfast_command(const fs::path& folder,
                                                      const GatewayConfig& config) const {
    write(folder / "config.json", R"({"names":{"prefix":"always"},)" + config.more +
                                      R"("policies":{)" + config.policies + R"(},"mcpServers":{)" +
                                      config.servers + "}}");
    std::vector<std::string> command{"env", "XDG_CACHE_HOME=" + (folder / "cache").string(),
                                     "XDG_DATA_HOME=" + (folder / "data").string()};
    command.insert(command.end(), gateway_.begin(), gateway_.end());
    command.insert(command.end(), {"serve", "--config", folder / "config.json", "--loops", "1"});
    return command;
}

Contender Contenders::holdfast_with(const GatewayConfig& config) {
    const fs::path folder = new_folder("holdfast");
    std::vector<std::string> command = holdfast_command(folder, config);
    command.insert(command.end(), {"--http", "127.0.0.1:0"});
    auto child = std::make_unique<Child>("holdfast", command, proxy_cores_, folder / "log");
    const std::uint16_t port = port_in(child->said_behind("listening on "));
    return {.child = std::move(child), .port = port};
}

std::vector<std::string> Contenders::holdfast_on_stdio(const GatewayConfig& config) {
    std::vector<std::string> command = holdfast_command(new_folder("holdfast"), config);
    command.emplace_back("--stdio");
    return command;
}

Contender Contenders::troubled_backend(const fs::path& folder) {
    auto child = std::make_unique<Child>(
        "the troubled server",
        std::vector<std::string>{build_ / "tests/support/troubled_server/holdfast_troubled_server",
                                 folder, "--http"},
        other_cores_, folder / "log");
    const std::uint16_t port = port_in(child->said_behind("listening on "));
    return {.child = std::move(child), .port = port};
}

Contender Contenders::holdfast(std::uint16_t backend_port, std::size_t downstreams) {
    std::vector<std::string> servers;
    servers.reserve(downstreams);
    for (std::size_t index = 0; index < downstreams; ++index) {
        servers.push_back(quoted("s" + std::to_string(index)) + R"(:{"url":"http://127.0.0.1:)" +
                          std::to_string(backend_port) + R"(/mcp"})");
    }
    return holdfast_with({.servers = joined(servers, ",")});
}

std::vector<std::string> Contenders::stdio_command(Era era) const {
    return {"taskset",
            "-c",
            core_list(other_cores_),
            build_ / "tests/support/fixture_server/holdfast_fixture_server",
            "--stdio",
            "--era",
            era == Era::modern ? "modern" : "legacy"};
}

Contender Contenders::holdfast_before_child(Era era) {
    const std::vector<std::string> command = stdio_command(era);
    std::vector<std::string> arguments;
    arguments.reserve(command.size());
    for (std::size_t index = 1; index < command.size(); ++index) {
        arguments.push_back(quoted(command[index]));
    }
    return holdfast_with({.servers = R"("s0":{"command":)" + quoted(command.front()) +
                                     R"(,"args":[)" + joined(arguments, ",") + "]}"});
}

Contender Contenders::npm(const std::string& name, std::vector<std::string> arguments,
                          std::uint16_t port) {
    const fs::path programs = build_.parent_path() / "interop/node_modules/.bin";
    if (!fs::exists(programs / name)) {
        return {};
    }
    arguments.insert(arguments.begin(), {programs / "node", fs::canonical(programs / name)});
    auto child = std::make_unique<Child>(name, arguments, proxy_cores_, new_folder(name) / "log");
    child->expect_listening(port);
    return {.child = std::move(child), .port = port};
}

Contender Contenders::mcp_proxy() {
    const std::uint16_t port = free_port();
    std::vector<std::string> arguments{
        "--port", std::to_string(port), "--host", "127.0.0.1", "--server", "stream", "--"};
    const std::vector<std::string> command = stdio_command(Era::legacy);
    arguments.insert(arguments.end(), command.begin(), command.end());
    return npm("mcp-proxy", std::move(arguments), port);
}

Contender Contenders::supergateway() {
    const std::uint16_t port = free_port();
    return npm(
        "supergateway",
        {"--stdio", joined(stdio_command(Era::legacy), " "), "--outputTransport", "streamableHttp",
         "--stateful", "--logLevel", "none", "--port", std::to_string(port)},
        port);
}

}  // namespace holdfast::bench
