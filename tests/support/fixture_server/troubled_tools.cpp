#include <chrono>
#include <cstdlib>
#include <tuple>

#include <boost/asio/awaitable.hpp>

#include "support/fixture_server/server.hpp"
#include "support/fixture_server/tool.hpp"

namespace holdfast::fixture {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;

constexpr int kCrashCode = 3;

awaitable<Outcome> sleep_for(std::shared_ptr<Call> call) {
    const std::chrono::milliseconds time{number_in(call->arguments(), "ms", 100)};
    std::ignore = co_await call->wait(time);  // after a cancellation the answer is dropped
    co_return text_result("Slept " + std::to_string(time.count()) + " ms.");
}

awaitable<Outcome> hang(std::shared_ptr<Call> call) {
    while (co_await call->wait(1h)) {
    }
    co_return text_result("never sent");
}

awaitable<Outcome> reconnection(std::shared_ptr<Call> call) {
    call->outlet()->interrupt();
    std::ignore = co_await call->wait(100ms);  // the client has disconnected and must reconnect
    co_return text_result("Reconnection test completed successfully");
}

Outcome crash(Call&) {
    std::_Exit(kCrashCode);  // like a crash: nothing is written or closed
}

Outcome junk(Call& call) {
    call.outlet()->send_junk();
    return text_result("There was junk before this.");
}

Outcome cancel_count(Call& call) {
    return text_result(std::to_string(call.server().cancel_count()));
}

Outcome call_count(Call& call) {
    return text_result(std::to_string(call.server().call_count()));
}

}  // namespace

std::vector<Tool> troubled_tools() {
    return {
        make_tool("sleep", {"Answers after a while.", R"("ms":{"type":"integer"})"}, sleep_for),
        make_tool("hang", {"Never answers."}, hang),
        make_tool("crash", {"Ends the process."}, crash),
        make_tool("junk", {"Sends something that is not JSON."}, junk),
        make_tool("cancel_count", {"Returns how many calls were cancelled."}, cancel_count),
        make_tool("call_count", {"Returns how many calls came, this one included."}, call_count),
        make_tool("test_reconnection", {"Closes the stream, and answers after a reconnection."},
                  reconnection),
    };
}

}  // namespace holdfast::fixture
