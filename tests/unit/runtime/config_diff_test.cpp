#include "runtime/loading/config_diff.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::runtime {
namespace {

using Names = std::vector<std::string>;

TEST(ConfigChangesTest, NamesWhatIsReadAtTheStartOnly) {
    config::Config before;
    config::Config after;
    EXPECT_EQ(sections_for_a_restart(before, after), Names{});

    after.agents.tokens.push_back({.name = "ada", .value = "secret"});  // applied by the reload
    after.ask_timeout = std::chrono::seconds{1};
    EXPECT_EQ(sections_for_a_restart(before, after), Names{"ask"});

    after = before;
    after.server_defaults.start_timeout = std::chrono::minutes{1};
    EXPECT_EQ(sections_for_a_restart(before, after), Names{});
    after.server_defaults.parallel_starts = 2;
    EXPECT_EQ(sections_for_a_restart(before, after), Names{"serverDefaults"});

    after = before;
    after.servers.push_back({.name = "new"});
    after.secrets.emplace_back("secret");
    EXPECT_EQ(sections_for_a_restart(before, after), Names{});
}

TEST(ConfigChangesTest, NamesSectionsByTheirContent) {
    config::Config before;
    for (const char* key : {"admin", "policies"}) {
        config::Node value;
        value.kind = config::NodeKind::object;
        before.sections.push_back({.key = key, .value = value});
    }

    EXPECT_EQ(sections_for_a_restart(before, before), Names{});
    EXPECT_EQ(sections_for_a_restart(before, {}), Names{"admin"});
}

TEST(ConfigChangesTest, NamesAddedAndRemovedServers) {
    EXPECT_EQ(describe_change({{.name = "a"}, {.name = "b"}}, {{.name = "b"}, {.name = "c"}}),
              (ServerChanges{.added = {"c"}, .removed = {"a"}, .unchanged_count = 1}));
    EXPECT_EQ(describe_change({}, {}), ServerChanges{});
}

}  // namespace
}  // namespace holdfast::runtime
