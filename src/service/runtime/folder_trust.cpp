#include "runtime/folder_trust.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/crypto.hpp"
#include "platform/environment.hpp"
#include "platform/read_file.hpp"
#include "platform/user_folders.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRecordBytes = std::size_t{1024} * 1024;
constexpr std::size_t kMaxRecords = 1'000;
constexpr std::size_t kMaxConfigBytes = std::size_t{16} * 1024 * 1024;

/// A line of the record: the digest of the content, a blank, the path.
struct TrustedFile {
    std::string digest;
    std::string path;
};

std::vector<TrustedFile> read_record(const std::string& record) {
    std::vector<TrustedFile> files;
    const std::string text = platform::private_file_content(record, kMaxRecordBytes).value_or("");
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (const std::size_t blank = line.find(' '); blank != std::string_view::npos) {
            files.push_back({.digest = std::string{line.substr(0, blank)},
                             .path = std::string{line.substr(blank + 1)}});
        }
    }
    return files;
}

/// Empty for a path that has no place in the record.
std::string recorded_path(const std::string& file) {
    std::error_code error;
    std::string path = fs::canonical(file, error).string();
    return error || path.find('\n') != std::string::npos ? std::string{} : path;
}

}  // namespace

FolderTrust FolderTrust::of_this_user() {
    return FolderTrust{platform::user_folders(platform::environment_variable).data + "/trusted"};
}

FolderTrust::Verdict FolderTrust::verdict(const std::string& file, std::string_view content) const {
    const auto files = read_record(record_);
    const auto found = std::ranges::find(files, recorded_path(file), &TrustedFile::path);
    if (found == files.end() || found->path.empty()) {
        return Verdict::unknown;
    }
    return found->digest == platform::sha256_text(content) ? Verdict::trusted : Verdict::changed;
}

std::optional<platform::FileFault> FolderTrust::trust(const std::string& file,
                                                      std::string_view content) const {
    const std::string path = recorded_path(file);
    if (path.empty()) {
        return platform::FileFault{"cannot trust " + file + ": its path cannot be recorded"};
    }
    auto files = read_record(record_);
    std::erase_if(files, [&path](const TrustedFile& one) { return one.path == path; });
    if (files.size() >= kMaxRecords) {
        files.erase(files.begin(), files.end() - (kMaxRecords - 1));
    }
    files.push_back({.digest = platform::sha256_text(content), .path = path});
    std::string text;
    for (const TrustedFile& one : files) {
        text.append(one.digest).append(" ").append(one.path).append("\n");
    }
    return platform::replace_atomically(record_, text);
}

std::optional<platform::FileFault> trust_folder_file() {
    const auto content = platform::read_file(kFolderFile, kMaxConfigBytes);
    return content ? FolderTrust::of_this_user().trust(kFolderFile, *content) : content.error();
}

}  // namespace holdfast::runtime
