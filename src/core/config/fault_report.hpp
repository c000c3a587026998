#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/place.hpp"

namespace holdfast::config {

/// What is wrong with a config and what to change. Never has a secret in it.
struct ConfigFault {
    std::string file = {};
    Place place = {};
    std::string message = {};  ///< "limits.jsonDepth: must be at most 4096, not 9000"
    /// The cause is outside the file: a variable, or a document that the file names.
    bool is_external = false;

    /// `file:line:column: message`
    [[nodiscard]] std::string text() const;

    friend bool operator==(const ConfigFault&, const ConfigFault&) = default;
};

/// Where the cause of a fault is: in the file, or in a variable or a document that the file names.
enum class FaultCause : std::uint8_t { file, external };

struct ReportLimits {
    std::size_t max_faults = 20;  ///< Further ones are dropped: who reads twenty fixes them first.
    std::size_t max_warnings = 50;
};

/// Collects what is wrong with one file. Faults make it unusable; warnings do not.
///
/// Thread-safety: none.
class FaultReport final {
public:
    explicit FaultReport(std::string_view file, const ReportLimits& limits = {})
        : file_(file), limits_(limits) {}

    void refuse(Place place, std::string message, FaultCause cause = FaultCause::file);
    void warn(Place place, std::string message);
    /// Warns unless there was a warning of the same topic before.
    void warn_once(std::string_view topic, Place place, std::string message);

    [[nodiscard]] bool is_full() const noexcept { return faults_.size() >= limits_.max_faults; }
    [[nodiscard]] const std::vector<ConfigFault>& faults() const noexcept { return faults_; }
    /// Takes out the faults behind the first `count`, if the causes of all of them are external.
    [[nodiscard]] std::vector<ConfigFault> take_external_faults_after(std::size_t count);

    /// In the order of the file. Empties the list.
    [[nodiscard]] std::vector<ConfigFault> take_faults();
    [[nodiscard]] std::vector<ConfigFault> take_warnings();

private:
    std::string file_;
    ReportLimits limits_;
    std::vector<ConfigFault> faults_;
    std::vector<ConfigFault> warnings_;
    std::set<std::string, std::less<>> topics_;
};

}  // namespace holdfast::config
