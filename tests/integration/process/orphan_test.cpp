// However the gateway ends, no process of its children is left. The test inherits every orphan
// below it: once the gateway and its guardian are reaped and the test has no child, no process
// escaped.

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "support/process_watch.hpp"

namespace holdfast::process {
namespace {

using test::descendants_of;
using test::eventually;
using test::program_next_to_test;
using test::RunningProgram;

struct Situation {
    std::string name;
    int signal_number;
    std::vector<std::string> command;
    std::size_t least_processes;  // gateway, guardian and the processes of the child

    friend std::ostream& operator<<(std::ostream& out, const Situation& situation) {
        return out << situation.name;
    }
};

std::vector<Situation> situations() {
    const std::string child = program_next_to_test("troubled_child");
    const std::vector<Situation> kinds{
        {"Echo", 0, {child, "echo"}, 3},
        {"Stubborn", 0, {child, "stubborn"}, 3},
        {"Family", 0, {child, "family"}, 4},
        {"Daemon", 0, {child, "daemon"}, 4},
        {"Chain", 0, {child, "chain", "6"}, 9},
        {"ShellWrapper", 0, {"/bin/sh", "-c", "'" + child + "' stubborn & wait"}, 4},
        {"ShellAroundFamily", 0, {"/bin/sh", "-c", "'" + child + "' family; true"}, 5},
    };
    std::vector<Situation> all;
    for (const auto& [ending, signal_number] :
         {std::pair{"AfterTerm", SIGTERM}, {"AfterInt", SIGINT}, {"AfterKill", SIGKILL}}) {
        for (Situation kind : kinds) {
            kind.name += ending;
            kind.signal_number = signal_number;
            all.push_back(kind);
        }
    }
    return all;
}

class OrphanTest : public ::testing::TestWithParam<Situation> {};

TEST_P(OrphanTest, NothingIsLeft) {
    test::inherit_orphans();
    std::vector<std::string> command = GetParam().command;
    command.insert(command.begin(), program_next_to_test("guarded_program"));
    RunningProgram gateway{command};
    ASSERT_EQ(gateway.first_line(), "ready");
    ASSERT_GE(descendants_of(::getpid()).size(), GetParam().least_processes);

    gateway.send(GetParam().signal_number);

    EXPECT_EQ(gateway.wait(), GetParam().signal_number == SIGKILL ? -SIGKILL : 0);
    EXPECT_TRUE(eventually(test::has_no_descendant)) << "something outlived the gateway";
}

INSTANTIATE_TEST_SUITE_P(EveryEnding, OrphanTest, ::testing::ValuesIn(situations()),
                         [](const ::testing::TestParamInfo<Situation>& info) {
                             return info.param.name;
                         });

}  // namespace
}  // namespace holdfast::process
