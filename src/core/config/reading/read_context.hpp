#pragma once

#include "config/fault_report.hpp"
#include "config/interpolation.hpp"
#include "config/secret_list.hpp"

namespace holdfast::config {

/// What every part of the reading shares; it lives as long as one `read_config`.
struct ReadContext {
    FaultReport& report;
    Interpolator& interpolator;
    SecretList& secrets;
};

}  // namespace holdfast::config
