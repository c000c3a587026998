#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/private_file.hpp"

namespace holdfast::runtime {

/// Which config files of project folders the user trusts. Such a file comes with the project, for
/// example from a cloned repository, and names programs to start. It is trusted as it was when the
/// user looked at it: the record has its path and the digest of its content.
///
/// Thread-safety: none; other processes may use the same record.
class FolderTrust final {
public:
    enum class Verdict : std::uint8_t { trusted, changed, unknown };

    /// `record` is the file that has the record.
    explicit FolderTrust(std::string record) : record_(std::move(record)) {}
    /// The record of this user.
    [[nodiscard]] static FolderTrust of_this_user();

    [[nodiscard]] Verdict verdict(const std::string& file, std::string_view content) const;
    /// Trusts this content of a file instead of an earlier one.
    [[nodiscard]] std::optional<platform::FileFault> trust(const std::string& file,
                                                           std::string_view content) const;

private:
    const std::string record_;
};

/// The config file of a project, in the current folder.
inline constexpr const char* kFolderFile = ".mcp.json";

/// Trusts that file as it is now; for the option `--trust`.
[[nodiscard]] std::optional<platform::FileFault> trust_folder_file();

}  // namespace holdfast::runtime
