#include "calls/parked_calls.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "calls/call.hpp"

namespace holdfast::calls {
namespace {

namespace json = boost::json;

std::string arguments_in(std::string_view params_members) {
    for (auto& [key, value] : members_of("{" + std::string{params_members} + "}")) {
        if (key == "arguments") {
            return std::move(value);
        }
    }
    return {};
}

json::value parsed(std::string_view arguments) {
    if (arguments.empty()) {
        return json::object{};
    }
    json::error_code error;
    json::value value = json::parse({arguments.data(), arguments.size()}, error);
    return error ? json::value{} : value;
}

}  // namespace

ParkedRequest parked_request_of(const agents::AgentRequest& origin, const CallPlan& plan,
                                const surface::Callable* requested) {
    return {.principal = origin.agent->principal,
            .method = plan.request.method,
            .server = requested != nullptr ? requested->server->name : plan.server->name,
            .name = requested != nullptr ? requested->own_name : plan.request.name,
            .arguments = arguments_in(plan.agent_params())};
}

bool is_same_request(const ParkedRequest& one, const ParkedRequest& other) {
    return one.principal == other.principal && one.method == other.method &&
           one.server == other.server && one.name == other.name &&
           parsed(one.arguments) == parsed(other.arguments);
}

bool ParkedCalls::try_park(const std::string& token, std::shared_ptr<Call> call,
                           ParkedRequest request) {
    Entry entry{.call = std::move(call),
                .request = std::make_shared<const ParkedRequest>(std::move(request))};
    return calls_.with([&](auto& calls) {
        return calls.size() < max_calls_ && calls.emplace(token, std::move(entry)).second;
    });
}

std::shared_ptr<const ParkedRequest> ParkedCalls::find(const std::string& token) const {
    return calls_.with([&token](const auto& calls) -> std::shared_ptr<const ParkedRequest> {
        const auto found = calls.find(token);
        return found == calls.end() ? nullptr : found->second.request;
    });
}

std::shared_ptr<Call> ParkedCalls::take(const std::string& token) {
    return calls_.with([&token](auto& calls) {
        auto node = calls.extract(token);
        return node.empty() ? std::shared_ptr<Call>{} : std::move(node.mapped().call);
    });
}

void ParkedCalls::cancel_all() {
    const auto all = calls_.with([](auto& calls) { return std::exchange(calls, {}); });
    for (const auto& [token, entry] : all) {
        entry.call->cancel();
    }
}

std::size_t ParkedCalls::size() const {
    return calls_.with([](const auto& calls) { return calls.size(); });
}

}  // namespace holdfast::calls
