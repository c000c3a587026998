#include "cli/command_line.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/exit_code.hpp"
#include "runtime/version.hpp"

namespace holdfast::cli {
namespace {

struct Outcome {
    int exit_code = 0;
    std::string out;
    std::string errors;
};

Outcome run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "holdfast");
    std::ostringstream out;
    std::ostringstream errors;
    const int exit_code =
        run_command_line(static_cast<int>(arguments.size()), arguments.data(), out, errors);
    return {.exit_code = exit_code, .out = out.str(), .errors = errors.str()};
}

TEST(CommandLineTest, PrintsTheVersionOnRequest) {
    const std::string expected = runtime::describe(runtime::build_identity()) + "\n";

    for (const char* request : {"version", "--version"}) {
        const Outcome outcome = run({request});
        EXPECT_EQ(outcome.exit_code, kExitSuccess) << request;
        EXPECT_EQ(outcome.out, expected) << request;
        EXPECT_EQ(outcome.errors, "") << request;
    }
}

TEST(CommandLineTest, RefusesFiguresThatCannotBe) {
    const std::vector<std::vector<const char*>> lines{
        {"serve", "--loops", "-3"},       {"serve", "--loops", "0"},
        {"serve", "--loops", "100000"},   {"serve", "--loops", "two"},
        {"serve", "--clock-rate", "nan"}, {"serve", "--clock-rate", "+nan"},
        {"serve", "--clock-rate", "0.5"}, {"serve", "--http", "nonsense"},
        {"serve", "--http", ":7332"},     {"demo", "--admin", "127.0.0.1:99999"}};
    for (const auto& line : lines) {
        const Outcome outcome = run(line);
        EXPECT_EQ(outcome.exit_code, kExitUsage) << line[1] << " " << line[2];
        EXPECT_NE(outcome.errors.find(line[1]), std::string::npos) << outcome.errors;
    }
}

TEST(CommandLineTest, PrintsTheVersionAsJson) {
    const Outcome outcome = run({"version", "--json"});

    EXPECT_EQ(outcome.exit_code, kExitSuccess);
    EXPECT_EQ(outcome.out, runtime::to_json(runtime::build_identity()) + "\n");
}

TEST(CommandLineTest, HelpNamesTheCommands) {
    const Outcome outcome = run({"--help"});

    EXPECT_EQ(outcome.exit_code, kExitSuccess);
    EXPECT_NE(outcome.out.find("version"), std::string::npos);
    EXPECT_EQ(outcome.errors, "");
}

TEST(CommandLineTest, NamesTheNearestCommandForAnUnknownOne) {
    const Outcome outcome = run({"verison", "--json"});

    EXPECT_EQ(outcome.exit_code, kExitUsage);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.errors,
              "holdfast: unknown command \"verison\"; did you mean \"version\"? "
              "\"holdfast --help\" lists the commands.\n");
}

TEST(CommandLineTest, RefusesAnUnknownOption) {
    const Outcome outcome = run({"--bogus"});

    EXPECT_EQ(outcome.exit_code, kExitUsage);
    EXPECT_EQ(outcome.errors,
              "holdfast: unknown option \"--bogus\"; \"holdfast --help\" lists the options.\n");
}

TEST(CommandLineTest, RefusesWhatACommandDoesNotTake) {
    const Outcome outcome = run({"version", "--jsno"});

    EXPECT_EQ(outcome.exit_code, kExitUsage);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.errors,
              "holdfast: unknown option \"--jsno\"; did you mean \"--json\"? "
              "\"holdfast --help\" lists the options.\n");
}

TEST(CommandLineTest, AsksForACommandWhenThereIsNone) {
    const Outcome outcome = run({});

    EXPECT_EQ(outcome.exit_code, kExitUsage);
    EXPECT_EQ(outcome.errors,
              "holdfast: no command was given; \"holdfast --help\" lists the commands.\n");
}

}  // namespace
}  // namespace holdfast::cli
