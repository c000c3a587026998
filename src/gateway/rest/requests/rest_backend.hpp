#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "downstream/link.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "net/http_client.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest {

/// The state that all calls of one REST downstream share.
///
/// Thread-safety: all operations from any thread.
class RestBackend final {
public:
    /// `warn` receives sentences for the operator, from any thread; it may be empty.
    RestBackend(RestApi api, std::shared_ptr<net::HttpClient> client,
                std::function<void(const std::string&)> warn = {});
    RestBackend(const RestBackend&) = delete;
    RestBackend& operator=(const RestBackend&) = delete;
    ~RestBackend() = default;

    [[nodiscard]] const RestApi& api() const noexcept { return api_; }
    [[nodiscard]] net::HttpClient& client() const noexcept { return *client_; }
    /// Returns null if there is no tool with this name.
    [[nodiscard]] const RestTool* find_tool(std::string_view name) const;
    /// The result of `tools/list`.
    [[nodiscard]] const std::string& tool_list() const noexcept { return tool_list_; }
    /// Warns once per field about fields that the tool's template shows and an answer lacks.
    void warn_of_missing(const RestTool& tool, const std::vector<std::size_t>& fields) const;

private:
    const RestApi api_;
    const std::shared_ptr<net::HttpClient> client_;
    const std::unordered_map<std::string_view, const RestTool*> tools_;  // views of `api_`
    const std::string tool_list_;
    const std::function<void(const std::string&)> warn_;
    mutable resilience::Synchronized<std::set<std::pair<const RestTool*, std::size_t>>> warned_;
};

/// Returns the tool's entry in `tools/list`.
[[nodiscard]] std::string definition_of(const RestTool& tool);

}  // namespace holdfast::rest
