#include "tool_search/vector_cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace holdfast::tool_search {
namespace {

std::shared_ptr<const search::Embedding> embedding(float x, float y) {
    return std::make_shared<const search::Embedding>(std::vector<float>{x, y});
}

std::string only_file(const std::string& folder) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
        if (entry.is_regular_file()) {
            return entry.path().string();
        }
    }
    return {};
}

TEST(VectorCacheTest, LoadsSavedEmbeddingsInTheNextRun) {
    const test::TemporaryFolder folder;
    {
        VectorCache cache{folder.path(), "model"};
        EXPECT_EQ(cache.find("mail"), nullptr);
        cache.add("mail", embedding(1, 0));
        cache.add("weather", embedding(0, 1));
        EXPECT_FALSE(cache.save().has_value());
    }

    const VectorCache cache{folder.path(), "model"};

    EXPECT_EQ(cache.size(), 2U);
    ASSERT_NE(cache.find("mail"), nullptr);
    EXPECT_EQ(*cache.find("mail"), *embedding(1, 0));
    EXPECT_EQ(cache.find("other"), nullptr);
}

TEST(VectorCacheTest, KeepsModelsApart) {
    const test::TemporaryFolder folder;
    VectorCache cache{folder.path(), "model"};
    cache.add("mail", embedding(1, 0));
    EXPECT_FALSE(cache.save().has_value());

    EXPECT_EQ((VectorCache{folder.path(), "another"}.size()), 0U);
}

TEST(VectorCacheTest, IgnoresADamagedFile) {
    const test::TemporaryFolder folder;
    VectorCache cache{folder.path(), "model"};
    cache.add("mail", embedding(1, 0));
    EXPECT_FALSE(cache.save().has_value());
    const std::string path = only_file(folder.path());
    const std::string good = test::content_of_file(path);

    for (std::size_t index = 0; index < good.size(); ++index) {
        std::string bad = good;
        bad[index] = static_cast<char>(bad[index] ^ 1);
        test::write_file(path, bad);
        EXPECT_EQ((VectorCache{folder.path(), "model"}.size()), 0U) << index;
        test::write_file(path, good.substr(0, index));
        EXPECT_EQ((VectorCache{folder.path(), "model"}.size()), 0U) << index;
    }
}

TEST(VectorCacheTest, MergesWithTheFileOfAnotherProcess) {
    const test::TemporaryFolder folder;
    VectorCache one{folder.path(), "model"};
    VectorCache other{folder.path(), "model"};
    one.add("mail", embedding(1, 0));
    other.add("weather", embedding(0, 1));
    EXPECT_FALSE(one.save().has_value());
    EXPECT_FALSE(other.save().has_value());

    EXPECT_EQ((VectorCache{folder.path(), "model"}.size()), 2U);
}

TEST(VectorCacheTest, DropsTheOldestBeyondItsLimit) {
    const test::TemporaryFolder folder;
    VectorCache cache{folder.path(), "model", {.max_entries = 2}};
    for (const char* text : {"a", "b", "c"}) {
        cache.add(text, embedding(1, 0));
    }

    EXPECT_EQ(cache.size(), 2U);
    EXPECT_EQ(cache.find("a"), nullptr);
    EXPECT_NE(cache.find("c"), nullptr);
}

TEST(VectorCacheTest, DropsEmbeddingsOfAnotherDimensionFromTheFileToo) {
    const test::TemporaryFolder folder;
    {
        VectorCache cache{folder.path(), "model"};
        cache.add("mail", embedding(1, 0));
        cache.add("weather", embedding(0, 1));
        EXPECT_FALSE(cache.save().has_value());
    }
    const auto longer = std::make_shared<const search::Embedding>(std::vector<float>{1, 0, 0});
    {
        VectorCache cache{folder.path(), "model"};
        cache.add("mail", longer);
        EXPECT_EQ(cache.size(), 1U);
        EXPECT_FALSE(cache.save().has_value());
    }

    const VectorCache cache{folder.path(), "model"};

    EXPECT_EQ(cache.size(), 1U);
    ASSERT_NE(cache.find("mail"), nullptr);
    EXPECT_EQ(*cache.find("mail"), *longer);
}

TEST(VectorCacheTest, WritesNothingWhenNothingIsNew) {
    const test::TemporaryFolder folder;
    VectorCache cache{folder.path(), "model"};
    cache.add("mail", embedding(1, 0));
    EXPECT_FALSE(cache.save().has_value());
    const std::string path = only_file(folder.path());
    std::filesystem::remove(path);

    cache.add("mail", embedding(1, 0));
    EXPECT_FALSE(cache.save().has_value());

    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(VectorCacheTest, ReportsAFailedWrite) {
    VectorCache cache{"/dev/null/nowhere", "model"};
    cache.add("a", embedding(1, 0));

    EXPECT_TRUE(cache.save().has_value());
}

}  // namespace
}  // namespace holdfast::tool_search
