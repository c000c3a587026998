#include "integration/telemetry/troubled_disk.hpp"

#include <sqlite3.h>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace holdfast::test {
namespace {

enum class Trouble : std::uint8_t { none, full, hanging };

struct Methods {
    const sqlite3_io_methods* plain = nullptr;
    sqlite3_io_methods troubled = {};
};

struct Disk {
    std::mutex mutex;
    std::condition_variable changed;
    Trouble trouble = Trouble::none;
    int hanging_count = 0;

    sqlite3_vfs* plain = nullptr;
    sqlite3_vfs vfs = {};
    // Of the database, and of the files beside it, which SQLite does not lock.
    std::array<Methods, 2> methods = {};
};

Disk& disk() {
    static auto* const kDisk = new Disk;  // never destroyed: a thread may hang in it to the end
    return *kDisk;
}

int troubled_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    Disk& the_disk = disk();
    {
        std::unique_lock lock{the_disk.mutex};
        if (the_disk.trouble == Trouble::full) {
            return SQLITE_FULL;
        }
        ++the_disk.hanging_count;
        the_disk.changed.notify_all();
        the_disk.changed.wait(lock, [&] { return the_disk.trouble != Trouble::hanging; });
        --the_disk.hanging_count;
    }
    const bool is_database = file->pMethods == &the_disk.methods.front().troubled;
    const Methods& methods = is_database ? the_disk.methods.front() : the_disk.methods.back();
    return methods.plain->xWrite(file, bytes, size, offset);
}

int troubled_open(sqlite3_vfs* /*vfs*/, const char* name, sqlite3_file* file, int flags,
                  int* out_flags) {
    Disk& the_disk = disk();
    const int code = the_disk.plain->xOpen(the_disk.plain, name, file, flags, out_flags);
    if (code == SQLITE_OK && file->pMethods != nullptr) {
        const std::scoped_lock lock{the_disk.mutex};
        const bool is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
        Methods& methods = is_database ? the_disk.methods.front() : the_disk.methods.back();
        methods.plain = file->pMethods;
        methods.troubled = *file->pMethods;
        methods.troubled.xWrite = troubled_write;
        file->pMethods = &methods.troubled;
    }
    return code;
}

void set_trouble(Trouble trouble) {
    const std::scoped_lock lock{disk().mutex};
    disk().trouble = trouble;
    disk().changed.notify_all();
}

}  // namespace

TroubledDisk::TroubledDisk() {
    Disk& the_disk = disk();
    if (the_disk.plain == nullptr) {
        the_disk.plain = sqlite3_vfs_find(nullptr);
        the_disk.vfs = *the_disk.plain;
        the_disk.vfs.zName = "troubled";
        the_disk.vfs.xOpen = troubled_open;
        sqlite3_vfs_register(&the_disk.vfs, 0);
    }
}

std::string TroubledDisk::name() {
    return "troubled";
}

void TroubledDisk::is_fine() {
    set_trouble(Trouble::none);
}

void TroubledDisk::is_full() {
    set_trouble(Trouble::full);
}

void TroubledDisk::hangs() {
    set_trouble(Trouble::hanging);
}

void TroubledDisk::wait_until_it_hangs() {
    std::unique_lock lock{disk().mutex};
    disk().changed.wait(
        lock, [] { return disk().trouble == Trouble::hanging && disk().hanging_count > 0; });
}

}  // namespace holdfast::test
