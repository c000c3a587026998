#include "runtime/state/file_listing_cache.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/state/listing_format.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;
using downstream::Listing;
using downstream::ListKind;
using namespace std::chrono_literals;

const std::string kServer = "files";

Listing listing_of(ListKind kind, const std::vector<std::string>& names) {
    Listing listing{.kind = kind};
    for (const std::string& name : names) {
        listing.entries.push_back(
            {name, R"({"name":")" + name + R"(","inputSchema":{"type":"object"}})"});
    }
    return listing;
}

Listing tools(const std::vector<std::string>& names) {
    return listing_of(ListKind::tools, names);
}

mode_t mode_of(const std::string& path) {
    struct stat about{};
    EXPECT_EQ(::stat(path.c_str(), &about), 0) << path;
    return about.st_mode & 0777U;
}

class FileListingCacheTest : public testing::Test {
protected:
    FileListingCacheOptions options() {
        FileListingCacheOptions options{.folder = folder()};
        options.max_file_bytes = 100'000;
        options.writer.finish_within = 60s;  // A busy machine must not fail the test.
        options.now = [this] { return now_; };
        return options;
    }
    std::optional<KnownEra> known_era(const std::string& identity = "command") {
        const auto eras = known_eras(options(), {{kServer, identity}});
        const auto found = eras.find(kServer);
        return found == eras.end() ? std::nullopt : std::optional{found->second};
    }
    /// What one run of the gateway has; destroying it writes everything.
    std::unique_ptr<FileListingCache> run(const std::string& identity = "command") {
        return std::make_unique<FileListingCache>(
            options(), std::vector<ServerIdentity>{{kServer, identity}},
            [this](const std::string& sentence) { told_.push_back(sentence); });
    }

    void keep(const Listing& listing, const std::string& identity = "command") {
        run(identity)->keep(kServer, listing);
    }

    std::vector<std::string> kept_names(const std::string& identity = "command") {
        std::vector<std::string> names;
        for (const Listing& listing : run(identity)->listings(kServer)) {
            for (const downstream::ListedEntry& entry : listing.entries) {
                names.push_back(entry.key);
            }
        }
        return names;
    }

    std::string folder() const { return base_ / "holdfast/catalogue"; }

    std::vector<std::string> files() const {
        std::vector<std::string> files;
        for (const auto& file : fs::directory_iterator{folder()}) {
            files.push_back(file.path().string());
        }
        return files;
    }

    std::string only_file() const {
        const auto all = files();
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? std::string{} : all.front();
    }

    const test::TemporaryFolder base_;
    std::chrono::system_clock::time_point now_ = std::chrono::system_clock::now();
    std::vector<std::string> told_;  // written by the writer's thread, read when that has ended
};

using Names = std::vector<std::string>;

TEST_F(FileListingCacheTest, RemembersThatAServerKeptAListWaiting) {
    EXPECT_FALSE(run()->was_awaited(kServer));
    run()->keep_awaited(kServer);
    run()->keep_awaited("unknown");

    EXPECT_TRUE(run()->was_awaited(kServer));
    EXPECT_FALSE(run("another command")->was_awaited(kServer));
    EXPECT_FALSE(run()->was_awaited("unknown"));
}

TEST_F(FileListingCacheTest, IsEmptyAtFirstAndCreatesNoFolder) {
    EXPECT_EQ(kept_names(), Names{});
    EXPECT_FALSE(known_era());

    EXPECT_FALSE(fs::exists(folder()));
    EXPECT_EQ(told_, Names{});
}

TEST_F(FileListingCacheTest, RemembersEveryListOfAServer) {
    {
        const auto files = run();
        files->keep(kServer, listing_of(ListKind::templates, {"d"}));
        files->keep(kServer, listing_of(ListKind::resources, {"c"}));
        files->keep(kServer, listing_of(ListKind::prompts, {"b"}));
        files->keep(kServer, listing_of(ListKind::tools, {"a", "aa"}));
    }

    EXPECT_EQ(kept_names(), (Names{"a", "aa", "b", "c", "d"}));
    EXPECT_EQ(files().size(), 4U);
}

