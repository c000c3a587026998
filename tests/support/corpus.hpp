#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace holdfast::test {

/// Returns the content of every file of a directory.
[[nodiscard]] inline std::vector<std::string> read_corpus(const std::filesystem::path& directory) {
    std::vector<std::string> inputs;
    for (const auto& entry : std::filesystem::directory_iterator{directory}) {
        std::ifstream file{entry.path(), std::ios::binary};
        inputs.emplace_back(std::istreambuf_iterator<char>{file}, std::istreambuf_iterator<char>{});
    }
    return inputs;
}

}  // namespace holdfast::test
