#include "process/oom_score.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace holdfast::process {
namespace {

constexpr int kChildIncrease = 200;
constexpr int kMaxScore = 1'000;

}  // namespace

OomScore OomScore::of_this_process() {
    platform::UniqueFd file{::open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC)};
    std::array<char, 16> text{};
    const ssize_t size_bytes =
        file.is_open() ? ::pread(file.get(), text.data(), text.size(), 0) : -1;
    int normal = 0;
    if (size_bytes > 0) {
        std::from_chars(text.data(), text.data() + size_bytes, normal);
    }
    return OomScore{std::move(file), normal};
}

void OomScore::write(int value) const {
    std::array<char, 16> text{};
    const int size_bytes = std::snprintf(text.data(), text.size(), "%d", value);
    if (file_.is_open() && size_bytes > 0) {
        // A score that cannot be changed does not keep a server from running.
        [[maybe_unused]] const ssize_t written =
            ::pwrite(file_.get(), text.data(), static_cast<std::size_t>(size_bytes), 0);
    }
}

OomScore::Raised::Raised(const OomScore& score) : score_(score) {
    score_.write(std::min(score_.normal_ + kChildIncrease, kMaxScore));
}

OomScore::Raised::~Raised() {
    score_.write(score_.normal_);
}

}  // namespace holdfast::process
