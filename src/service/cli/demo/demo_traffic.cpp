#include "cli/demo/demo_traffic.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <string_view>
#include <utility>

#include "base/printable.hpp"
#include "cli/output/call_result.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::cli {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxSaidBytes = 200;

struct DemoCall {
    std::string_view tool = {};
    std::string_view arguments = {};
};

constexpr std::array<DemoCall, 7> kCalls = {{
    {.tool = "steady__convert_units", .arguments = R"({"value":26.2,"from":"mi","to":"km"})"},
    {.tool = "flaky__find_airport", .arguments = R"({"city":"Lisbon"})"},
    {.tool = "steady__days_between", .arguments = R"({"from":"2026-01-01","to":"2026-07-28"})"},
    {.tool = "flaky__find_airport", .arguments = R"({"city":"Tokyo"})"},
    {.tool = "steady__word_count", .arguments = R"({"text":"whatever happens behind it"})"},
    {.tool = "flaky__book_seat", .arguments = R"({"flight":"HF 204"})"},
    {.tool = "flaky__find_airport", .arguments = R"({"city":"Oslo"})"},
}};

/// Why the call has no good answer; empty if it has one.
asio::awaitable<std::string> failure_of(std::shared_ptr<GatewayClient> client, DemoCall call,
                                        resilience::Deadline deadline) {
    const auto result =
        co_await client->call(std::string{call.tool}, std::string{call.arguments}, deadline);
    if (!result) {
        co_return result.error().message;
    }
    co_return is_failed_result(*result) ? shown_result(*result, true) : std::string{};
}

}  // namespace

DemoTraffic::DemoTraffic(net::OwningLoop loop, std::shared_ptr<GatewayClient> client, Say say,
                         DemoTrafficOptions options)
    : loop_(std::move(loop)),
      client_(std::move(client)),
      options_(options),
      tally_(std::make_shared<Tally>(Tally{.in_flight = 0, .say = std::move(say)})) {
    on_time();
}

DemoTraffic::~DemoTraffic() {
    tally_->say = nullptr;
    if (is_scheduled()) {
        loop_.timekeeper->cancel(*this);
    }
}

void DemoTraffic::on_time() {
    loop_.timekeeper->schedule(*this, loop_.timekeeper->now() + options_.every);
    if (tally_->in_flight < options_.max_in_flight) {
        begin_call();
    }
}

void DemoTraffic::begin_call() {
    const DemoCall& call = kCalls.at(next_++ % kCalls.size());
    ++tally_->in_flight;
    const auto deadline = resilience::Deadline::after(loop_.timekeeper->now(), options_.timeout);
    asio::co_spawn(loop_.executor, failure_of(client_, call, deadline),
                   [tally = tally_, tool = std::string{call.tool}](const std::exception_ptr& error,
                                                                   const std::string& failure) {
                       HOLDFAST_EXPECT(error == nullptr);
                       --tally->in_flight;
                       if (tally->say && !failure.empty()) {
                           tally->say(tool + ": " + base::shown_line(failure, kMaxSaidBytes));
                       }
                   });
}

}  // namespace holdfast::cli
