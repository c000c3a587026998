#pragma once

#include <string>

namespace holdfast::test {

/// A disk interface (VFS) for SQLite on which writes fail or hang on command. There is one per
/// process; each object starts with a working disk.
///
/// Thread-safety: from any thread.
class FailingDisk final {
public:
    FailingDisk();
    FailingDisk(const FailingDisk&) = delete;
    FailingDisk& operator=(const FailingDisk&) = delete;
    ~FailingDisk() { is_fine(); }

    /// The value for `StoreOptions::vfs`.
    [[nodiscard]] static std::string name();

    void is_fine();
    void is_full();
    /// Writes block until `is_fine`.
    void hangs();
    /// Returns once a write hangs.
    void wait_until_it_hangs();
};

}  // namespace holdfast::test
