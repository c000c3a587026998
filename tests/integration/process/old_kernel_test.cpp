// Kernels before 5.3 have no `pidfd_open`, kernels before 5.9 no `close_range`. Children and
// programs work there too.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <string>

#include "platform/process_end.hpp"
#include "platform/run_program.hpp"
#include "process/inherited_descriptors.hpp"
#include "support/old_kernel.hpp"
#include "support/process_watch.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::process {
namespace {

using namespace std::chrono_literals;
using test::act_as_on_an_old_kernel;
using test::program_next_to_test;

constexpr int kOpen = 20;

bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) != -1;
}

void open_from(int first, int count) {
    for (int fd = first; fd < first + count; ++fd) {
        ::dup2(STDERR_FILENO, fd);
    }
}

[[noreturn]] void end(bool is_good) {
    ::_exit(is_good ? 0 : 1);
}

[[noreturn]] void close_descriptors() {
    const bool is_old = act_as_on_an_old_kernel();
    open_from(kOpen, 3);
    process::close_descriptors_from(kOpen + 1);
    end(is_old && is_open(kOpen) && !is_open(kOpen + 1) && !is_open(kOpen + 2));
}

[[noreturn]] void mark_descriptors() {
    const bool is_old = act_as_on_an_old_kernel();
    open_from(kOpen, 3);
    process::keep_descriptors_from_programs(kOpen + 1);
    const auto stays_open = [](int fd) { return ::fcntl(fd, F_GETFD) == 0; };
    end(is_old && stays_open(kOpen) && !stays_open(kOpen + 1) && !stays_open(kOpen + 2));
}

[[noreturn]] void run_programs() {
    const bool is_old = act_as_on_an_old_kernel();
    const auto good = platform::run_program({"true"}, 20s);
    const auto bad = platform::run_program({"sh", "-c", "exit 3"}, 20s);
    const auto slow = platform::run_program({"sleep", "100"}, 20ms);
    end(is_old && !good && bad && bad->message == "sh failed (exit code 3)" && slow &&
        slow->message == "sleep did not finish in time");
}

TEST(OldKernelTest, ClosesInheritedDescriptors) {
    EXPECT_EXIT(close_descriptors(), testing::ExitedWithCode(0), "");
}

TEST(OldKernelTest, KeepsDescriptorsFromPrograms) {
    EXPECT_EXIT(mark_descriptors(), testing::ExitedWithCode(0), "");
}

TEST(OldKernelTest, RunsProgramsAndEndsSlowOnes) {
    EXPECT_EXIT(run_programs(), testing::ExitedWithCode(0), "");
}

TEST(OldKernelTest, AChildHasItsThreeDescriptorsOnlyAndEndsWithTheGateway) {
    test::inherit_orphans();
    const test::TemporaryFolder folder;
    const std::string list = folder / "descriptors";
    test::RunningProgram gateway{
        {program_next_to_test("old_kernel_program"), program_next_to_test("guarded_program"),
         "/bin/sh", "-c", "ls /proc/$$/fd > " + list + "; echo ready; read line; sleep 100"}};
    ASSERT_EQ(gateway.first_line(), "ready");

    std::ifstream file{list};
    std::set<int> open;
    for (int fd = -1; file >> fd;) {
        open.insert(fd);
    }
    EXPECT_EQ(open.count(9), 0U) << "the descriptor of the gateway's parent";
    EXPECT_TRUE(open.contains(0) && open.contains(1) && open.contains(2));

    gateway.send(SIGTERM);

    EXPECT_EQ(gateway.wait(), 0);
    EXPECT_TRUE(test::eventually(test::has_no_descendant));
}

}  // namespace
}  // namespace holdfast::process
