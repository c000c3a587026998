#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "guarded_child.hpp"
#include "process/guardian_loop.hpp"
#include "process/process_activity.hpp"
#include "process/socket_message.hpp"

namespace holdfast::process {
namespace {

class ChildStartTest : public GuardedChildTest {};

TEST_F(ChildStartTest, ReportsTheProcessId) {
    launch(troubled({"echo"}));

    const auto pid = run(child_->wait_started(soon()));

    ASSERT_TRUE(pid);
    EXPECT_EQ(test::descendants_of(guardian_->pid()), std::vector<pid_t>{*pid});
}

TEST_F(ChildStartTest, LeadsItsOwnSession) {
    launch(troubled({"echo"}));

    const auto pid = run(child_->wait_started(soon()));

    ASSERT_TRUE(pid);
    EXPECT_EQ(::getsid(*pid), *pid);
    EXPECT_EQ(::getpgid(*pid), *pid);
}

TEST_F(ChildStartTest, ShowsTheProcessorTimeOfProcessesThatAChildStarted) {
    launch({.arguments = {"sh", "-c",
                          "(i=0; while [ $i -lt 1000000000 ]; do i=$((i+1)); done) & "
                          "read -r line; wait"},
            .environment = {"PATH=/usr/bin:/bin"}});
    const auto pid = run(child_->wait_started(soon()));
    ASSERT_TRUE(pid);

    EXPECT_TRUE(test::eventually([&] { return activity_of_tree(*pid).cpu >= 100ms; }));
    EXPECT_EQ(activity_of_tree(*pid).processes, 2U);
    EXPECT_EQ(activity_of_tree(guardian_->pid()).processes, 3U);
}

TEST_F(ChildStartTest, ReportsAMissingProgram) {
    launch({.arguments = {"/nowhere/server"}});

    const auto pid = run(child_->wait_started(soon()));

    ASSERT_FALSE(pid);
    EXPECT_EQ(pid.error().code, net::NetErrc::not_found);
    EXPECT_EQ(pid.error().system_code, ENOENT);
}

TEST_F(ChildStartTest, ReportsAProgramWithoutPermission) {
    launch({.arguments = {"/etc/passwd"}});

    const auto pid = run(child_->wait_started(soon()));

    ASSERT_FALSE(pid);
    EXPECT_EQ(pid.error().code, net::NetErrc::not_permitted);
}

TEST_F(ChildStartTest, ReportsAMissingDirectory) {
    ChildSpec spec = troubled({"echo"});
    spec.directory = "/nowhere";
    launch(spec);

    const auto pid = run(child_->wait_started(soon()));

    ASSERT_FALSE(pid);
    EXPECT_EQ(pid.error().code, net::NetErrc::not_found);
    EXPECT_NE(pid.error().message.find("directory"), std::string::npos);
}

TEST_F(ChildStartTest, ReportsAFailedStartToEveryWaiter) {
    launch({.arguments = {"/nowhere/server"}});

    EXPECT_EQ(run(child_->wait_exit(soon())).error().code, net::NetErrc::not_found);
    EXPECT_EQ(run(child_->read()).error().code, net::NetErrc::not_found);
    EXPECT_TRUE(run(child_->stop({})));
    EXPECT_EQ(child_->try_write("{}").error().code, net::NetErrc::not_found);
}

TEST_F(ChildStartTest, LooksTheProgramUpInThePathOfTheChild) {
    launch({.arguments = {"sh", "-c", "echo found"}, .environment = {"PATH=/usr/bin:/bin"}});
    EXPECT_EQ(read(), "found");

    launch({.arguments = {"sh"}, .environment = {"PATH=/nowhere"}});
    EXPECT_EQ(run(child_->wait_started(soon())).error().code, net::NetErrc::not_found);
}

TEST_F(ChildStartTest, PassesEnvironmentAndDirectory) {
    launch({.arguments = {"/bin/sh", "-c", "echo \"$KEY|$HOME|$(pwd)\""},
            .environment = {"KEY=a b", "PATH=/usr/bin:/bin"},
            .directory = "/usr"});

    EXPECT_EQ(read(), "a b||/usr");
}

TEST_F(ChildStartTest, PassesNoOtherDescriptorsToTheChild) {
    launch({.arguments = {"/bin/sh", "-c", "ls /proc/self/fd | tr '\\n' ' '"},
            .environment = {"PATH=/usr/bin:/bin"}});

    // The fourth is the directory that ls itself reads.
    EXPECT_EQ(read(), "0 1 2 3 ");
}

TEST_F(ChildStartTest, GivesTheChildDefaultSignals) {
    launch({.arguments = {"/bin/sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status"},
            .environment = {"PATH=/usr/bin:/bin"}});

    EXPECT_EQ(read(), "SigBlk:\t0000000000000000");
    EXPECT_EQ(read(), "SigIgn:\t0000000000000000");
}

TEST_F(ChildStartTest, RejectsAnEnvironmentThatIsTooLarge) {
    ChildSpec spec = troubled({"echo"});
    spec.environment.push_back("HUGE=" + std::string(200'000, 'x'));

    const auto launched = ChildProcess::launch(loop(), *guardian_, spec);
    child_.reset();

    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().code, net::NetErrc::too_large);
}

TEST_F(ChildStartTest, PassesAnEnvironmentNearTheLimit) {
    ChildSpec spec = troubled({"echo"});
    spec.environment.push_back("LARGE=" + std::string(100'000, 'x'));

    start(spec);

    EXPECT_TRUE(child_->try_write("{}"));
    EXPECT_EQ(read(), "{}");
}

TEST_F(ChildStartTest, StartsManyAtTheSameTime) {
    constexpr int kCount = 40;
    std::vector<std::unique_ptr<ChildProcess>> children;
    for (int index = 0; index < kCount; ++index) {
        auto launched = ChildProcess::launch(loop(), *guardian_, troubled({"echo"}));
        ASSERT_TRUE(launched);
        children.push_back(std::move(*launched));
    }

    for (const auto& child : children) {
        EXPECT_TRUE(run(child->wait_started(soon())));
    }

    EXPECT_EQ(test::descendants_of(guardian_->pid()).size(), kCount);
}

TEST_F(ChildStartTest, StartsFiveHundredChildren) {
    constexpr std::size_t kCount = 500;
    constexpr std::size_t kAtOnce = 50;
    std::vector<std::unique_ptr<ChildProcess>> children;
    while (children.size() < kCount) {
        const std::size_t begin = children.size();
        while (children.size() < begin + kAtOnce) {
            auto launched = ChildProcess::launch(loop(), *guardian_, troubled({"echo"}));
            ASSERT_TRUE(launched) << launched.error().message;
            children.push_back(std::move(*launched));
        }
        for (std::size_t index = begin; index < children.size(); ++index) {
            const auto started = run(children[index]->wait_started(soon()));
            ASSERT_TRUE(started) << started.error().message;
        }
    }

    EXPECT_EQ(test::descendants_of(guardian_->pid()).size(), kCount);
}

TEST_F(ChildStartTest, ChildrenKeepTheLimitOfDescriptors) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    rlimit low = before;
    low.rlim_cur = 500;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);

    auto another = Guardian::start();
    ASSERT_TRUE(another);
    guardian_.emplace(std::move(*another));

    rlimit raised{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &raised), 0);
    EXPECT_GT(raised.rlim_cur, low.rlim_cur);
    launch({.arguments = {"/bin/sh", "-c", "ulimit -n"}});
    EXPECT_EQ(read(), "500");
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(ChildStartTest, RefusesMoreChildrenThanTheLimit) {
    constexpr std::size_t kMost = 10;
    auto narrow = Guardian::start({.max_children = kMost});
    ASSERT_TRUE(narrow);
    guardian_.emplace(std::move(*narrow));
    std::vector<platform::UniqueFd> leashes;
    for (std::size_t index = 0; index < kMost; ++index) {
        int error = 0;
        auto [near_end, far_end] = make_message_pair(error);
        leashes.push_back(std::move(near_end));
        ASSERT_TRUE(guardian_->adopt(std::move(far_end)));
    }

    launch(troubled({"echo"}));
    EXPECT_EQ(run(child_->wait_started(soon())).error().code, net::NetErrc::overloaded);

    leashes.clear();
    launch(troubled({"echo"}));
    EXPECT_TRUE(run(child_->wait_started(soon())));
}

TEST_F(ChildStartTest, EndsWithItsGuardian) {
    start({"echo"});

    ::kill(guardian_->pid(), SIGKILL);

    EXPECT_EQ(run(child_->wait_exit(soon())).value(), ChildExit{});
    EXPECT_TRUE(test::eventually(
        [this] { return !ChildProcess::launch(loop(), *guardian_, troubled({"echo"})); }));
}

}  // namespace
}  // namespace holdfast::process
