#pragma once

#include <string>

namespace holdfast::test {

/// A way for SQLite to reach the disk on which writing fails or hangs when a test says so. There is
/// one in the process; each object begins with a disk that is fine.
///
/// Thread-safety: from any thread.
class TroubledDisk final {
public:
    TroubledDisk();
    TroubledDisk(const TroubledDisk&) = delete;
    TroubledDisk& operator=(const TroubledDisk&) = delete;
    ~TroubledDisk() { is_fine(); }

    /// What `StoreOptions::vfs` is set to.
    [[nodiscard]] static std::string name();

    void is_fine();
    void is_full();
    /// Writes begin and do not end, until it is fine again.
    void hangs();
    /// Returns when a write hangs.
    void wait_until_it_hangs();
};

}  // namespace holdfast::test
