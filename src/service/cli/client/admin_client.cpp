#include "cli/client/admin_client.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include "holdfast/resilience/expect.hpp"
#include "jsonrpc/members.hpp"
#include "net/event_loops.hpp"
#include "net/http_client.hpp"
#include "platform/environment.hpp"
#include "platform/user_folders.hpp"
#include "runtime/instance_registry.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;
using resilience::Deadline;

constexpr int kOk = 200;
constexpr std::size_t kMaxAnswerBytes = std::size_t{64} * 1024 * 1024;

asio::awaitable<AdminResult> answered(net::OwningLoop loop, std::shared_ptr<net::HttpClient> client,
                                      net::HttpClientRequest request, Deadline deadline) {
    auto response = co_await client->send(loop, std::move(request), deadline);
    if (!response) {
        co_return AdminFault{.message = response.error().error.message,
                             .exit_code = kExitNoGateway};
    }
    auto body = co_await (*response)->read_all(kMaxAnswerBytes, deadline);
    if (!body) {
        co_return AdminFault{.message = body.error().message};
    }
    co_return AdminAnswer{.status = (*response)->status(), .body = std::move(*body)};
}

/// The caller waits for it, and owns where the result goes.
asio::awaitable<void> ask(net::OwningLoop loop, std::shared_ptr<net::HttpClient> client,
                          net::HttpClientRequest request, Deadline deadline, AdminResult& result) {
    result = co_await answered(std::move(loop), std::move(client), std::move(request), deadline);
}

std::vector<runtime::Instance> gateways_of_this_user() {
    return runtime::running_instances(
        platform::user_folders(platform::environment_variable).runtime);
}

std::string describe(const runtime::Instance& instance) {
    return std::to_string(instance.pid) + " (" +
           (instance.mcp.empty() ? "on its standard streams" : instance.mcp) +
           (instance.config.empty() ? "" : ", " + instance.config) + ")";
}

/// The `error` of its body, or its status.
std::string refusal_in(const AdminAnswer& answer) {
    std::string message = jsonrpc::text_member_of(answer.body, "error");
    return message.empty() ? "the gateway answered with status " + std::to_string(answer.status)
                           : message;
}

AdminFault several(const std::vector<runtime::Instance>& instances, std::string_view option) {
    std::string message =
        "several gateways are running; choose one with " + std::string{option} + ": ";
    for (const runtime::Instance& instance : instances) {
        message += (&instance == &instances.front() ? "" : ", ") + describe(instance);
    }
    return {.message = std::move(message), .exit_code = kExitUsage};
}

}  // namespace

resilience::Result<AdminPlace, AdminFault> find_gateway(const AdminChoice& choice) {
    if (!choice.url.empty()) {
        return AdminPlace{.url = choice.url, .token = choice.token};
    }
    std::vector<runtime::Instance> instances = gateways_of_this_user();
    if (choice.pid != 0) {
        std::erase_if(instances,
                      [&](const runtime::Instance& one) { return one.pid != choice.pid; });
    }
    if (instances.empty()) {
        return AdminFault{
            .message = choice.pid != 0
                           ? "no gateway with process id " + std::to_string(choice.pid)
                           : "no running gateway found; start one with \"holdfast serve\", or "
                             "choose one with --url",
            .exit_code = kExitNoGateway};
    }
    if (instances.size() > 1) {
        return several(instances, "--pid");
    }
    return AdminPlace{.url = "http://localhost", .socket = instances.front().socket};
}

resilience::Result<std::optional<std::string>, AdminFault> find_agent_address() {
    std::vector<runtime::Instance> instances = gateways_of_this_user();
    std::erase_if(instances, [](const runtime::Instance& one) { return one.mcp.empty(); });
    if (instances.size() > 1) {
        return several(instances, "--url");
    }
    return instances.empty() ? std::optional<std::string>{} : instances.front().mcp;
}

AdminResult ask_admin(const AdminPlace& place, std::string_view method, const std::string& target,
                      resilience::Duration timeout) {
    auto url = net::parsed_url(place.url);
    if (!url) {
        return AdminFault{
            .message = "invalid address \"" + place.url + "\": " + url.error().message,
            .exit_code = kExitUsage};
    }
    auto client = net::make_http_client(*url, {.socket_path = place.socket});
    if (!client) {
        return AdminFault{.message = client.error().message};
    }
    std::string headers = "Accept: application/json\r\n";
    if (method == "POST") {
        headers += "Holdfast-Control: 1\r\n";
    }
    if (!place.token.empty()) {
        headers += "Authorization: Bearer " + place.token + "\r\n";
    }
    net::EventLoops loops{1};
    const net::OwningLoop& loop = loops.all().front();
    AdminResult result = AdminFault{.message = "no request was sent"};
    const auto deadline = Deadline::after(loop.timekeeper->now(), timeout);
    asio::co_spawn(
        loop.executor,
        ask(loop, std::move(*client),
            {.method = method, .target = target, .headers = std::move(headers)}, deadline, result),
        [&loops](const std::exception_ptr& error) {
            HOLDFAST_EXPECT(error == nullptr);
            loops.stop();
        });
    loops.run();
    return result;
}

AdminResult ask_admin(const AdminChoice& choice, std::string_view method,
                      const std::string& target) {
    const auto place = find_gateway(choice);
    return place ? ask_admin(*place, method, target, choice.timeout) : AdminResult{place.error()};
}

bool is_good(const AdminResult& answer) {
    return answer && answer->status == kOk;
}

int report_fault(const AdminResult& answer, std::ostream& errors) {
    const std::string message = answer ? refusal_in(*answer) : answer.error().message;
    errors << "holdfast: " << message << (message.ends_with('.') ? "\n" : ".\n");
    return answer ? kExitFailure : answer.error().exit_code;
}

}  // namespace holdfast::cli
