#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience::detail {

/// Checks the options of one policy and keeps the first error: a sentence that begins with the
/// option's full name and has the expected and the actual value.
class OptionCheck {
public:
    /// `policy` is the name of the options in messages: `circuit`, `retry` …
    explicit OptionCheck(std::string_view policy) : policy_(policy) {}

    OptionCheck& at_least(std::string_view option, std::uint64_t value, std::uint64_t least);
    OptionCheck& at_most(std::string_view option, std::uint64_t value, std::uint64_t most);
    OptionCheck& positive(std::string_view option, Duration value);
    OptionCheck& not_negative(std::string_view option, Duration value);
    /// Requires `low <= value <= high`; a NaN fails.
    OptionCheck& within(std::string_view option, double value, double low, double high);
    /// Requires `low < value <= high`; a NaN fails.
    OptionCheck& above(std::string_view option, double value, double low, double high);
    OptionCheck& not_below(std::string_view option, Duration value, std::string_view floor_option,
                           Duration floor);
    /// Adds a custom error; `sentence` follows the policy's name and a dot.
    OptionCheck& expect(bool holds, std::string_view sentence);
    /// Takes over the error of a nested check, if there is one.
    template <class T>
    OptionCheck& nested(const Result<T>& result) {
        if (!result && !complaint_) {
            complaint_ = result.error();
        }
        return *this;
    }

    template <class Options>
    [[nodiscard]] Result<Options> result(const Options& options) const {
        if (complaint_) {
            return *complaint_;
        }
        return options;
    }

private:
    void complain(std::string_view option, const std::string& rest);

    std::string policy_;
    std::optional<Error> complaint_;
};

/// Formats a duration as in a config file: `1500ms`, `30s`, `2m`, `7ns`.
[[nodiscard]] std::string duration_text(Duration duration);

}  // namespace holdfast::resilience::detail
