#pragma once

#include <vector>

#include "admin/status.hpp"
#include "telemetry/metrics.hpp"

namespace holdfast::admin {

/// Returns the measurable values of the status for Prometheus.
[[nodiscard]] std::vector<telemetry::MetricFamily> gauges_of(const Status& status);

}  // namespace holdfast::admin
