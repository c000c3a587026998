#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "holdfast/resilience/synchronized.hpp"
#include "holdfast/resilience/time.hpp"
#include "net/loop.hpp"
#include "surface/surface.hpp"
#include "surface/tool_finder.hpp"

namespace holdfast::calls {

/// Tools of other servers that an agent may call instead of one that is unavailable. Each tool is
/// looked up once until the catalogue changes.
///
/// Thread-safety: from any thread; `look_up` on the loop that it is given.
class SuggestedTools final : public std::enable_shared_from_this<SuggestedTools> {
public:
    using Names = std::vector<std::string>;

    /// `finder` may be null: then nothing is suggested.
    explicit SuggestedTools(std::shared_ptr<surface::ToolFinder> finder,
                            resilience::Duration limit = std::chrono::milliseconds{50})
        : finder_(std::move(finder)), limit_(limit) {}

    /// Looks the tool up for `names_for`. Gives up after the limit, or at `latest` if that is
    /// sooner.
    [[nodiscard]] boost::asio::awaitable<void> look_up(
        net::OwningLoop loop, std::shared_ptr<const surface::Surface> surface, std::string tool,
        resilience::TimePoint latest);
    /// Exposed names, nearest first, whether they are healthy or not. Empty if the tool has not
    /// been looked up.
    [[nodiscard]] Names names_for(const std::string& tool) const;

private:
    struct Known {
        std::uint64_t generation = 0;  ///< Of the catalogue that was searched.
        Names names = {};
    };
    struct State {
        std::unordered_map<std::string, Known> known = {};
        /// Handlers of calls that wait for a running search, by tool.
        std::unordered_map<std::string, std::vector<std::function<void()>>> waiting = {};
        std::size_t waiters = 0;  ///< In `waiting`.
    };
    enum class Lookup : std::uint8_t {
        none,     ///< The caller need not wait.
        running,  ///< Another call has started the search.
        needed,
    };

    [[nodiscard]] Lookup join(const surface::Surface& surface, const std::string& tool,
                              std::function<void()> on_found);
    void on_found(const std::string& tool, std::optional<surface::SimilarAnswer> answer);

    const std::shared_ptr<surface::ToolFinder> finder_;
    const resilience::Duration limit_;
    resilience::Synchronized<State> state_;
};

}  // namespace holdfast::calls
