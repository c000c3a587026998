// Several processes, and the file size limit of a real process.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "integration/telemetry/store_scene.hpp"
#include "telemetry/telemetry_store.hpp"

namespace holdfast::test {
namespace {

using telemetry::StoreState;
using telemetry::TelemetryStore;

class StoreProcessesTest : public StoreScene {
protected:
    /// Runs the work in a child process; its exit code says whether the work succeeded.
    [[nodiscard]] static pid_t start(const std::function<bool()>& work) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            ::_exit(work() ? 0 : 1);
        }
        return pid;
    }
    [[nodiscard]] static bool went_well(pid_t pid) {
        int status = -1;
        return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
};

TEST_F(StoreProcessesTest, TwoProcessesWriteToOneFile) {
    constexpr int kBatches = 30;
    constexpr int kCallsOfBatch = 20;
    const auto writing = [this](const std::string& name) {
        return [this, name] {
            TelemetryStore store{options(), sources()};
            bool is_fine = true;
            for (int batch = 0; batch < kBatches; ++batch) {
                for (int number = 0; number < kCallsOfBatch; ++number) {
                    store.put(stored_call(name + std::to_string(number), kNow + batch));
                }
                is_fine = store.flush(kPatience) && is_fine;
            }
            store.stop();
            return is_fine && store.status().queued == 0 && store.status().dropped == 0;
        };
    };

    const pid_t one = start(writing("a"));
    const pid_t other = start(writing("b"));

    EXPECT_TRUE(went_well(one));
    EXPECT_TRUE(went_well(other));
    EXPECT_EQ(ids().size(), 2U * kBatches * kCallsOfBatch);
}

TEST_F(StoreProcessesTest, SurvivesTheFileSizeLimitOfAProcess) {
    const pid_t pid = start([this] {
        std::ignore = std::signal(SIGXFSZ, SIG_IGN);
        TelemetryStore store{options(), sources()};
        store.put(stored_call("first", kNow));
        bool is_fine = store.flush(kPatience) && store.status().state == StoreState::on;
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        const rlim_t before = std::exchange(limit.rlim_cur, 64 * 1'024);
        is_fine = ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && is_fine;
        for (int number = 0; number < 2'000; ++number) {
            store.put(stored_call("later", kNow + 1));
        }
        is_fine = store.flush(kPatience) && is_fine;
        is_fine = store.status().state == StoreState::counters_only && is_fine;
        limit.rlim_cur = before;
        is_fine = ::setrlimit(RLIMIT_FSIZE, &limit) == 0 && is_fine;
        is_fine = store.flush(kPatience) && is_fine;
        is_fine = store.status().state == StoreState::on && is_fine;
        store.stop();
        return is_fine;
    });

    EXPECT_TRUE(went_well(pid));
    EXPECT_EQ(ids().size(), 2'001U);
}

TEST_F(StoreProcessesTest, CanBeReadWhileItIsWritten) {
    TelemetryStore store{options(), sources()};
    store.put(stored_call("a", kNow));
    ASSERT_TRUE(store.flush(kPatience));
    auto reader = telemetry::StoreReader::open(file_);
    ASSERT_TRUE(reader.has_value());

    std::size_t seen = 0;
    const auto rows = reader->each_row(telemetry::StoreTable::calls, {}, [&](auto) {
        ++seen;
        store.put(stored_call("b", kNow));
        EXPECT_TRUE(store.flush(kPatience));
        EXPECT_EQ(store.status().state, StoreState::on) << store.status().reason;
    });

    EXPECT_TRUE(rows.has_value());
    EXPECT_EQ(seen, 1U);
    EXPECT_EQ(ids().size(), 2U);
}

}  // namespace
}  // namespace holdfast::test
