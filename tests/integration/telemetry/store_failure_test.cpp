// A disk that is full, broken or unresponsive: only counters are kept, no caller waits, and the
// store recovers by itself.

#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>
#include <utility>

#include "integration/telemetry/failing_disk.hpp"
#include "integration/telemetry/store_scene.hpp"
#include "telemetry/telemetry_store.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

using telemetry::StoreState;
using telemetry::StoreStatus;
using telemetry::TelemetryStore;

class StoreFailureTest : public StoreScene {
protected:
    /// Expects a round to fail for this reason; the call stays queued.
    void expect_failure(TelemetryStore& store, const std::string& reason) {
        store.put(stored_call("kept", kNow));
        ASSERT_TRUE(store.flush(kPatience));
        const StoreStatus status = store.status();
        EXPECT_EQ(status.state, StoreState::counters_only);
        EXPECT_NE(status.reason.find(reason), std::string::npos) << status.reason;
        EXPECT_EQ(status.stored, 0U);
        EXPECT_EQ(status.queued, 1U);
    }
    void expect_recovery(TelemetryStore& store) {
        ASSERT_TRUE(store.flush(kPatience));
        EXPECT_EQ(store.status().state, StoreState::on) << store.status().reason;
        EXPECT_EQ(store.status().reason, "");
        EXPECT_EQ(ids(), (Texts{"kept"}));
    }

    FailingDisk disk_;
};

TEST_F(StoreFailureTest, ReportsADirectoryInsteadOfTheFile) {
    fs::create_directories(file_);
    TelemetryStore store{options(), sources()};

    expect_failure(store, "is not a regular file");
    fs::remove(file_);
    expect_recovery(store);
}

TEST_F(StoreFailureTest, ReportsAFifoInsteadOfTheFile) {
    fs::create_directories(folder_ / "data");
    ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
    TelemetryStore store{options(), sources()};

    expect_failure(store, "is not a regular file");
    fs::remove(file_);
    expect_recovery(store);
}

TEST_F(StoreFailureTest, ReportsAFileInsteadOfTheFolder) {
    write_file(folder_ / "data", "");
    TelemetryStore store{options(), sources()};

    expect_failure(store, "cannot be opened");
    fs::remove(folder_ / "data");
    expect_recovery(store);
}

TEST_F(StoreFailureTest, RecoversFromAFullDisk) {
    auto failing = options();
    failing.vfs = FailingDisk::name();
    disk_.is_full();
    TelemetryStore store{failing, sources()};

    expect_failure(store, "full");
    disk_.is_fine();
    expect_recovery(store);
}

TEST_F(StoreFailureTest, RecoversFromADiskThatFillsUpLater) {
    auto failing = options();
    failing.vfs = FailingDisk::name();
    TelemetryStore store{failing, sources()};
    store.put(stored_call("first", kNow));
    ASSERT_TRUE(store.flush(kPatience));

    disk_.is_full();
    store.put(stored_call("second", kNow + 1));
    ASSERT_TRUE(store.flush(kPatience));
    EXPECT_EQ(store.status().state, StoreState::counters_only);
    disk_.is_fine();
    ASSERT_TRUE(store.flush(kPatience));

    EXPECT_EQ(store.status().state, StoreState::on);
    EXPECT_EQ(ids(), (Texts{"first", "second"}));
}