TEST_F(FileListingCacheTest, KeepsTheNewestOfManyListings) {
    {
        const auto files = run();
        for (int count = 0; count <= 500; ++count) {
            files->keep(kServer, tools({"tool" + std::to_string(count)}));
        }
    }

    EXPECT_EQ(kept_names(), Names{"tool500"});
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(FileListingCacheTest, RecordsSuccessfulStartsByCommandForAllServersWithIt) {
    const std::vector<ServerIdentity> servers{
        {.name = "a", .identity = "a of one config", .command = "run"},
        {.name = "b", .identity = "b of another", .command = "run"},
        {.name = "c", .identity = "c", .command = "walk"},
        {.name = "d", .identity = "a page", .command = ""}};
    EXPECT_EQ(known_starts(options(), servers), KnownStarts{});
    {
        FileListingCache cache{options(), servers, [](const std::string&) {}};
        cache.keep_era("a", mcp::Era::legacy);
        cache.keep_era("d", mcp::Era::legacy);
    }

    EXPECT_EQ(known_starts(options(), servers), (KnownStarts{"a", "b"}));
    FileListingCache{options(), servers, [](const std::string&) {}}.keep_era("b", mcp::Era::modern);
    EXPECT_EQ(known_starts(options(), servers), (KnownStarts{"a", "b"}));
}

TEST_F(FileListingCacheTest, DistinguishesServersByTheirIdentity) {
    keep(tools({"old"}), "one command");
    keep(tools({"new"}), "another command");

    EXPECT_EQ(kept_names("one command"), Names{"old"});
    EXPECT_EQ(kept_names("another command"), Names{"new"});
    EXPECT_EQ(kept_names("a third"), Names{});
}

TEST_F(FileListingCacheTest, StoresNothingOfAnUnknownServer) {
    run()->keep("stranger", tools({"a"}));

    EXPECT_TRUE(run()->listings("stranger").empty());
    EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(FileListingCacheTest, CreatesPrivateFiles) {
    const mode_t before = ::umask(0);
    keep(tools({"a"}));
    ::umask(before);

    EXPECT_EQ(mode_of(only_file()), 0600U);
    EXPECT_EQ(mode_of(folder()), 0700U);
    EXPECT_EQ(mode_of(base_ / "holdfast"), 0700U);
}

TEST_F(FileListingCacheTest, DoesNotShowTheIdentityOnDisk) {
    keep(tools({"a"}), "https://example.com/?token=hush");

    EXPECT_EQ(only_file().find("hush"), std::string::npos);
    EXPECT_EQ(test::content_of_file(only_file()).find("hush"), std::string::npos);
}

TEST_F(FileListingCacheTest, DoesNotWriteWhatHasNotChanged) {
    const auto inode = [this] {
        struct stat about{};
        EXPECT_EQ(::stat(only_file().c_str(), &about), 0);
        return about.st_ino;
    };
    keep(tools({"a"}));
    const auto first = inode();

    keep(tools({"a"}));

    EXPECT_EQ(inode(), first);
    keep(tools({"b"}));
    EXPECT_NE(inode(), first);
}

TEST_F(FileListingCacheTest, WritesAgainWhatAnotherProcessReplaced) {
    auto mine = run();
    mine->keep(kServer, tools({"mine"}));
    while (kept_names() != Names{"mine"}) {
        std::this_thread::yield();
    }
    keep(tools({"theirs"}));

    mine->keep(kServer, tools({"mine"}));
    mine.reset();

    EXPECT_EQ(kept_names(), Names{"mine"});
}

struct Damage {
    const char* what;
    std::function<void(const std::string& file)> damage;
};

TEST_F(FileListingCacheTest, IgnoresAndReplacesIncompleteFiles) {
    const std::vector<Damage> damages{
        {"emptied", [](const std::string& file) { fs::resize_file(file, 0); }},
        {"cut", [](const std::string& file) { fs::resize_file(file, fs::file_size(file) - 1); }},
        {"longer", [](const std::string& file) { fs::resize_file(file, fs::file_size(file) + 1); }},
        {"binary",
         [](const std::string& file) { test::write_file(file, std::string(5'000, '\xfe')); }},
        {"huge", [](const std::string& file) { fs::resize_file(file, std::uintmax_t{1} << 33U); }},
        {"of another kind",
         [](const std::string& file) {
             test::write_file(file, serialize(listing_of(ListKind::prompts, {"a"})));
         }},
        {"writable by others",
         [](const std::string& file) { fs::permissions(file, fs::perms{0622}); }},
        {"a link",
         [](const std::string& file) {
             fs::rename(file, file + ".there");
             fs::create_symlink(file + ".there", file);
         }},
        {"a pipe",
         [](const std::string& file) {
             fs::remove(file);
             EXPECT_EQ(::mkfifo(file.c_str(), 0600), 0);
         }},
    };
    for (const Damage& damage : damages) {
        keep(tools({"a"}));
        ASSERT_EQ(kept_names(), Names{"a"}) << damage.what;
        damage.damage(only_file());

        EXPECT_EQ(kept_names(), Names{}) << damage.what;

        keep(tools({"b"}));
        EXPECT_EQ(kept_names(), Names{"b"}) << damage.what;
        fs::remove_all(folder());
    }
    EXPECT_EQ(told_, Names{});
}

TEST_F(FileListingCacheTest, KeepsAWholeFileWhenTheNewListIsTooLarge) {
    keep(tools({"a"}));

    keep(tools({std::string(100'000, 'x')}));

    EXPECT_EQ(kept_names(), Names{"a"});
    EXPECT_EQ(told_.size(), 1U);
}

TEST_F(FileListingCacheTest, ReportsOnceThatNothingCanBeWritten) {
    test::write_file(base_ / "holdfast", "A file where the folder should be.");
    {
        const auto files = run();
        files->keep(kServer, tools({"a"}));
        files->keep(kServer, listing_of(ListKind::prompts, {"b"}));
        files->keep_era(kServer, mcp::Era::legacy);
    }

    ASSERT_EQ(told_.size(), 1U);
    EXPECT_NE(told_[0].find(base_ / "holdfast/catalogue"), std::string::npos) << told_[0];
    EXPECT_EQ(kept_names(), Names{});
}

TEST_F(FileListingCacheTest, LeavesTheOldFileWhenTheDiskIsFull) {
    keep(tools({"a"}));
    // The nearest thing to a full disk that needs no rights: a write that fails halfway.
    struct rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small{.rlim_cur = 1'000, .rlim_max = before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);

    keep(tools({std::string(2'000, 'b')}));

    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(told_.size(), 1U);
    EXPECT_EQ(kept_names(), Names{"a"});
    EXPECT_EQ(files().size(), 1U);
}

TEST_F(FileListingCacheTest, RemovesUnusedFiles) {
    keep(tools({"a"}));
    test::write_file(folder() + "/.new-abcdef", "left behind");

    now_ += 30min;
    EXPECT_EQ(kept_names(), Names{"a"});
    EXPECT_EQ(files().size(), 2U);
    now_ += 60min;
    EXPECT_EQ(kept_names(), Names{"a"});
    EXPECT_EQ(files().size(), 1U);
    now_ += std::chrono::hours{24 * 91};
    run().reset();
    EXPECT_EQ(files().size(), 0U);
}

TEST_F(FileListingCacheTest, RemembersTheEraWithItsAge) {
    run()->keep_era(kServer, mcp::Era::modern);
    now_ += 5h;

    const auto known = known_era();

    ASSERT_TRUE(known);
    EXPECT_EQ(known->era, mcp::Era::modern);
    EXPECT_GE(known->age, 5h);
    EXPECT_LT(known->age, 5h + 2s);
    EXPECT_FALSE(known_era("another command"));
}

TEST_F(FileListingCacheTest, DoesNotRefreshTheAgeOfAnAssumedEra) {
    run()->keep_era(kServer, mcp::Era::legacy);
    now_ += 23h;
    run()->keep_era(kServer, mcp::Era::legacy);
    EXPECT_GE(known_era()->age, 23h);

    now_ += 2h;
    run()->keep_era(kServer, mcp::Era::legacy);

    EXPECT_LT(known_era()->age, 2s);
}

TEST_F(FileListingCacheTest, ReplacesAnEraThatHasChanged) {
    run()->keep_era(kServer, mcp::Era::legacy);
    now_ += 1h;

    run()->keep_era(kServer, mcp::Era::modern);

    EXPECT_EQ(known_era()->era, mcp::Era::modern);
    EXPECT_LT(known_era()->age, 2s);
}

TEST_F(FileListingCacheTest, IgnoresAnEraFromTheFuture) {
    run()->keep_era(kServer, mcp::Era::legacy);

    now_ -= 1h;

    EXPECT_FALSE(known_era());
    run()->keep_era(kServer, mcp::Era::legacy);
    EXPECT_TRUE(known_era());
}

TEST_F(FileListingCacheTest, LetsTwoWritersShareAFolder) {
    keep(tools({"one", "1"}));
    std::atomic<int> running{2};
    const auto write = [this, &running](const Listing& listing) {
        for (int round = 0; round < 100; ++round) {
            keep(listing);
        }
        --running;
    };
    std::thread one{write, tools({"one", "1"})};
    std::thread two{write, tools({"two", "2"})};

    while (running > 0) {
        const Names names = kept_names();
        const bool is_whole = names == Names{"one", "1"} || names == Names{"two", "2"};
        EXPECT_TRUE(is_whole) << names.size();
    }
    one.join();
    two.join();

    EXPECT_EQ(files().size(), 1U);
    EXPECT_EQ(told_, Names{});
}

}  // namespace
}  // namespace holdfast::runtime
