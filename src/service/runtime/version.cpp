#include "runtime/version.hpp"

#include "build_identity.hpp"

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
    std::string text = R"({"version":")";
    text.append(identity.version).append(R"(","commit":")").append(identity.commit);
    text.append(R"(","compiler":")").append(identity.compiler).append(R"("})");
    return text;
}

std::string own_implementation() {
    std::string text = R"({"name":"holdfast","title":"Holdfast","version":")";
    return text.append(build_identity().version).append("\"}");
}

}  // namespace holdfast::runtime
