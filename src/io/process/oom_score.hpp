#pragma once

#include <utility>

#include "platform/unique_fd.hpp"

namespace holdfast::process {

/// The value by which the kernel ranks this process when memory runs out. A child inherits it at
/// fork, so raising it around the fork makes the child the better victim from its first moment on.
///
/// Thread-safety: none; all processes forked meanwhile inherit the raised value.
class OomScore final {
public:
    /// Opens the file of this process. Must be called before the process becomes undumpable,
    /// because the file then belongs to root. Without the file, raising has no effect.
    [[nodiscard]] static OomScore of_this_process();

    /// Raises the value while it lives.
    class Raised final {
    public:
        explicit Raised(const OomScore& score);
        Raised(const Raised&) = delete;
        Raised& operator=(const Raised&) = delete;
        ~Raised();

    private:
        const OomScore& score_;
    };

private:
    OomScore(platform::UniqueFd file, int normal) noexcept
        : file_(std::move(file)), normal_(normal) {}

    void write(int value) const;

    platform::UniqueFd file_;
    int normal_;
};

}  // namespace holdfast::process
