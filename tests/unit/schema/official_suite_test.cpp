// Runs the required part of the public JSON Schema 2020-12 test suite: one test for each file and
// one expectation for each case, so that a failure names the group, the case and the report.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "schema/schema.hpp"
#include "schema/tool_schema.hpp"

namespace holdfast::schema {
namespace {

namespace fs = std::filesystem;

const fs::path& suite_directory() {
    static const fs::path directory{HOLDFAST_JSON_SCHEMA_SUITE};
    return directory;
}

boost::json::value read_json(const fs::path& path) {
    std::ifstream stream{path};
    std::ostringstream text;
    text << stream.rdbuf();
    return boost::json::parse(text.str());
}

std::vector<std::string> suite_files() {
    std::vector<std::string> names;
    const fs::path directory = suite_directory() / "draft2020-12";
    if (fs::exists(directory)) {
        for (const auto& entry : fs::directory_iterator{directory}) {
            if (entry.path().extension() == ".json") {
                names.push_back(entry.path().stem().string());
            }
        }
    }
    std::ranges::sort(names);
    return names;
}

boost::json::value read_groups(const std::string& name) {
    return read_json(suite_directory() / "draft2020-12" / (name + ".json"));
}

const DocumentTable& remote_documents() {
    static const DocumentTable table = [] {
        DocumentTable documents;
        const fs::path root = suite_directory() / "remotes";
        for (const auto& entry : fs::recursive_directory_iterator{root}) {
            if (entry.is_regular_file()) {
                const std::string name = fs::relative(entry.path(), root).generic_string();
                documents.emplace("http://localhost:1234/" + name, read_json(entry.path()));
            }
        }
        return documents;
    }();
    return table;
}

std::string_view text_at(const boost::json::value& object, std::string_view key) {
    return object.at(key).as_string();
}

void expect_group(const boost::json::value& group) {
    SCOPED_TRACE(text_at(group, "description"));
    const auto schema = compile(group.at("schema"), {.documents = &remote_documents()});
    ASSERT_TRUE(schema) << schema.error().location << ": " << schema.error().message;
    EXPECT_TRUE(schema->skipped().empty());
    for (const auto& example : group.at("tests").as_array()) {
        const Report report = schema->validate(example.at("data"));
        const bool is_valid = example.at("valid").as_bool();
        EXPECT_TRUE(report.verdict == (is_valid ? Verdict::valid : Verdict::invalid))
            << text_at(example, "description") << "\n  value: " << example.at("data") << "\n  "
            << to_text(report);
        EXPECT_EQ(report.violations.empty(), is_valid) << text_at(example, "description");
    }
}

// Every offered correction must be valid, after being read back from its text.
void expect_fitting_examples(const boost::json::value& group, std::size_t& count) {
    SCOPED_TRACE(text_at(group, "description"));
    const ToolSchema schema{boost::json::serialize(group.at("schema"))};
    for (const auto& sent : group.at("tests").as_array()) {
        const auto report = schema.check(boost::json::serialize(sent.at("data")));
        if (report && !report->example.empty()) {
            ++count;
            EXPECT_FALSE(schema.check(report->example)) << report->example;
            EXPECT_TRUE(boost::json::parse(report->example).is_object());
        }
    }
}

class OfficialSuiteTest : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OfficialSuiteTest);

TEST_P(OfficialSuiteTest, AgreesOnEveryCase) {
    const boost::json::value groups = read_groups(GetParam());

    for (const auto& group : groups.as_array()) {
        expect_group(group);
    }
}

TEST_P(OfficialSuiteTest, OffersOnlyValidExamples) {
    const boost::json::value groups = read_groups(GetParam());

    std::size_t count = 0;
    for (const auto& group : groups.as_array()) {
        expect_fitting_examples(group, count);
    }

    RecordProperty("examples", static_cast<int>(count));
    const bool is_about_objects = GetParam() == "required" || GetParam() == "properties" ||
                                  GetParam() == "additionalProperties";
    EXPECT_GE(count, is_about_objects ? 3U : 0U);
}

std::string name_of(const testing::TestParamInfo<std::string>& file) {
    std::string name = file.param;
    std::ranges::replace(name, '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Required, OfficialSuiteTest, testing::ValuesIn(suite_files()), name_of);

TEST(OfficialSuitePresenceTest, HasAllRequiredCases) {
    if (!fs::exists(suite_directory())) {
        GTEST_SKIP() << "The JSON Schema test suite is not at " << suite_directory()
                     << "; put a copy there to run it.";
    }

    std::size_t count = 0;
    for (const std::string& file : suite_files()) {
        const boost::json::value groups = read_groups(file);
        for (const auto& group : groups.as_array()) {
            count += group.at("tests").as_array().size();
        }
    }

    RecordProperty("cases", static_cast<int>(count));
    EXPECT_GE(count, 1299U);
}

}  // namespace
}  // namespace holdfast::schema
