#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>

#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::cli {

/// How far something is that a person waits for.
struct WaitingProgress {
    std::size_t done = 0;
    std::size_t total = 0;
    std::string missing = {};  ///< What is not done, with commas in between.
};

/// `waiting for servers [#####-----] 1 of 2: files`, at most 79 characters.
[[nodiscard]] std::string waiting_text(const WaitingProgress& progress);

/// One line on a terminal that shows how far a wait is, from shortly after its beginning until this
/// goes; nothing is left of it then.
///
/// Thread-safety: none; belongs to the loop of the timekeeper, which must outlive it.
class ProgressLine final : public resilience::Timer {
public:
    using Look = std::function<WaitingProgress()>;

    /// The stream must be that of a terminal.
    ProgressLine(resilience::Timekeeper& timekeeper, Look look, std::ostream& terminal);
    ~ProgressLine() override;

    void on_time() override;

private:
    // Most waits are shorter, and a line that comes and goes only disturbs.
    static constexpr std::chrono::milliseconds kFirstAfter{300};
    static constexpr std::chrono::milliseconds kEvery{100};

    resilience::Timekeeper& timekeeper_;
    const Look look_;
    std::ostream& terminal_;
    bool is_shown_ = false;
};

}  // namespace holdfast::cli
