#pragma once

#include <vector>

#include "admin/status.hpp"
#include "telemetry/metrics.hpp"

namespace holdfast::admin {

/// What the status says that can be measured, for Prometheus.
[[nodiscard]] std::vector<telemetry::MetricFamily> gauges_of(const Status& status);

}  // namespace holdfast::admin
