#pragma once

#include <string>
#include <string_view>

#include "downstream/request.hpp"
#include "downstream/tool_headers.hpp"
#include "mcp/revision.hpp"

namespace holdfast::downstream {

/// The header lines of the requests of one link. What is the same for all of them is put together
/// once.
///
/// Thread-safety: immutable.
class HttpHeads final {
public:
    /// For the time before the two sides have agreed on anything.
    explicit HttpHeads(std::string_view configured_lines);
    /// `session_id` may be empty.
    HttpHeads(mcp::Revision revision, std::string_view session_id,
              std::string_view configured_lines);

    /// For a request; `table` may be null.
    [[nodiscard]] std::string for_request(const Request& request,
                                          const ToolHeaderTable* table) const;
    /// For a notification of that method, or with an empty one for a response.
    [[nodiscard]] std::string for_message(std::string_view method) const;
    /// For a stream that goes on behind that event, if one is named.
    [[nodiscard]] std::string for_stream(std::string_view last_event_id) const;
    /// For ending the session.
    [[nodiscard]] const std::string& for_delete() const noexcept { return common_; }

private:
    bool is_modern_ = false;
    std::string common_;
    std::string post_;
};

/// Whether a peer's text can be the value of a header.
[[nodiscard]] bool is_plain_header_value(std::string_view text) noexcept;

}  // namespace holdfast::downstream
