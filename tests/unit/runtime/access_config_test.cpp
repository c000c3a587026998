// What a config must not say about tokens.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "runtime/loaded_config.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/config/config_reading.hpp"

namespace holdfast::runtime {
namespace {

/// The errors in a file; empty if it can be used.
std::string errors_of(const std::string& text) {
    const test::TemporaryFolder folder;
    const std::string file = folder / "config.json";
    std::ofstream{file} << text;
    ConfigMessages messages;
    const auto loaded = load_everything(file, messages);
    EXPECT_EQ(loaded.has_value(), errors_in(messages).empty());
    return errors_in(messages);
}

AdminConfig admin_of(const std::string& section, const config::Variables& variables,
                     std::string& faults) {
    const config::Config config =
        config::config_of(R"({"mcpServers":{},"admin":)" + section + "}", variables);
    config::FaultReport report{"config.json"};
    AdminConfig admin = read_admin_config(config.section("admin"), report);
    for (const config::ConfigFault& fault : report.faults()) {
        faults += fault.message + "\n";
    }
    return admin;
}

TEST(AccessConfigTest, AnEmptyVariableDoesNotTurnTheAdminTokenOff) {
    std::string faults;

    std::ignore = admin_of(R"({"token":"${X}"})", {{"X", ""}}, faults);

    EXPECT_EQ(faults,
              "admin.token: the token is empty; write one, or remove the key to use no token\n");
}

TEST(AccessConfigTest, AShortAdminTokenIsAnError) {
    std::string faults;

    std::ignore = admin_of(R"({"token":"${X}"})", {{"X", "123456789012345"}}, faults);
    EXPECT_EQ(faults,
              "admin.token: the token is too short: others could guess it; write at least 16 "
              "characters\n");

    faults.clear();
    EXPECT_EQ(admin_of(R"({"token":"${X}"})", {{"X", "1234567890123456"}}, faults).token,
              "1234567890123456");
    EXPECT_EQ(faults, "");
}

TEST(AccessConfigTest, TheTokenOfAnAgentIsNotPassedOnToServers) {
    constexpr std::string_view kServer =
        R"("mcpServers":{"a":{"url":"http://h","credentials":[)"
        R"({"from":[{"env":"KEY"},{"agentHeader":"Authorization"}],"as":{"header":"Authorization"},)"
        R"("required":false}]}})";
    constexpr std::string_view kTokens = R"("agents":{"tokens":{"ada":"the-token-of-ada"}})";

    const std::string errors =
        errors_of("{" + std::string{kTokens} + "," + std::string{kServer} + "}");

    EXPECT_NE(errors.find("mcpServers.a.credentials: \"agentHeader\": \"authorization\" would send "
                          "the agents' tokens of \"agents.tokens\" to this server"),
              std::string::npos)
        << errors;
    EXPECT_EQ(errors_of("{" + std::string{kServer} + "}"), "");
}

}  // namespace
}  // namespace holdfast::runtime
