#include "search/search_query.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::search {
namespace {

std::vector<std::string> passages_of(std::string_view text) {
    std::vector<std::string> texts;
    for (const Passage& passage : read_query(text).passages) {
        texts.push_back(passage.text);
    }
    return texts;
}

TEST(SearchQueryTest, CountsARepeatedTerm) {
    const SearchQuery query = read_query("mail to mails");

    ASSERT_EQ(query.passages.size(), 1U);
    const std::vector<QueryTerm>& terms = query.passages[0].terms;
    ASSERT_EQ(terms.size(), 1U);
    EXPECT_EQ(terms[0].term, term_id("mail"));
    EXPECT_FLOAT_EQ(terms[0].count, 2.0F);
}

TEST(SearchQueryTest, HasTheWholeTextAndItsSentencesAsPassages) {
    EXPECT_EQ(passages_of(" Send a mail. Is v1.2 out?\nTell me! "),
              (std::vector<std::string>{"Send a mail. Is v1.2 out?\nTell me!", "Send a mail.",
                                        "Is v1.2 out?", "Tell me!"}));
}

TEST(SearchQueryTest, HasOnePassageForOneSentence) {
    EXPECT_EQ(passages_of("Send a mail."), std::vector<std::string>{"Send a mail."});
}

TEST(SearchQueryTest, HasNoPassageForBlanks) {
    EXPECT_TRUE(read_query(" \n\t").passages.empty());
    EXPECT_TRUE(read_query("").passages.empty());
}

TEST(SearchQueryTest, LimitsAQueryOfTenMegabytes) {
    std::string text;
    while (text.size() < 10'000'000) {
        text += "Send the mail number ";
        text += std::to_string(text.size());
        text += ". ";
    }

    const SearchQuery query = read_query(text);

    const QueryLimits limits;
    EXPECT_LE(query.passages[0].terms.size(), limits.text.max_terms);
    EXPECT_EQ(query.passages.size(), 1 + limits.max_sentences);
    EXPECT_LE(query.passages[0].text.size(), limits.text.max_bytes);
}

}  // namespace
}  // namespace holdfast::search
