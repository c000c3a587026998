#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/deadline.hpp"
#include "holdfast/resilience/result.hpp"
#include "net/http_client.hpp"
#include "net/http_url.hpp"
#include "net/loop.hpp"

namespace holdfast::cli {

struct GatewayClientOptions {
    std::string url = {};
    std::string token = {};  ///< Empty = none is sent.
    std::size_t max_answer_bytes = std::size_t{64} * 1024 * 1024;
    std::size_t max_pages = 10'000;  ///< Of one list.
};

/// Why there is no result, as a sentence.
struct GatewayClientFault {
    std::string message = {};
    int code = 0;                 ///< Of the error that was answered; zero if none was.
    bool is_unreachable = false;  ///< Nobody answers at that address.
};

template <class T>
using GatewayClientResult = resilience::Result<T, GatewayClientFault>;

/// Asks a gateway as an agent of revision 2026-07-28 does: a POST for each request, without a
/// session, and with nobody who could answer questions.
///
/// Thread-safety: none; belongs to one loop.
class GatewayClient final : public std::enable_shared_from_this<GatewayClient> {
public:
    /// Fails if the URL cannot be used.
    [[nodiscard]] static GatewayClientResult<std::shared_ptr<GatewayClient>> make(
        net::OwningLoop loop, GatewayClientOptions options);

    /// The definitions of all tools, as JSON as they came.
    [[nodiscard]] boost::asio::awaitable<GatewayClientResult<std::vector<std::string>>> tools(
        resilience::Deadline deadline);
    /// The result of a call, as JSON as it came. `arguments` is a JSON object.
    [[nodiscard]] boost::asio::awaitable<GatewayClientResult<std::string>> call(
        std::string tool, std::string arguments, resilience::Deadline deadline);

private:
    struct Question {
        std::string_view method = {};
        std::string name = {};     ///< Of the tool; empty = none.
        std::string members = {};  ///< Of the params, with commas between them.
        std::string headers = {};  ///< Further lines, complete.
    };

    GatewayClient(net::OwningLoop loop, GatewayClientOptions options, std::string target,
                  std::shared_ptr<net::HttpClient> http);

    /// The lines that repeat arguments of a call in headers, as the tool's schema wants it.
    [[nodiscard]] boost::asio::awaitable<GatewayClientResult<std::string>> headers_for(
        Question call, resilience::Deadline deadline);
    [[nodiscard]] boost::asio::awaitable<GatewayClientResult<std::string>> result_of(
        Question question, resilience::Deadline deadline);
    /// The answer, out of a body that is JSON or a stream of events.
    [[nodiscard]] boost::asio::awaitable<GatewayClientResult<std::string>> answer_in(
        std::unique_ptr<net::HttpClientResponse> response, resilience::Deadline deadline) const;
    [[nodiscard]] boost::asio::awaitable<GatewayClientResult<std::string>> answer_in_stream(
        std::unique_ptr<net::HttpClientResponse> response, resilience::Deadline deadline) const;

    const net::OwningLoop loop_;
    const GatewayClientOptions options_;
    const std::string target_;
    const std::shared_ptr<net::HttpClient> http_;
};

}  // namespace holdfast::cli
