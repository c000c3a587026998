#include "app/whole_file.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace holdfast::app {

resilience::Result<std::string, FileFault> whole_file(const std::string& path,
                                                      std::size_t max_bytes) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        return FileFault{path + " is a folder, not a file"};
    }
    const auto size_bytes = std::filesystem::file_size(path, error);
    if (error) {
        return FileFault{path + " cannot be read: " + error.message()};
    }
    if (size_bytes > max_bytes) {
        return FileFault{path + " is larger than " + std::to_string(max_bytes) + " bytes"};
    }
    std::string content(size_bytes, '\0');
    std::ifstream stream{path, std::ios::binary};
    if (!stream.read(content.data(), static_cast<std::streamsize>(content.size()))) {
        return FileFault{path + " cannot be read"};
    }
    return content;
}

}  // namespace holdfast::app
