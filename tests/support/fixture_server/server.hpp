#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <boost/asio/any_io_executor.hpp>

#include "jsonrpc/message.hpp"
#include "mcp/incoming.hpp"
#include "mcp/protocol_error.hpp"
#include "mcp/revision.hpp"
#include "net/http_message.hpp"
#include "support/fixture_server/audience.hpp"
#include "support/fixture_server/call.hpp"
#include "support/fixture_server/outlet.hpp"
#include "support/fixture_server/session.hpp"
#include "support/fixture_server/toolbox.hpp"

namespace holdfast::fixture {

enum class ServedEras : std::uint8_t { legacy, modern, both };

struct ServerOptions {
    std::string name = "fixture";
    ServedEras eras = ServedEras::both;
    std::size_t generated_tools = 0;
    bool has_undescribed_tool = false;
    bool has_broken_schema_tool = false;
    /// The tools that ask can only send requests, as tools of servers do that were written for the
    /// legacy era. In a modern request they fail.
    bool only_pushes = false;
    std::chrono::milliseconds list_delay = {};  ///< Before `tools/list` is answered.
    /// Called with a line for each event; tests wait for these lines.
    std::function<void(const std::string&)> print_line = [](const std::string&) {};
};

/// One message of a client and its source.
struct Incoming {
    const jsonrpc::Message& message;
    std::shared_ptr<Session> session;
    std::shared_ptr<Outlet> outlet;             ///< For a request: the path of its answer.
    const net::HttpHeaders* headers = nullptr;  ///< Null for transports without headers.
};

/// An MCP server for tests, without a transport: everything that the conformance suites need, in
/// both eras, and tools that misbehave on request. Must outlive its calls.
///
/// Thread-safety: none; belongs to the loop.
class FixtureServer final {
public:
    /// The constant answer of the tool for benchmarks.
    static constexpr std::string_view kBenchResult = R"({"content":[{"type":"text","text":"ok"}]})";

    FixtureServer(boost::asio::any_io_executor loop, ServerOptions options);

    /// Returns the era of a message, or why it is refused. `headers` is null for transports without
    /// headers.
    [[nodiscard]] std::variant<mcp::Era, mcp::ProtocolError> era_of(
        const jsonrpc::Message& message, const net::HttpHeaders* headers) const;
    /// Serves a message of an era that `era_of` returned.
    void serve(mcp::Era era, const Incoming& incoming);
    /// Both in one.
    void serve(const Incoming& incoming);
    /// The same for a message of a channel. As with the official SDK, the first request other than
    /// a probe decides the era of the whole connection, which is stored in `pinned`.
    void serve(std::optional<mcp::Era>& pinned, const Incoming& incoming);

    [[nodiscard]] const std::string& name() const noexcept { return options_.name; }
    /// Name and version as JSON.
    [[nodiscard]] const std::string& identity() const noexcept { return identity_; }
    [[nodiscard]] const ServerOptions& options() const noexcept { return options_; }
    [[nodiscard]] Toolbox& tools() noexcept { return tools_; }
    [[nodiscard]] Audience& audience() noexcept { return audience_; }

    void on_cancelled(const Call& call);
    [[nodiscard]] std::uint64_t cancel_count() const noexcept { return cancel_count_; }
    /// The number of tool calls received, whatever their outcome.
    [[nodiscard]] std::uint64_t call_count() const noexcept { return call_count_; }

private:
    void on_notification(const Incoming& incoming) const;
    void on_request(mcp::Era era, const Incoming& incoming);
    [[nodiscard]] std::optional<mcp::ProtocolError> fault_in(const Incoming& incoming) const;
    [[nodiscard]] std::optional<mcp::ProtocolError> fault_in_header_params(
        const Incoming& incoming) const;
    [[nodiscard]] bool try_fast_lane(mcp::Era era, const Incoming& incoming) const;
    void run(const std::shared_ptr<Call>& call);

    const boost::asio::any_io_executor loop_;
    const ServerOptions options_;
    const std::string identity_;
    const std::string modern_bench_result_;
    Toolbox tools_;
    Audience audience_;
    std::uint64_t cancel_count_ = 0;
    std::uint64_t call_count_ = 0;
};

/// Returns an error answer for a protocol error.
[[nodiscard]] std::string fault_text(std::string_view id, const mcp::ProtocolError& fault);

}  // namespace holdfast::fixture
