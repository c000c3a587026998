#include "integration/telemetry/failing_disk.hpp"

#include <sqlite3.h>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace holdfast::test {
namespace {

enum class Failure : std::uint8_t { none, full, hanging };

struct Methods {
    const sqlite3_io_methods* plain = nullptr;
    sqlite3_io_methods failing = {};
};

struct Disk {
    std::mutex mutex;
    std::condition_variable changed;
    Failure failure = Failure::none;
    int hanging_count = 0;

    sqlite3_vfs* plain = nullptr;
    sqlite3_vfs vfs = {};
    // Methods of the database, and of the files next to it, which SQLite does not lock.
    std::array<Methods, 2> methods = {};
};

Disk& disk() {
    // never destroyed, because a thread may hang in it until the end
    static auto* const kDisk = new Disk;
    return *kDisk;
}

int failing_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    Disk& the_disk = disk();
    {
        std::unique_lock lock{the_disk.mutex};
        if (the_disk.failure == Failure::full) {
            return SQLITE_FULL;
        }
        ++the_disk.hanging_count;
        the_disk.changed.notify_all();
        the_disk.changed.wait(lock, [&] { return the_disk.failure != Failure::hanging; });
        --the_disk.hanging_count;
    }
    const bool is_database = file->pMethods == &the_disk.methods.front().failing;
    const Methods& methods = is_database ? the_disk.methods.front() : the_disk.methods.back();
    return methods.plain->xWrite(file, bytes, size, offset);
}

int failing_open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags,
                 int* out_flags) {
    Disk& the_disk = disk();
    const int code = the_disk.plain->xOpen(the_disk.plain, name, file, flags, out_flags);
    if (code == SQLITE_OK && file->pMethods != nullptr) {
        const std::scoped_lock lock{the_disk.mutex};
        const bool is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
        Methods& methods = is_database ? the_disk.methods.front() : the_disk.methods.back();
        methods.plain = file->pMethods;
        methods.failing = *file->pMethods;
        methods.failing.xWrite = failing_write;
        file->pMethods = &methods.failing;
    }
    return code;
}

void set_failure(Failure failure) {
    const std::scoped_lock lock{disk().mutex};
    disk().failure = failure;
    disk().changed.notify_all();
}

}  // namespace

FailingDisk::FailingDisk() {
    Disk& the_disk = disk();
    if (the_disk.plain == nullptr) {
        the_disk.plain = sqlite3_vfs_find(nullptr);
        the_disk.vfs = *the_disk.plain;
        the_disk.vfs.zName = "failing";
        the_disk.vfs.xOpen = failing_open;
        sqlite3_vfs_register(&the_disk.vfs, 0);
    }
}

std::string FailingDisk::name() {
    return "failing";
}

void FailingDisk::is_fine() {
    set_failure(Failure::none);
}

void FailingDisk::is_full() {
    set_failure(Failure::full);
}

void FailingDisk::hangs() {
    set_failure(Failure::hanging);
}

void FailingDisk::wait_until_it_hangs() {
    std::unique_lock lock{disk().mutex};
    disk().changed.wait(
        lock, [] { return disk().failure == Failure::hanging && disk().hanging_count > 0; });
}

}  // namespace holdfast::test
