// A library to be preloaded: shifts the wall clock of the program by the number of seconds in a
// file. The file holds one 64-bit number and may be changed at any time. The monotonic clock is not
// changed.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <tuple>

namespace {

std::atomic<std::int64_t>* mapped_offset() {
    const char* const path = std::getenv("HOLDFAST_TEST_CLOCK_OFFSET");
    const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
    void* const memory = file < 0 ? MAP_FAILED : ::mmap(nullptr, 8, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<std::atomic<std::int64_t>*>(memory);
}

std::int64_t offset_seconds() {
    static const std::atomic<std::int64_t>* const offset = mapped_offset();
    return offset == nullptr ? 0 : offset->load();
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        time->tv_sec += offset_seconds();
    }
    return result;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
    timespec now{};
    const int result = ::clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1'000;
    return result;
}

time_t time(time_t* seconds) noexcept {
    timespec now{};
    std::ignore = ::clock_gettime(CLOCK_REALTIME, &now);
    if (seconds != nullptr) {
        *seconds = now.tv_sec;
    }
    return now.tv_sec;
}
}
