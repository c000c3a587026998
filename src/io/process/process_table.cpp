#include "process/process_table.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>

#include "platform/unique_fd.hpp"

namespace holdfast::process {
namespace {

constexpr std::size_t kMaxProcesses = 65'536;
constexpr std::size_t kMaxEnvironmentBytes = std::size_t{256} * 1024;
constexpr int kMaxDepth = 4'096;

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

platform::UniqueFd open_process_file(pid_t pid, const char* name) {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/%d/%s", static_cast<int>(pid), name);
    return platform::UniqueFd{::open(path.data(), O_RDONLY | O_CLOEXEC)};
}

std::size_t read_up_to(int fd, char* bytes, std::size_t limit_bytes) {
    std::size_t size_bytes = 0;
    while (size_bytes < limit_bytes) {
        const ssize_t count = ::read(fd, bytes + size_bytes, limit_bytes - size_bytes);
        if (count == -1 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            break;
        }
        size_bytes += static_cast<std::size_t>(count);
    }
    return size_bytes;
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{};
}

/// Adds up the four times behind the flags and the counts of page faults.
std::uint64_t cpu_ticks_in(std::string_view rest) {
    std::uint64_t ignored = 0;
    for (int field = 0; field < 4; ++field) {
        if (!take_number(rest, ignored)) {
            return 0;
        }
    }
    std::uint64_t ticks = 0;
    for (int field = 0; field < 4; ++field) {
        std::int64_t time = 0;
        if (!take_number(rest, time)) {
            return ticks;
        }
        ticks += static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0));
    }
    return ticks;
}

bool read_process(pid_t pid, ProcessEntry& entry) {
    const platform::UniqueFd file = open_process_file(pid, "stat");
    std::array<char, 1024> content{};
    const std::size_t size_bytes = read_up_to(file.get(), content.data(), content.size());
    return parse_process_stat({content.data(), size_bytes}, entry);
}

}  // namespace

bool parse_process_stat(std::string_view content, ProcessEntry& entry) {
    // The name in brackets may itself contain brackets and spaces; the last bracket ends it.
    const std::size_t name_end = content.rfind(')');
    std::string_view head = content;
    if (name_end == std::string_view::npos || content.size() < name_end + 4 ||
        !take_number(head, entry.pid)) {
        return false;
    }
    const char state = content[name_end + 2];
    entry.is_dead = state == 'Z' || state == 'X';
    std::string_view rest = content.substr(name_end + 3);
    pid_t group = 0;
    if (!take_number(rest, entry.parent) || !take_number(rest, group) ||
        !take_number(rest, entry.session)) {
        return false;
    }
    constexpr std::uint32_t kExitingFlag = 0x4;  // PF_EXITING of the kernel
    pid_t terminal = 0;
    pid_t terminal_group = 0;
    std::uint32_t flags = 0;
    const bool has_flags = take_number(rest, terminal) && take_number(rest, terminal_group) &&
                           take_number(rest, flags);
    entry.is_exiting = has_flags && (flags & kExitingFlag) != 0;
    entry.cpu_ticks = has_flags ? cpu_ticks_in(rest) : 0;
    return true;
}

void ProcessTable::read() {
    entries_.clear();
    const std::unique_ptr<DIR, CloseDirectory> directory{::opendir("/proc")};
    if (!directory) {
        return;
    }
    // No other thread reads this stream.
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    while (const dirent* item = ::readdir(directory.get())) {
        const std::string_view name{item->d_name};
        pid_t pid = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{} ||
            entries_.size() >= kMaxProcesses) {
            continue;
        }
        ProcessEntry entry;
        if (read_process(pid, entry)) {
            entries_.push_back(entry);
        }
    }
    std::ranges::sort(entries_, {}, &ProcessEntry::pid);
    marks_.assign(entries_.size(), std::nullopt);
}

std::string_view ProcessTable::child_mark(const ProcessEntry& process) {
    std::optional<std::string>& mark =
        marks_.at(static_cast<std::size_t>(&process - entries_.data()));
    if (!mark) {
        mark = environment_entry(process.pid, "HOLDFAST_CHILD=");
    }
    return *mark;
}

const ProcessEntry* ProcessTable::find(pid_t pid) const {
    const auto found = std::ranges::lower_bound(entries_, pid, {}, &ProcessEntry::pid);
    return found != entries_.end() && found->pid == pid ? &*found : nullptr;
}

Kinship ProcessTable::kinship(const ProcessEntry& process, pid_t ancestor) const {
    const ProcessEntry* current = &process;
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        if (current->parent == ancestor) {
            return Kinship::descendant;
        }
        if (current->parent <= 1) {
            return Kinship::foreign;
        }
        current = find(current->parent);
        if (current == nullptr) {
            return Kinship::unknown;
        }
    }
    return Kinship::unknown;
}

Kinship kinship_of(pid_t process, pid_t ancestor) {
    for (int depth = 0; depth < kMaxDepth; ++depth) {
        if (process == ancestor) {
            return Kinship::descendant;
        }
        if (process <= 1) {
            return Kinship::foreign;
        }
        ProcessEntry entry;
        if (!read_process(process, entry)) {
            return Kinship::unknown;
        }
        process = entry.parent;
    }
    return Kinship::unknown;
}

bool is_leaving(pid_t pid) {
    ProcessEntry entry;
    return !read_process(pid, entry) || entry.is_dead || entry.is_exiting;
}

std::string environment_entry(pid_t pid, std::string_view start) {
    const platform::UniqueFd file = open_process_file(pid, "environ");
    if (!file.is_open()) {
        return {};
    }
    std::string content(kMaxEnvironmentBytes, '\0');
    content.resize(read_up_to(file.get(), content.data(), content.size()));
    std::string_view rest = content;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\0'), rest.size());
        if (rest.starts_with(start)) {
            return std::string{rest.substr(0, end)};
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

}  // namespace holdfast::process
