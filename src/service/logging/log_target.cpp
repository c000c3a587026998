#include "logging/log_target.hpp"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::logging {
namespace {

bool is_journal(int descriptor, const Environment& environment) {
    const auto stream = environment("JOURNAL_STREAM");
    struct stat about{};
    return stream && ::fstat(descriptor, &about) == 0 &&
           *stream == fmt::format("{}:{}", about.st_dev, about.st_ino);
}

bool may_colour(int descriptor, const Environment& environment) {
    const bool is_refused = !environment("NO_COLOR").value_or("").empty();
    return !is_refused && environment("TERM") != "dumb" && ::isatty(descriptor) != 0;
}

}  // namespace

LogOptions log_options_for(int descriptor, const LogChoice& choice,
                           const Environment& environment) {
    return {.level = choice.level,
            .format = choice.format,
            .is_journal = is_journal(descriptor, environment),
            .has_colour = may_colour(descriptor, environment)};
}

}  // namespace holdfast::logging
