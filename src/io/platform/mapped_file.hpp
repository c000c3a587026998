#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/resilience/result.hpp"
#include "platform/private_file.hpp"

namespace holdfast::platform {

/// A file mapped into memory; all processes that map it share its pages. Replacing the file by a
/// rename does not change the mapping.
///
/// Thread-safety: immutable; share it.
class MappedFile final {
public:
    [[nodiscard]] static resilience::Result<MappedFile, FileFault> open(const std::string& path);

    MappedFile(MappedFile&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    /// Aligned to a page.
    [[nodiscard]] std::string_view bytes() const noexcept {
        return {static_cast<const char*>(data_), size_};
    }

private:
    MappedFile(void* data, std::size_t size) : data_(data), size_(size) {}

    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace holdfast::platform
