#include <gtest/gtest.h>

#include <string>

#include "platform/archive.hpp"

namespace holdfast::platform {
namespace {

/// "hello
/// " compressed by gzip.
const std::string kHello{
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00\x20\x30\x3a\x36\x06"
    "\x00"
    "\x00\x00",
    26};

TEST(GzipTest, DecompressesAGzipFile) {
    EXPECT_TRUE(is_gzip(kHello));
    EXPECT_EQ(unzipped(kHello, 100), "hello\n");
}

TEST(GzipTest, RejectsContentAboveTheLimit) {
    EXPECT_EQ(unzipped(kHello, 6), "hello\n");
    EXPECT_EQ(unzipped(kHello, 5), std::nullopt);
}

TEST(GzipTest, RejectsTruncatedOrChangedFiles) {
    EXPECT_EQ(unzipped(kHello.substr(0, 20), 100), std::nullopt);
    EXPECT_EQ(unzipped("hello", 100), std::nullopt);
    std::string changed = kHello;
    changed[12] ^= 1;
    EXPECT_EQ(unzipped(changed, 100), std::nullopt);
}

std::string entry(const std::string& path, const std::string& content, char kind = '0',
                  const std::string& prefix = "") {
    std::string header(512, '\0');
    header.replace(0, path.size(), path);
    std::string size(12, '0');
    std::size_t rest = content.size();
    for (std::size_t place = 11; place-- > 0; rest /= 8) {
        size[place] = static_cast<char>('0' + rest % 8);
    }
    size[11] = '\0';
    header.replace(124, 12, size);
    header[156] = kind;
    header.replace(345, prefix.size(), prefix);
    std::string padded = content;
    padded.resize((content.size() + 511) / 512 * 512);
    return header + padded;
}

TEST(TarTest, FindsAFileByItsPath) {
    const std::string archive = entry("package", "", '5') + entry("a/b", std::string(600, 'x')) +
                                entry("c", "hello", '0', "package/long") + std::string(1'024, '\0');

    EXPECT_EQ(tar_file(archive, "a/b"), std::string(600, 'x'));
    EXPECT_EQ(tar_file(archive, "package/long/c"), "hello");
    EXPECT_EQ(tar_file(archive, "package"), std::nullopt);
    EXPECT_EQ(tar_file(archive, "c"), std::nullopt);
}

TEST(TarTest, FindsNothingInATruncatedArchive) {
    const std::string archive = entry("a", std::string(600, 'x'));

    EXPECT_EQ(tar_file(archive.substr(0, 900), "a"), std::nullopt);
    EXPECT_EQ(tar_file("", "a"), std::nullopt);
    EXPECT_EQ(tar_file(std::string(512, 'z'), "a"), std::nullopt);
}

}  // namespace
}  // namespace holdfast::platform
