#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>

#include "mcp/revision.hpp"
#include "support/fixture_server/outcome.hpp"
#include "support/fixture_server/outlet.hpp"

namespace holdfast::fixture {

class FixtureServer;
class Session;

/// The parts of a request, copied from its message.
struct CallParts {
    mcp::Era era = mcp::Era::legacy;
    std::string id = {};  ///< As written.
    std::string method = {};
    std::string params = "{}";         ///< As written.
    std::string arguments = "{}";      ///< As written; `{}` if there are none.
    std::string progress_token = {};   ///< As written; empty = the client wants no progress.
    std::shared_ptr<Session> session;  ///< The connection or session of the request.
    std::shared_ptr<Outlet> outlet;    ///< Never null.
};

/// One request that is being served: its parameters, its client, and the path for its answer. It
/// ends once, by `finish` or `cancel`; the coroutine that serves it notices a cancellation at its
/// next wait.
///
/// Thread-safety: none; belongs to the loop.
class Call final {
public:
    Call(FixtureServer& server, const boost::asio::any_io_executor& loop, CallParts parts);

    [[nodiscard]] FixtureServer& server() noexcept { return server_; }
    [[nodiscard]] Session& session() noexcept { return *parts_.session; }
    [[nodiscard]] const std::shared_ptr<Session>& shared_session() const noexcept {
        return parts_.session;
    }
    [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const noexcept { return parts_.outlet; }
    [[nodiscard]] bool is_modern() const noexcept { return parts_.era == mcp::Era::modern; }
    [[nodiscard]] const std::string& id() const noexcept { return parts_.id; }
    [[nodiscard]] const std::string& method() const noexcept { return parts_.method; }
    [[nodiscard]] const std::string& arguments_text() const noexcept { return parts_.arguments; }

    /// The params as a tree; empty if Boost.JSON cannot represent them.
    [[nodiscard]] const boost::json::object& params();
    [[nodiscard]] const boost::json::object& arguments();
    [[nodiscard]] const boost::json::object& meta();

    // What the client declared: in this request, or when the session was opened.
    [[nodiscard]] const boost::json::object& client_capabilities();
    [[nodiscard]] const boost::json::object& client_identity();
    [[nodiscard]] std::string protocol_version();

    /// Sends a log message if the client wants that level.
    void log(std::string_view level, std::string_view text);
    /// Sends progress if the client requested it.
    void progress(std::size_t done, std::size_t total);

    /// Returns false if the call was cancelled before the time was up.
    [[nodiscard]] boost::asio::awaitable<bool> wait(std::chrono::milliseconds time);
    /// Ends all waits, which then check their conditions again.
    void wake() { timer_.cancel(); }
    /// Waits for the next `wake`; false if `time` has passed without one.
    [[nodiscard]] boost::asio::awaitable<bool> woken_within(std::chrono::milliseconds time);

    void finish(const Outcome& outcome);
    void cancel();
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }

private:
    [[nodiscard]] std::string text_of(const Answer& answer);

    FixtureServer& server_;
    CallParts parts_;
    boost::asio::steady_timer timer_;
    std::optional<boost::json::object> params_;
    bool is_over_ = false;
};

}  // namespace holdfast::fixture
