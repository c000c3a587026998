#include "search/encoder/word_piece.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "small_model.hpp"

namespace holdfast::search::encoder {
namespace {

constexpr TokenId kUnknown = 100;
constexpr TokenId kStart = 101;
constexpr TokenId kEnd = 102;
constexpr TokenId kFirst = 103;

class WordPieceTest : public testing::Test {
protected:
    std::vector<TokenId> tokens(std::string_view text) const { return word_piece_.tokens(text); }

private:
    std::string bytes_ = small_model({"un", "##aff", "##able", "!", "\u5929", "cafe", "affable"});
    ModelView view_ = *view_model(bytes_);
    WordPiece word_piece_{view_};
};

using Tokens = std::vector<TokenId>;

TEST_F(WordPieceTest, SplitsAWordIntoTheLongestPieces) {
    EXPECT_EQ(tokens("unaffable"), (Tokens{kStart, kFirst, kFirst + 1, kFirst + 2, kEnd}));
    EXPECT_EQ(tokens("affable"), (Tokens{kStart, kFirst + 6, kEnd}));
}

TEST_F(WordPieceTest, TreatsAWordWithAMissingPieceAsUnknown) {
    EXPECT_EQ(tokens("unaffablex un"), (Tokens{kStart, kUnknown, kFirst, kEnd}));
}

TEST_F(WordPieceTest, SeparatesPunctuationAndIdeographs) {
    EXPECT_EQ(tokens("un!un\u5929un"),
              (Tokens{kStart, kFirst, kFirst + 3, kFirst, kFirst + 4, kFirst, kEnd}));
}

TEST_F(WordPieceTest, FoldsCaseAndAccentsAndDropsControlCharacters) {
    EXPECT_EQ(tokens("CAF\u00C9"), (Tokens{kStart, kFirst + 5, kEnd}));
    EXPECT_EQ(tokens("ca\x01\u200B\xFF"
                     "fe"),
              (Tokens{kStart, kFirst + 5, kEnd}));
}

TEST_F(WordPieceTest, ReturnsOnlyTheMarksForAnEmptyText) {
    EXPECT_EQ(tokens(""), (Tokens{kStart, kEnd}));
    EXPECT_EQ(tokens(" \t\n"), (Tokens{kStart, kEnd}));
}

TEST_F(WordPieceTest, StopsAtTheLimit) {
    EXPECT_EQ(tokens("un un un un un un un un"),
              (Tokens{kStart, kFirst, kFirst, kFirst, kFirst, kFirst, kFirst, kEnd}));
    EXPECT_EQ(tokens("un un un un un unaffable").size(), 8U);
}

TEST_F(WordPieceTest, LimitsAWordOfTenMegabytes) {
    EXPECT_EQ(tokens(std::string(10'000'000, 'u')), (Tokens{kStart, kUnknown, kEnd}));
}

}  // namespace
}  // namespace holdfast::search::encoder
