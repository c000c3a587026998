#include "config/fault_report.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::config {
namespace {

std::vector<ConfigFault> in_file_order(std::vector<ConfigFault> faults) {
    // Insertion keeps those of one place in the order in which they were found.
    for (auto next = faults.begin(); next != faults.end(); ++next) {
        const auto behind =
            std::ranges::upper_bound(faults.begin(), next, next->place, {}, &ConfigFault::place);
        std::rotate(behind, next, next + 1);
    }
    return faults;
}

}  // namespace

std::string ConfigFault::text() const {
    return file + ':' + std::to_string(place.line) + ':' + std::to_string(place.column) + ": " +
           message;
}

void FaultReport::refuse(Place place, std::string message, FaultCause cause) {
    if (!is_full()) {
        faults_.push_back({.file = file_,
                           .place = place,
                           .message = std::move(message),
                           .is_external = cause == FaultCause::external});
    }
}

std::vector<ConfigFault> FaultReport::take_external_faults_after(std::size_t count) {
    const auto first = faults_.begin() + static_cast<std::ptrdiff_t>(count);
    if (!std::all_of(first, faults_.end(),
                     [](const ConfigFault& one) { return one.is_external; })) {
        return {};
    }
    std::vector<ConfigFault> taken{std::make_move_iterator(first),
                                   std::make_move_iterator(faults_.end())};
    faults_.erase(first, faults_.end());
    return in_file_order(std::move(taken));
}

void FaultReport::warn(Place place, std::string message) {
    if (warnings_.size() < limits_.max_warnings) {
        warnings_.push_back({.file = file_, .place = place, .message = std::move(message)});
    }
}

void FaultReport::warn_once(std::string_view topic, Place place, std::string message) {
    if (warnings_.size() < limits_.max_warnings && topics_.emplace(topic).second) {
        warn(place, std::move(message));
    }
}

std::vector<ConfigFault> FaultReport::take_faults() {
    return in_file_order(std::exchange(faults_, {}));
}

std::vector<ConfigFault> FaultReport::take_warnings() {
    return in_file_order(std::exchange(warnings_, {}));
}

}  // namespace holdfast::config