TEST_F(StoreFailureTest, MovesAFileAsideThatIsNotADatabase) {
    const std::string rubbish(10'000, 'x');
    fs::create_directories(folder_ / "data");
    write_file(file_, rubbish);
    TelemetryStore store{options(), sources()};

    expect_failure(store, "not a database");
    expect_recovery(store);

    EXPECT_EQ(content_of_file(file_ + ".broken-" + std::to_string(kNow)), rubbish);
}

TEST_F(StoreFailureTest, MovesAFileAsideThatIsDamagedInUse) {
    TelemetryStore store{options(), sources()};
    store.put(stored_call("lost", kNow));
    ASSERT_TRUE(store.flush(kPatience));
    store.stop();
    std::string content = content_of_file(file_);
    content.replace(100, content.size() - 100, content.size() - 100, 'x');
    write_file(file_, content);
    TelemetryStore again{options(), sources()};

    expect_failure(again, "malformed");
    expect_recovery(again);

    EXPECT_EQ(content_of_file(file_ + ".broken-" + std::to_string(kNow)), content);
}

TEST_F(StoreFailureTest, RecreatesAFileThatIsDeletedInUse) {
    TelemetryStore store{options(), sources()};
    store.put(stored_call("lost", kNow));
    ASSERT_TRUE(store.flush(kPatience));
    for (const char* suffix : {"", "-wal", "-shm"}) {
        fs::remove(file_ + suffix);
    }

    store.put(stored_call("kept", kNow));
    expect_recovery(store);
}

/// Changes the file with SQLite itself.
void change_file(const std::string& file, const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
}

TEST_F(StoreFailureTest, UpgradesAFileOfAnOlderVersion) {
    {
        TelemetryStore store{options(), sources()};
        store.put(stored_call("old", kNow, "TIMEOUT"));
    }
    change_file(file_, "DROP VIEW all_calls; DROP TABLE call_groups; PRAGMA user_version = 1;");
    TelemetryStore store{options(), sources()};
    store.put(stored_call("new", kNow + 1));
    ASSERT_TRUE(store.flush(kPatience));

    EXPECT_EQ(store.status().state, StoreState::on) << store.status().reason;
    EXPECT_EQ(ids(), (Texts{"old", "new"}));
    // The view is for people, so it must work, too.
    change_file(file_,
                "CREATE TABLE seen AS SELECT id, attempts FROM all_calls WHERE server = 's'");
}

TEST_F(StoreFailureTest, LeavesAFileOfANewerVersionUnchanged) {
    fs::create_directories(folder_ / "data");
    change_file(file_, "PRAGMA user_version = 99; CREATE TABLE theirs(a);");
    TelemetryStore store{options(), sources()};

    expect_failure(store, "another version");
    store.stop();

    EXPECT_TRUE(fs::exists(file_));
    EXPECT_FALSE(telemetry::StoreReader::open(file_).has_value());
}

TEST_F(StoreFailureTest, RetriesByItself) {
    fs::create_directories(file_);
    auto quick = options();
    quick.first_retry = 1ms;
    quick.max_retry = 2ms;
    TelemetryStore store{quick, sources()};
    store.put(stored_call("kept", kNow));
    ASSERT_TRUE(store.flush(kPatience));
    ASSERT_EQ(store.status().state, StoreState::counters_only);

    fs::remove(file_);
    while (store.status().state != StoreState::on) {
        std::this_thread::yield();
    }

    EXPECT_EQ(ids(), (Texts{"kept"}));
}

TEST_F(StoreFailureTest, ReportsStateChanges) {
    auto states = std::make_shared<Texts>();
    auto listening = sources();
    listening.on_change = [states](const StoreStatus& status) {
        states->emplace_back(telemetry::text_of(status.state));
    };
    fs::create_directories(file_);
    TelemetryStore store{options(), listening};
    ASSERT_TRUE(store.flush(kPatience));
    ASSERT_TRUE(store.flush(kPatience));
    fs::remove(file_);
    ASSERT_TRUE(store.flush(kPatience));
    store.stop();

    EXPECT_EQ(*states, (Texts{"counters_only", "on"}));
}

class HangingDiskTest : public StoreFailureTest {
protected:
    HangingDiskTest() {
        hanging_.vfs = FailingDisk::name();
        hanging_.max_queued = 10;
        hanging_.finish_within = 20ms;
        disk_.hangs();
    }

    telemetry::StoreOptions hanging_ = options();
};

TEST_F(HangingDiskTest, BlocksNoCaller) {
    TelemetryStore store{hanging_, sources()};
    EXPECT_FALSE(store.flush(1ms));
    disk_.wait_until_it_hangs();

    for (int number = 0; number < 100; ++number) {
        store.put(stored_call(std::to_string(number), kNow, "TIMEOUT"));
    }

    EXPECT_EQ(store.status().queued, 10U);
    EXPECT_EQ(store.status().dropped, 90U);
    EXPECT_EQ(store.status().state, StoreState::on);
    *now_ += 6'000;
    EXPECT_EQ(store.status().state, StoreState::counters_only);
    EXPECT_EQ(store.status().reason, "the disk does not answer");

    disk_.is_fine();
    ASSERT_TRUE(store.flush(kPatience));
    ASSERT_TRUE(store.flush(kPatience));
    EXPECT_EQ(store.status().state, StoreState::on);
    EXPECT_EQ(ids().size(), 10U);
    EXPECT_EQ(store.status().dropped, 90U);
}

TEST_F(HangingDiskTest, StopsInTimeAndDetachesItsThread) {
    auto calls_after_the_end = std::make_shared<std::atomic<int>>(0);
    auto has_ended = std::make_shared<std::atomic<bool>>(false);
    auto kept_by_thread = std::make_shared<int>();
    const std::weak_ptr<int> thread_is_there = kept_by_thread;
    auto watched = sources();
    watched.totals = [calls_after_the_end, has_ended, kept = std::move(kept_by_thread)] {
        *calls_after_the_end += *has_ended ? 1 : 0;
        return std::vector<telemetry::CallTotal>{};
    };
    {
        TelemetryStore store{hanging_, std::move(watched)};
        EXPECT_FALSE(store.flush(1ms));
        disk_.wait_until_it_hangs();
    }
    *has_ended = true;
    EXPECT_FALSE(thread_is_there.expired());

    disk_.is_fine();
    while (!thread_is_there.expired()) {
        std::this_thread::yield();
    }

    EXPECT_EQ(*calls_after_the_end, 0);
}

}  // namespace
}  // namespace holdfast::test
