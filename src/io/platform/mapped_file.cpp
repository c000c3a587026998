#include "platform/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "platform/unique_fd.hpp"

namespace holdfast::platform {

resilience::Result<MappedFile, FileFault> MappedFile::open(const std::string& path) {
    const platform::UniqueFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!fd.is_open()) {
        return FileFault{path + ": " + std::generic_category().message(errno)};
    }
    struct stat about{};
    if (::fstat(fd.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) {
        return FileFault{path + " is empty or not a regular file"};
    }
    const auto size = static_cast<std::size_t>(about.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (data == MAP_FAILED) {
        return FileFault{path + ": " + std::generic_category().message(errno)};
    }
    return MappedFile{data, size};
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) {
        ::munmap(data_, size_);
    }
}

}  // namespace holdfast::platform
