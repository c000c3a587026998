#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::telemetry {

struct ToolLabel {
    std::string server = {};
    std::string tool = {};
};

/// A `ToolLabel` without ownership.
struct ToolLabelView {
    std::string_view server;
    std::string_view tool;

    // NOLINTNEXTLINE(google-explicit-constructor): a view of the label.
    ToolLabelView(const ToolLabel& label) : server(label.server), tool(label.tool) {}
    ToolLabelView(std::string_view server_name, std::string_view tool_name)
        : server(server_name), tool(tool_name) {}
};

struct ToolLabelHash {
    using is_transparent = void;
    /// Hashes without the server: servers rarely have tools with the same name.
    std::size_t operator()(const ToolLabelView& label) const noexcept {
        return std::hash<std::string_view>{}(label.tool);
    }
};

struct ToolLabelEqual {
    using is_transparent = void;
    bool operator()(const ToolLabelView& one, const ToolLabelView& other) const noexcept {
        return one.tool == other.tool && one.server == other.server;
    }
};

using ToolLabelIndex = std::unordered_map<ToolLabel, std::size_t, ToolLabelHash, ToolLabelEqual>;

struct LabelLimits {
    std::size_t max_tools = 500;
    std::size_t max_servers = 200;
    std::size_t max_outcomes = 32;
};

/// The known labels, each with a permanent index. Labels beyond the limits share a label `other`:
/// one per server or, beyond the limit of servers, one for all.
///
/// Thread-safety: from any thread.
class LabelTable final {
public:
    explicit LabelTable(const LabelLimits& limits);

    struct Place {
        std::size_t index = 0;
        bool is_own = false;  ///< Not one that it shares with others.
    };

    [[nodiscard]] Place place_of(const ToolLabelView& label);
    [[nodiscard]] std::size_t outcome_index_of(std::string_view outcome);
    [[nodiscard]] std::vector<ToolLabel> labels() const;
    [[nodiscard]] std::vector<std::string> outcomes() const;

private:
    struct Labels {
        std::vector<ToolLabel> labels = {};
        ToolLabelIndex index = {};
        std::size_t tool_count = 0;  // without the labels `other`
        std::size_t other_count = 0;
        std::vector<std::string> outcomes = {};
    };
    [[nodiscard]] std::size_t added(Labels& all, const ToolLabelView& label);

    const LabelLimits limits_;
    resilience::Synchronized<Labels> labels_;
};

}  // namespace holdfast::telemetry
