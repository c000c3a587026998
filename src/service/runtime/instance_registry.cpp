#include "runtime/instance_registry.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <tuple>

#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/members.hpp"
#include "platform/read_file.hpp"

namespace holdfast::runtime {
namespace {

constexpr std::size_t kMaxFileBytes = 65'536;
constexpr std::size_t kMaxInstances = 1'000;
constexpr mode_t kOnlyOwner = S_IRWXU;

std::string json_of(const Instance& instance) {
    jsonrpc::JsonWriter out;
    out.begin_object().key("pid").number(instance.pid);
    out.key("started").number(instance.started).key("socket").text(instance.socket);
    out.key("admin").text(instance.admin).key("mcp").text(instance.mcp);
    return out.key("config").text(instance.config).end_object().take();
}

std::optional<Instance> instance_in(const std::string& path) {
    const auto text = platform::private_file_content(path, kMaxFileBytes);
    if (!text) {
        return std::nullopt;
    }
    Instance instance{.socket = jsonrpc::text_member_of(*text, "socket"),
                      .admin = jsonrpc::text_member_of(*text, "admin"),
                      .mcp = jsonrpc::text_member_of(*text, "mcp"),
                      .config = jsonrpc::text_member_of(*text, "config")};
    instance.pid = std::atoll(jsonrpc::member_of(*text, "pid").c_str());
    instance.started = std::atoll(jsonrpc::member_of(*text, "started").c_str());
    return instance.pid > 0 ? std::optional{instance} : std::nullopt;
}

bool is_running(const Instance& instance) {
    if (::kill(static_cast<pid_t>(instance.pid), 0) != 0 && errno != EPERM) {
        return false;
    }
    const std::int64_t started = process_start_of(instance.pid);
    return instance.started == 0 || started == 0 || instance.started == started;
}

}  // namespace

std::int64_t process_start_of(std::int64_t pid) {
    constexpr std::size_t kMaxStatBytes = 4096;
    const auto stat = platform::read_file("/proc/" + std::to_string(pid) + "/stat", kMaxStatBytes);
    const std::string content = stat ? *stat : std::string{};
    // The name in parentheses may itself contain parentheses and spaces; the last parenthesis ends
    // it.
    const std::size_t name_end = content.rfind(')');
    if (name_end == std::string::npos) {
        return 0;
    }
    constexpr int kFieldsBefore = 19;  // it is the 22nd; two precede the parenthesis
    std::istringstream fields{content.substr(name_end + 1)};
    std::string skipped;
    for (int field = 0; field < kFieldsBefore; ++field) {
        fields >> skipped;
    }
    std::int64_t started = 0;
    fields >> started;
    return started;
}

InstanceFile::~InstanceFile() {
    if (!path_.empty()) {
        std::ignore = ::unlink(path_.c_str());  // May have been removed already.
    }
}

std::optional<platform::FileFault> InstanceFile::write(const Instance& instance) {
    const std::string path = folder_ + "/" + std::to_string(instance.pid) + ".json";
    if (auto fault = platform::replace_atomically(path, json_of(instance))) {
        return fault;
    }
    path_ = path;
    return std::nullopt;
}

std::optional<platform::FileFault> prepare_private_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path{folder}.parent_path(), error);
    if (::mkdir(folder.c_str(), kOnlyOwner) != 0 && errno != EEXIST) {
        return platform::FileFault{"the folder " + folder +
                                   " cannot be made: " + std::strerror(errno)};
    }
    struct stat about{};
    if (::lstat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode) ||
        about.st_uid != ::geteuid()) {
        return platform::FileFault{"the folder " + folder + " is not ours"};
    }
    const bool is_private = (about.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    if (!is_private && ::chmod(folder.c_str(), kOnlyOwner) != 0) {
        return platform::FileFault{"others may use the folder " + folder};
    }
    return std::nullopt;
}

std::vector<Instance> running_instances(const std::string& folder) {
    std::vector<std::pair<std::filesystem::file_time_type, Instance>> found;
    std::error_code error;
    const std::filesystem::directory_iterator end;
    for (std::filesystem::directory_iterator at{folder, error}; !error && at != end;
         at.increment(error)) {
        const std::filesystem::directory_entry& entry = *at;
        if (entry.path().extension() != ".json" || found.size() >= kMaxInstances) {
            continue;
        }
        const auto instance = instance_in(entry.path().string());
        if (instance && is_running(*instance)) {
            found.emplace_back(entry.last_write_time(error), *instance);
        } else if (instance) {
            std::ignore = ::unlink(entry.path().c_str());  // Another command may have removed it.
            std::ignore = ::unlink(instance->socket.c_str());
        }
    }
    std::ranges::sort(found, {}, [](const auto& one) { return one.first; });
    std::vector<Instance> instances;
    instances.reserve(found.size());
    for (auto& [time, instance] : found) {
        instances.push_back(std::move(instance));
    }
    return instances;
}

}  // namespace holdfast::runtime
