#include "cli/command_line.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/commands/commands.hpp"
#include "cli/exit_code.hpp"
#include "runtime/version.hpp"
#include "support/golden.hpp"

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

TEST(CommandLineTest, PrintsTheVersionAsJson) {
    const Outcome outcome = run({"version", "--json"});

    EXPECT_EQ(outcome.exit_code, kExitSuccess);
    EXPECT_EQ(outcome.out, runtime::to_json(runtime::build_identity()) + "\n");
}

/// Adds the help of a command and of the commands in it, by its words joined with "-".
void add_help(const Command& command, std::vector<std::string> words,
              std::map<std::string, std::string>& texts) {
    words.push_back(command.name);
    std::vector<const char*> arguments;
    std::string name;
    for (const std::string& word : words) {
        arguments.push_back(word.c_str());
        name += (name.empty() ? "" : "-") + word;
    }
    arguments.push_back("--help");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, kExitSuccess) << name;
    EXPECT_EQ(outcome.errors, "") << name;
    texts[name] = outcome.out;
    for (const Command& inner : command.commands) {
        add_help(inner, words, texts);
    }
}

TEST(CommandLineTest, HelpOfEveryCommand) {
    std::map<std::string, std::string> texts{{"holdfast", run({"--help"}).out}};
    for (const Command& command : all_commands()) {
        add_help(command, {}, texts);
    }

    test::expect_golden_folder("help", texts);
}

/// A verb phrase without a full stop, below 60 characters.
void expect_short_help(const std::string& name, const std::string& help) {
    EXPECT_LT(help.size(), 60U) << name << ": " << help;
    EXPECT_FALSE(help.empty()) << name;
    EXPECT_FALSE(help.ends_with('.')) << name << ": " << help;
}

void expect_short_helps(const Command& command) {
    expect_short_help(command.name, command.help);
    for (const CommandOption& option : command.options) {
        expect_short_help(command.name + " " + option.name, option.help);
    }
    for (const Command& inner : command.commands) {
        expect_short_helps(inner);
    }
}

TEST(CommandLineTest, HelpTextsAreShort) {
    for (const Command& command : all_commands()) {
        expect_short_helps(command);
    }
}

TEST(CommandLineTest, HelpHasEveryExitCode) {
    const std::string help = run({"--help"}).out;

    for (const int code :
         {kExitSuccess, kExitFailure, kExitUsage, kExitConfig, kExitNoGateway, kExitInterrupted}) {
        EXPECT_NE(help.find("\n  " + std::to_string(code) + " "), std::string::npos) << code;
    }
}

/// The part of docs/cli.md under a heading that names the command.
std::string section_of(const std::string& page, const std::string& command) {
    std::istringstream lines{page};
    std::string section;
    bool is_inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("## ")) {
            const std::string names = ", " + line.substr(3) + ",";
            is_inside = names.find(", " + command + ",") != std::string::npos;
        } else if (is_inside) {
            section += line + "\n";
        }
    }
    return section;
}

TEST(CommandLineTest, ThePageDescribesEveryCommandAndOption) {
    std::ifstream file{std::string{HOLDFAST_DOCS_FOLDER} + "/cli.md"};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    for (const Command& command : all_commands()) {
        const std::string section = section_of(page, command.name);
        ASSERT_NE(section, "") << command.name;
        std::vector<CommandOption> options = command.options;
        for (const Command& inner : command.commands) {
            EXPECT_NE(section.find(inner.name), std::string::npos)
                << command.name << " " << inner.name;
            options.insert(options.end(), inner.options.begin(), inner.options.end());
        }
        for (const CommandOption& option : options) {
            const bool is_named = !option.name.starts_with("--") || option.is_hidden ||
                                  section.find("`" + option.name) != std::string::npos;
            EXPECT_TRUE(is_named) << command.name << " " << option.name;
        }
    }
}

TEST(CommandLineTest, PrintsTheSchemaOfTheConfig) {
    const Outcome outcome = run({"config", "schema"});

    EXPECT_EQ(outcome.exit_code, kExitSuccess);
    EXPECT_EQ(outcome.errors, "");
    EXPECT_NE(outcome.out.find("https://json-schema.org/draft/2020-12/schema"), std::string::npos);
}

TEST(CommandLineTest, ReportsAnInvalidCommandLineInTheTextsOfTheGoldenFile) {
    const std::vector<std::vector<const char*>> lines{
        {},
        {"chekc"},
        {"nonsense"},
        {"--bogus"},
        {"--verison"},
        {"verison", "--json"},
        {"version", "--jsno"},
        {"version", "-json"},
        {"version", "--json=yes"},
        {"version", "--bogus=1"},
        {"serve", "extra"},
        {"call", "tool", "{}", "extra"},
        {"model"},
        {"model", "instal"},
        {"model", "install", "--forec"},
        {"model", "install", "--ane"},
        {"servers", "pasue", "web"},
        {"circuits", "rest"},
        {"circuits", "reset"},
        {"circuits", "reset", "web", "--tokne", "x"},
        {"call"},
        {"eval", "--tools", "x"},
        {"serve", "--config"},
        {"serve", "--loops"},
        {"serve", "--loops", "two"},
        {"serve", "--loops", "0"},
        {"serve", "--loops", "-3"},
        {"serve", "--loops", "1.5"},
        {"serve", "--loops", "100000"},
        {"serve", "--clock-rate", "nan"},
        {"serve", "--clock-rate", "+nan"},
        {"serve", "--clock-rate", "0.5"},
        {"serve", "--drain", "5"},
        {"serve", "--drain", ""},
        {"serve", "--http", "nonsense"},
        {"serve", "--http", ":7332"},
        {"demo", "--admin", "127.0.0.1:99999"},
        {"serve", "--log-level", "loud"},
        {"status", "--pid", "abc"},
        {"status", "--pid", "99999999999999999999"},
        {"search", "words", "--limit", "500"},
        {"import", "--client", "emacs"},
        {"check", "--config", "a", "--config", "b"},
        {"call", "tool", "--config", "a", "--url", "b"},
        {"telemetry", "--table", "calls"},
        {"telemetry", "--json", "--export", "csv"},
    };
    std::string texts;
    for (const auto& line : lines) {
        const Outcome outcome = run(line);
        texts += "$ holdfast";
        for (const std::string word : line) {
            texts += " " + (word.empty() ? "''" : word);
        }
        texts += "\n" + outcome.errors;
        EXPECT_EQ(outcome.exit_code, kExitUsage) << texts;
        EXPECT_EQ(outcome.out, "") << texts;
    }

    test::expect_golden("invalid_command_lines", texts);
}

}  // namespace
}  // namespace holdfast::cli
