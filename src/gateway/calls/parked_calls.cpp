#include "calls/parked_calls.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>
#include <vector>

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
    return table_.with([&](Table& table) {
        return table.calls.size() < max_calls_ &&
               table.calls.emplace(token, std::move(entry)).second;
    });
}

std::shared_ptr<const ParkedRequest> ParkedCalls::find(const std::string& token) const {
    return table_.with([&token](const Table& table) -> std::shared_ptr<const ParkedRequest> {
        const auto found = table.calls.find(token);
        return found == table.calls.end() ? nullptr : found->second.request;
    });
}

std::shared_ptr<Call> ParkedCalls::take(const std::string& token) {
    return table_.with([&token](Table& table) -> std::shared_ptr<Call> {
        const auto found = table.calls.find(token);
        if (found == table.calls.end() || found->second.call == nullptr) {
            return nullptr;
        }
        return std::move(table.calls.extract(found).mapped().call);
    });
}

void ParkedCalls::cancel_all() {
    const auto all = table_.with([](Table& table) {
        std::vector<std::shared_ptr<Call>> calls;
        for (auto& [token, entry] : table.calls) {
            if (entry.call) {
                calls.push_back(std::move(entry.call));
            }
        }
        table.cancelled = table.calls.size();
        return calls;
    });
    for (const auto& call : all) {
        call->cancel();
    }
}

bool ParkedCalls::was_cancelled(const std::string& token) const {
    return table_.with([&token](const Table& table) {
        const auto found = table.calls.find(token);
        return found != table.calls.end() && found->second.call == nullptr;
    });
}

std::size_t ParkedCalls::size() const {
    return table_.with([](const Table& table) { return table.calls.size() - table.cancelled; });
}

}  // namespace holdfast::calls
