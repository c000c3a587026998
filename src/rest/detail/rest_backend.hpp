#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "downstream/link.hpp"
#include "net/http_client.hpp"
#include "rest/rest_api.hpp"

namespace holdfast::rest::detail {

/// What all calls of one REST downstream share.
///
/// Thread-safety: immutable.
class RestBackend final {
public:
    RestBackend(RestApi api, std::shared_ptr<net::HttpClient> client);
    RestBackend(const RestBackend&) = delete;
    RestBackend& operator=(const RestBackend&) = delete;
    ~RestBackend() = default;

    [[nodiscard]] const RestApi& api() const noexcept { return api_; }
    [[nodiscard]] net::HttpClient& client() const noexcept { return *client_; }
    /// Null if there is no tool of that name.
    [[nodiscard]] const RestTool* find_tool(std::string_view name) const;
    /// The result of `tools/list`.
    [[nodiscard]] const std::string& tool_list() const noexcept { return tool_list_; }

private:
    const RestApi api_;
    const std::shared_ptr<net::HttpClient> client_;
    const std::unordered_map<std::string_view, const RestTool*> tools_;  // views of `api_`
    const std::string tool_list_;
};

/// A tool as `tools/list` shows it.
[[nodiscard]] std::string definition_of(const RestTool& tool);

}  // namespace holdfast::rest::detail
