#include "runtime/version.hpp"

#include "build_identity.hpp"
#include "jsonrpc/json_writer.hpp"

#define HOLDFAST_TEXT_OF(value) #value
#define HOLDFAST_DOTTED(major, minor, patch) \
    HOLDFAST_TEXT_OF(major) "." HOLDFAST_TEXT_OF(minor) "." HOLDFAST_TEXT_OF(patch)

namespace holdfast::runtime {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler =
    "clang " HOLDFAST_DOTTED(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
constexpr std::string_view kCompiler =
    "gcc " HOLDFAST_DOTTED(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
constexpr std::string_view kCompiler = "unknown";
#endif

}  // namespace

BuildIdentity build_identity() {
    return {.version = kVersion, .commit = kCommit, .compiler = kCompiler};
}

std::string describe(const BuildIdentity& identity) {
    std::string text = "holdfast ";
    text.append(identity.version).append(" (commit ").append(identity.commit);
    text.append(", ").append(identity.compiler).append(")");
    return text;
}

std::string to_json(const BuildIdentity& identity) {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("version").text(identity.version);
    writer.key("commit").text(identity.commit);
    writer.key("compiler").text(identity.compiler);
    writer.end_object();
    return writer.take();
}

std::string own_implementation() {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("name").text("holdfast");
    writer.key("title").text("Holdfast");
    writer.key("version").text(build_identity().version);
    writer.end_object();
    return writer.take();
}

}  // namespace holdfast::runtime
