#include "end_to_end/gateway_process.hpp"

#include <charconv>
#include <csignal>
#include <utility>

#include "support/test_agent/http_exchange.hpp"

namespace holdfast::test {
namespace {

std::vector<std::string> command_of(const std::string& binary, const std::string& config_file,
                                    const std::vector<std::string>& arguments) {
    std::vector<std::string> command{binary,      "serve",  "--config",
                                     config_file, "--http", "127.0.0.1:0"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

}  // namespace

GatewayProcess::GatewayProcess(const std::string& binary, const std::string& config_file,
                               std::vector<std::string> variables,
                               const std::vector<std::string>& arguments)
    : program_(command_of(binary, config_file, arguments), std::move(variables)) {
    const std::string rest = program_.rest_of_error_line("listening on http://127.0.0.1:");
    std::from_chars(rest.data(), rest.data() + rest.size(), port_);
}

std::string GatewayProcess::post(const std::string& message, const std::string& headers) const {
    const HttpExchange exchange = http_exchange(port_, {.headers = headers, .body = message});
    return exchange.is_complete() ? exchange.head() + "\r\n" + exchange.body() : std::string{};
}

int GatewayProcess::stop() {
    program_.send(SIGTERM);
    return program_.wait();
}

}  // namespace holdfast::test
