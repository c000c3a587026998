#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "front/bridge.hpp"
#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::front {

/// The bridges by path. All listeners share one table; a config reload replaces its content.
///
/// Thread-safety: from any thread.
class BridgeTable final {
public:
    using Bridges = std::vector<std::shared_ptr<const Bridge>>;

    /// Replaces all bridges. Existing connections stay open.
    void replace(Bridges bridges) {
        bridges_.with([&bridges](Bridges& current) { current.swap(bridges); });
    }
    /// Returns null if there is no bridge at this path.
    [[nodiscard]] std::shared_ptr<const Bridge> find(std::string_view path) const {
        return bridges_.with([path](const Bridges& bridges) -> std::shared_ptr<const Bridge> {
            const auto found = std::ranges::find_if(
                bridges, [path](const auto& bridge) { return bridge->path() == path; });
            return found == bridges.end() ? nullptr : *found;
        });
    }

private:
    resilience::Synchronized<Bridges> bridges_;
};

}  // namespace holdfast::front
