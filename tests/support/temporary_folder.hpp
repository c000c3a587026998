#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include <gtest/gtest.h>

namespace holdfast::test {

/// A folder for this test only; the destructor removes it.
///
/// Thread-safety: none.
class TemporaryFolder final {
public:
    TemporaryFolder() {
        std::string name = testing::TempDir() + "holdfast-XXXXXX";
        path_ = ::mkdtemp(name.data()) == nullptr ? std::string{} : name;
        EXPECT_FALSE(path_.empty());
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] std::string operator/(std::string_view name) const {
        return path_ + "/" + std::string{name};
    }

private:
    std::string path_;
};

inline std::string content_of_file(const std::string& path) {
    std::ifstream stream{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
}

inline void write_file(const std::string& path, std::string_view content) {
    std::ofstream{path, std::ios::binary | std::ios::trunc} << content;
}

}  // namespace holdfast::test
