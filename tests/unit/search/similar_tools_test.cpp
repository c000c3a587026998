#include "search/similar_tools.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "search/index_writer.hpp"

namespace holdfast::search {
namespace {

class SimilarToolsTest : public testing::Test {
protected:
    void put(const std::string& server, const std::string& name, const std::string& description) {
        writer_.put({.id = server + "__" + name,
                     .name = name,
                     .server = server,
                     .description = description});
    }
    std::vector<std::string> similar(const std::string& id, const SimilarityOptions& options = {}) {
        return similar_tools(*writer_.snapshot(), id, options).value_or(kUnknown);
    }
    void put_two_file_servers() {
        put("files", "read_file", "Read the complete contents of a file from the file system.");
        put("files", "write_file", "Create a new file or overwrite an existing file.");
        put("desktop", "read_file", "Read the contents of a file from the file system or a URL.");
        put("desktop", "start_process", "Start a terminal process with smart state detection.");
        put("weather", "forecast", "Weather forecast of a city for the next days.");
        put("mail", "send_mail", "Send a message to one or several recipients.");
    }

    const std::vector<std::string> kUnknown = {"(the index does not have it)"};

private:
    IndexWriter writer_;
};

TEST_F(SimilarToolsTest, FindsTheSameJobAtAnotherServer) {
    put_two_file_servers();

    EXPECT_EQ(similar("files__read_file"), std::vector<std::string>{"desktop__read_file"});
    EXPECT_EQ(similar("desktop__read_file"), std::vector<std::string>{"files__read_file"});
}

TEST_F(SimilarToolsTest, IgnoresUnrelatedTools) {
    put_two_file_servers();

    for (const char* id :
         {"files__write_file", "desktop__start_process", "weather__forecast", "mail__send_mail"}) {
        EXPECT_TRUE(similar(id).empty()) << id;
    }
}

TEST_F(SimilarToolsTest, SkipsToolsOfTheSameServer) {
    put("box", "read_page", "Read a page of the documentation.");
    put("box", "read_pages", "Read the pages of the documentation.");
    put("weather", "forecast", "Weather forecast of a city.");

    EXPECT_TRUE(similar("box__read_page").empty());
}

TEST_F(SimilarToolsTest, WorksInAVerySmallCatalogue) {
    put("primary", "read_docs", "Read a page of the documentation.");
    put("spare", "read_docs", "Read a page of the documentation.");
    put("weather", "forecast", "Weather forecast of a city.");

    EXPECT_EQ(similar("primary__read_docs"), std::vector<std::string>{"spare__read_docs"});
    EXPECT_TRUE(similar("weather__forecast").empty());
}

TEST_F(SimilarToolsTest, PutsTheNearestFirstAndStopsAtTheMaximum) {
    put("a", "search_web", "Search the web for pages about a topic.");
    put("b", "search_web", "Search the web for pages about a topic.");
    put("c", "search_web", "Search the web for recent pages about a topic or a person.");
    put("weather", "forecast", "Weather forecast of a city.");

    EXPECT_EQ(similar("a__search_web"),
              (std::vector<std::string>{"b__search_web", "c__search_web"}));
    EXPECT_EQ(similar("a__search_web", {.max_tools = 1}),
              std::vector<std::string>{"b__search_web"});
}

TEST_F(SimilarToolsTest, ReturnsNothingForAnUnknownTool) {
    put_two_file_servers();

    EXPECT_EQ(similar("files__delete_file"), kUnknown);
}

TEST_F(SimilarToolsTest, ANameAloneIsNotEnough) {
    put("mail", "search", "");
    put("shop", "search", "");
    put("notes", "search", "Search the notes of a user by their words.");

    EXPECT_TRUE(similar("mail__search").empty());
    EXPECT_TRUE(similar("notes__search").empty());
}

TEST_F(SimilarToolsTest, TheSameNameForAnotherJobIsNotSimilar) {
    put("mail", "search", "Find messages in the mailbox by sender and subject.");
    put("shop", "search", "Browse products that are on sale in this store.");

    EXPECT_TRUE(similar("mail__search").empty());
}

TEST_F(SimilarToolsTest, TheSameVerbForAnotherThingIsNotSimilar) {
    put("crm", "create_contact", "Create a contact.");
    put("wiki", "create_page", "Create a page.");

    EXPECT_TRUE(similar("crm__create_contact").empty());
}

TEST_F(SimilarToolsTest, AToolWithoutWordsIsSimilarToNone) {
    put("a", "___", "...");
    put("b", "___", "...");

    EXPECT_TRUE(similar("a_____").empty());
}

}  // namespace
}  // namespace holdfast::search
