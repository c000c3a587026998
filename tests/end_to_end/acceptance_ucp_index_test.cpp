// The preset `ucp` while there are tools but no index: the thread that builds the index gets almost
// no processor time, as on a busy machine.

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "end_to_end/gated_server.hpp"
#include "support/process_watch.hpp"

namespace holdfast::test {
namespace {

constexpr int kNicenessOfIndexing = 10;  // only the indexing thread has it
constexpr int kStamps = 3'000;           // enough that indexing takes a while

int niceness_of(const std::filesystem::path& thread) {
    // The fields after the name, which is in parentheses: the state, 15 numbers, the niceness.
    const std::string stat = content_of_file(thread / "stat");
    std::istringstream fields{stat.substr(stat.rfind(')') + 1)};
    std::string field;
    for (int index = 0; index < 17; ++index) {
        fields >> field;
    }
    return field.empty() ? 0 : std::stoi(field);
}

/// Returns the thread of a process that builds the index; 0 if there is none.
pid_t indexing_thread_of(pid_t process) {
    const std::string threads = "/proc/" + std::to_string(process) + "/task";
    for (const auto& thread : std::filesystem::directory_iterator{threads}) {
        if (niceness_of(thread.path()) == kNicenessOfIndexing) {
            return std::stoi(thread.path().filename().string());
        }
    }
    return 0;
}

/// Restricts a thread to the idle time of one processor, and keeps that processor busy. At the end
/// it restores the processors and the priority of the thread, as far as the system allows: without
/// the right to raise a priority (RLIMIT_NICE) the thread stays on idle time, then of all
/// processors.
///
/// Thread-safety: none.
class StarvedThread final {
public:
    explicit StarvedThread(pid_t thread)
        : thread_(thread),
          policy_(::sched_getscheduler(thread)),
          niceness_(::getpriority(PRIO_PROCESS, static_cast<id_t>(thread))) {
        ::sched_getparam(thread, &parameters_);
        ::sched_getaffinity(thread, sizeof(everywhere_), &everywhere_);
        cpu_set_t one{};
        for (std::size_t number = 0; CPU_COUNT(&one) == 0; ++number) {
            if (CPU_ISSET(number, &everywhere_)) {
                CPU_SET(number, &one);
            }
        }
        const sched_param lowest{};
        is_starved_ = ::sched_setaffinity(thread, sizeof(one), &one) == 0 &&
                      ::sched_setscheduler(thread, SCHED_IDLE, &lowest) == 0;
        busy_ = std::jthread{[one](const std::stop_token& stop) {
            ::pthread_setaffinity_np(::pthread_self(), sizeof(one), &one);
            while (!stop.stop_requested()) {
            }
        }};
    }

    StarvedThread(const StarvedThread&) = delete;
    StarvedThread& operator=(const StarvedThread&) = delete;
    ~StarvedThread() { release(); }

    [[nodiscard]] bool is_starved() const noexcept { return is_starved_; }
    void release() {
        if (!busy_.joinable()) {
            return;
        }
        busy_.request_stop();
        busy_.join();
        ::sched_setaffinity(thread_, sizeof(everywhere_), &everywhere_);
        ::sched_setscheduler(thread_, policy_, &parameters_);
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(thread_), niceness_);
    }

private:
    const pid_t thread_;
    const int policy_;
    const int niceness_;
    sched_param parameters_{};
    cpu_set_t everywhere_{};
    bool is_starved_ = false;
    std::jthread busy_;
};

std::string described_tool(const std::string& name, const std::string& description) {
    return R"({"name":")" + name + R"(","description":")" + description +
           R"(","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}})";
}

/// Many tools about stamps and one about the weather.
std::vector<std::string> tools() {
    std::vector<std::string> all{described_tool("forecast", "Weather of a city")};
    for (int number = 0; number < kStamps; ++number) {
        const std::string name = "stamp_" + std::to_string(number);
        all.push_back(described_tool(name, "Describes " + name + ", its year and its country"));
    }
    return all;
}

class UcpMissingIndex : public testing::TestWithParam<AgentLeg> {
protected:
    void start(const std::string& surface) {
        scene_.scene().add_server("store", gated_entry(server_, gate_));
        scene_.scene().add_section(R"("preset":"ucp","admin":{"http":"127.0.0.1:0"},"surface":)" +
                                   surface);
        scene_.start(GetParam(), 1, "find_tools");
        pid_t thread = 0;
        ASSERT_TRUE(eventually([&] {
            thread = indexing_thread_of(scene_.scene().gateway().program().pid());
            return thread != 0;
        }));
        starved_.emplace(thread);
        ASSERT_TRUE(starved_->is_starved());
        write_file(gate_, "");
        EXPECT_TRUE(eventually([this] { return has(status(), R"("total_tools":3001)"); }))
            << status();
    }
    [[nodiscard]] std::string status() {
        return scene_.answer("gateway_status", R"({"details":true})");
    }
    [[nodiscard]] std::string find(const std::string& query) {
        return scene_.answer("find_tools", R"({"query":")" + query + R"("})");
    }

    TemporaryFolder folder_;
    const std::string gate_ = folder_ / "gate";
    TroubledServer server_{tools()};
    Acceptance scene_;
    std::optional<StarvedThread> starved_;
};

TEST_P(UcpMissingIndex, FindToolsAnswersFromTheCatalogueUntilTheIndexIsThere) {
    start(R"({"mode":"search"})");
    EXPECT_TRUE(has(status(), R"("indexed":false,"indexed_tools":0)")) << status();

    const std::string found = find("weather");

    EXPECT_FALSE(has(found, R"("isError":true)")) << found;
    EXPECT_TRUE(has(found, R"("structuredContent":{"step":"all_tools")")) << found;
    EXPECT_TRUE(has(found, R"("name":"forecast")")) << found;
    EXPECT_TRUE(has(found, R"("name":"stamp_0")")) << found;
    EXPECT_TRUE(has(found, R"({"step":"keyword","reason":"the index is empty"})") ||
                has(found, R"({"step":"keyword","reason":"there is no index yet"})"))
        << found;
    EXPECT_EQ(text_in(scene_.answer("call_tool", R"({"name":"forecast","arguments":{}})")), "");

    starved_->release();
    EXPECT_TRUE(eventually([this] {
        const std::string later = find("weather");
        return has(later, R"("structuredContent":{"step":"keyword")") &&
               has(later, R"("tools":[{"name":"forecast")");
    })) << find("weather");
}

TEST_P(UcpMissingIndex, FallbackToolsComeFirst) {
    start(R"({"mode":"search","fallback":["store.stamp_7"]})");

    const std::string found = find("weather");

    EXPECT_TRUE(has(found, R"("structuredContent":{"step":"fallback_tools")")) << found;
    EXPECT_TRUE(has(found, R"("tools":[{"name":"stamp_7")")) << found;
}

INSTANTIATE_TEST_SUITE_P(Agent, UcpMissingIndex, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
