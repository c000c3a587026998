#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "end_to_end/commontrace_scene.hpp"
#include "support/process_watch.hpp"
#include "support/run_process.hpp"

// The preset `commontrace` while the clock of the machine is changed: the wall clock of the gateway
// jumps by an hour, forward or backward. Its own time runs twenty times as fast.

namespace holdfast::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Jump {
    std::string_view name;
    std::chrono::seconds by = {};
};

void PrintTo(const Jump& jump, std::ostream* out) {
    *out << jump.name;
}

class CommonTraceClock : public ::testing::TestWithParam<Jump> {
protected:
    static constexpr auto kOpen = 30'000ms / 20;
    /// Limit for what must take neither an hour nor an hour of gateway time.
    static constexpr auto kSoon = 15s;

    /// `timeout` is that of a call, in gateway time. It is set in the entry, because the variables
    /// do not change the preset's 5 s for a request.
    void start(const std::string& timeout) {
        set_clock(0s);
        scene.add_section(R"("telemetry":{"sample":1})");
        scene.add_server("traces", R"({"type":"rest","url":")" + backend.url() +
                                       R"(","preset":"commontrace","timeout":")" + timeout + "\"}");
        ASSERT_TRUE(
            scene.start({"--clock-rate", "20"},
                        {"LD_PRELOAD=" HOLDFAST_CLOCK_OFFSET_LIBRARY,
                         "HOLDFAST_TEST_CLOCK_OFFSET=" + offset_file, "COMMONTRACE_API_KEY=k"}));
        agent = std::make_unique<TestAgent>(scene.agent(kAgentLegs[1]));
        ASSERT_TRUE(agent->open());
        ASSERT_TRUE(agent->finds_tool("list_tags"));
    }
    /// Written in place, because the gateway has mapped the file.
    void set_clock(std::chrono::seconds offset) const {
        const std::int64_t seconds = offset.count();
        std::fstream file{offset_file, std::ios::binary | std::ios::in | std::ios::out};
        if (!file) {
            file.open(offset_file, std::ios::binary | std::ios::out);
        }
        file.write(reinterpret_cast<const char*>(&seconds), sizeof(seconds));
    }
    [[nodiscard]] std::string answer() const { return agent->request(request_of(kListTags)); }
    [[nodiscard]] static std::string code_in(const std::string& answer) {
        return plain_text(member_text(answer, "code"));
    }
    /// Returns whether a call in the telemetry has a wall time that is shifted by the jump.
    [[nodiscard]] bool has_recorded_the_jump() {
        EXPECT_EQ(scene.gateway().stop(), 0);
        const std::string rows = run_process({std::getenv("HOLDFAST_BINARY"), "telemetry", "--file",
                                              scene.folder() / "holdfast/telemetry.db", "--since",
                                              "24h", "--export", "jsonl"})
                                     .out;
        std::istringstream lines{rows};
        for (std::string line; std::getline(lines, line);) {
            std::tm time{};
            const std::string at = plain_text(member_text(line, "at"));
            EXPECT_NE(::strptime(at.c_str(), "%Y-%m-%dT%H:%M:%S", &time), nullptr) << line;
            const std::chrono::seconds offset{::timegm(&time) - std::time(nullptr)};
            if (std::chrono::abs(offset - GetParam().by) < 5min) {
                return true;
            }
        }
        return false;
    }

    HttpBackend backend;
    Scene scene;
    const std::string offset_file = scene.folder() / "offset";
    std::unique_ptr<TestAgent> agent;
};

INSTANTIATE_TEST_SUITE_P(By, CommonTraceClock,
                         ::testing::Values(Jump{"AnHourForward", 1h}, Jump{"AnHourBackward", -1h}),
                         [](const auto& info) { return std::string{info.param.name}; });

TEST_P(CommonTraceClock, AJumpNeitherEndsNorExtendsAnOpenCircuit) {
    // No call of this test may end by its timeout, even on a slow machine.
    ASSERT_NO_FATAL_FAILURE(start("100s"));
    backend.answer(kListTags.line, 500, "{}");
    for (int count = 0; count < 4; ++count) {
        ASSERT_EQ(code_in(answer()), "DOWNSTREAM_ERROR");
    }
    const auto before_opening = Clock::now();
    ASSERT_EQ(code_in(answer()), "DOWNSTREAM_ERROR");

    set_clock(GetParam().by);

    backend.answer(kListTags.line, 200, kTags);
    std::vector<int> waits;
    EXPECT_TRUE(eventually(
        [&] {
            const std::string refusal = answer();
            if (code_in(refusal) == "CIRCUIT_OPEN") {
                waits.push_back(std::stoi("0" + member_text(refusal, "retryAfter")));
            }
            return backend.requests().size() > 5;
        },
        kSoon));
    EXPECT_GE(Clock::now() - before_opening, kOpen);
    ASSERT_FALSE(waits.empty());
    EXPECT_LE(std::ranges::max(waits), 30);
    EXPECT_GE(std::ranges::min(waits), 1);
    EXPECT_TRUE(std::ranges::is_sorted(waits, std::ranges::greater{})) << "the wait only decreases";
    EXPECT_EQ(text_in(answer()), kTagsText);
    EXPECT_TRUE(has_recorded_the_jump());
}

TEST_P(CommonTraceClock, AJumpNeitherEndsNorExtendsACallInFlight) {
    constexpr auto kReadTimeout = 5'000ms / 20;
    ASSERT_NO_FATAL_FAILURE(start("5s"));
    backend.be_silent(kListTags.line);
    const auto begin = Clock::now();
    const std::string request = agent->send(request_of(kListTags));
    ASSERT_TRUE(eventually([this] { return backend.requests().size() == 1; }));

    set_clock(GetParam().by);

    EXPECT_EQ(text_in(agent->answer_to(request)), timeout_text(Effect::reads));
    EXPECT_GE(Clock::now() - begin, kReadTimeout);
    EXPECT_LT(Clock::now() - begin, kSoon);
}

}  // namespace
}  // namespace holdfast::test
