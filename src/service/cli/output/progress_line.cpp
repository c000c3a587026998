#include "cli/output/progress_line.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

#include "base/printable.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t kWidth = 79;
constexpr std::size_t kBarWidth = 20;
// Back to the beginning of the line, and away with what stands there.
constexpr std::string_view kClear = "\r\x1b[K";

}  // namespace

std::string waiting_text(const WaitingProgress& progress) {
    const std::size_t total = std::max<std::size_t>(progress.total, 1);
    const std::size_t full = std::min(progress.done, total) * kBarWidth / total;
    std::string text = "waiting for servers [" + std::string(full, '#') +
                       std::string(kBarWidth - full, '-') + "] " + std::to_string(progress.done) +
                       " of " + std::to_string(progress.total);
    if (!progress.missing.empty()) {
        text += ": " + progress.missing;
    }
    return base::shown_line(text, kWidth);
}

ProgressLine::ProgressLine(resilience::Timekeeper& timekeeper, Look look, std::ostream& terminal)
    : timekeeper_(timekeeper), look_(std::move(look)), terminal_(terminal) {
    timekeeper_.schedule(*this, timekeeper_.now() + kFirstAfter);
}

ProgressLine::~ProgressLine() {
    if (is_scheduled()) {
        timekeeper_.cancel(*this);
    }
    if (is_shown_) {
        terminal_ << kClear << std::flush;
    }
}

void ProgressLine::on_time() {
    timekeeper_.schedule(*this, timekeeper_.now() + kEvery);
    is_shown_ = true;
    terminal_ << std::string{kClear} + waiting_text(look_()) << std::flush;
}

}  // namespace holdfast::cli
