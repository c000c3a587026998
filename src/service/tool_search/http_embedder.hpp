#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "holdfast/resilience/shared_circuit_breaker.hpp"
#include "net/http_client.hpp"
#include "net/http_url.hpp"
#include "search/embedder.hpp"

namespace holdfast::tool_search {

struct HttpEmbedderOptions {
    std::string url = {};  ///< Without `/embeddings`, such as `http://127.0.0.1:8080/v1`.
    std::string model = {};
    std::string key = {};  ///< Sent as a bearer token; a secret. Empty = none.
    std::optional<std::size_t> dimensions = std::nullopt;  ///< Asked for, if it is given.
    resilience::Duration timeout = std::chrono::seconds{1};
    /// A text that is rejected alone gets an empty embedding instead of an error.
    bool leaves_out_refused = false;
    std::size_t max_answer_bytes = std::size_t{64} * 1024 * 1024;
};

/// Uses a server with OpenAI's embeddings API: `POST {url}/embeddings`. The circuit stops requests
/// to a server that keeps failing.
///
/// Thread-safety: from any thread; one request at a time, others wait for it.
class HttpEmbedder final : public search::Embedder {
public:
    /// Fails with a message if the URL is unusable. Several embedders may share a circuit.
    [[nodiscard]] static net::NetResult<std::shared_ptr<const HttpEmbedder>> make(
        HttpEmbedderOptions options, std::shared_ptr<resilience::SharedCircuitBreaker> circuit);

    HttpEmbedder(HttpEmbedderOptions options, const net::HttpUrl& url,
                 std::shared_ptr<net::HttpClient> client,
                 std::shared_ptr<resilience::SharedCircuitBreaker> circuit);
    ~HttpEmbedder() override;

    [[nodiscard]] std::string_view model_name() const override { return name_; }
    [[nodiscard]] search::Embeddings embed(std::span<const std::string> texts,
                                           const search::StopSignal& should_stop) const override;

private:
    struct Answer {
        int status = 0;
        std::string body = {};  ///< Of the answer, or why there is none.
        bool is_late = false;
        bool is_given_up = false;  ///< By us, before the timeout.
        bool has_come = false;
    };

    [[nodiscard]] Answer asked(std::string body, const search::StopSignal& should_stop) const;

    /// The outcome of a request with this duration for the circuit.
    [[nodiscard]] resilience::Outcome outcome_of(const Answer& answer,
                                                 resilience::Duration time) const;

    const HttpEmbedderOptions options_;
    const std::string target_;
    const std::string name_;
    const std::shared_ptr<resilience::SharedCircuitBreaker> circuit_;
    mutable std::mutex mutex_;  // guards the loop, which the embedding thread runs
    mutable boost::asio::io_context context_;
    mutable resilience::LoopTimekeeper timekeeper_;
    std::shared_ptr<net::HttpClient> client_;
};

/// Reads the server's answer: one embedding for each of `count` texts.
[[nodiscard]] search::Embeddings embeddings_in(std::string_view body, std::size_t count);

}  // namespace holdfast::tool_search
