#include "tool_search/http_embedder.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "jsonrpc/json_writer.hpp"

namespace holdfast::tool_search {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using search::EmbedErrc;
using search::EmbedError;

constexpr int kFine = 200;
constexpr std::size_t kMaxDimension = 65'536;
/// The polling interval for cancellation.
constexpr std::chrono::milliseconds kLook{5};

EmbedError unavailable(std::string message) {
    return {.code = EmbedErrc::unavailable, .message = std::move(message)};
}

/// Whether the server closed the connection instead of answering, which it may do with an idle
/// connection at any time. Embedding twice is harmless.
bool was_hung_up(const net::HttpClientError& failure) {
    return failure.may_have_arrived && failure.error.code == net::NetErrc::closed;
}

/// Whether the server rejected this request but may answer others: not because of the key or the
/// rate.
bool is_about_the_request(int status) {
    return status >= 400 && status < 500 && status != 401 && status != 403 && status != 429;
}

/// Whether the text is the likely reason, and not the address.
bool is_about_the_text(int status) {
    return status == 400 || status == 413 || status == 422;
}

EmbedError too_late() {
    return {.code = EmbedErrc::too_late, .message = "embedding took too long"};
}

std::string request_body(const HttpEmbedderOptions& options, std::span<const std::string> texts) {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("model").text(options.model);
    if (options.dimensions) {
        writer.key("dimensions").number(*options.dimensions);
    }
    writer.key("encoding_format").text("float");
    writer.key("input").texts(texts);
    writer.end_object();
    return writer.take();
}

std::optional<search::Embedding> embedding_of(const json::value& entry) {
    const json::object* object = entry.if_object();
    const json::value* list = object == nullptr ? nullptr : object->if_contains("embedding");
    if (list == nullptr || !list->is_array() || list->get_array().empty() ||
        list->get_array().size() > kMaxDimension) {
        return std::nullopt;
    }
    std::vector<float> values;
    values.reserve(list->get_array().size());
    for (const json::value& value : list->get_array()) {
        json::error_code error;
        const auto number = value.is_number() ? value.to_number<double>(error) : NAN;
        if (error || !std::isfinite(number)) {
            return std::nullopt;
        }
        values.push_back(static_cast<float>(number));
    }
    return search::Embedding{std::span<const float>{values}};
}

std::size_t index_of(const json::value& entry, std::size_t otherwise) {
    const json::object* object = entry.if_object();
    const json::value* index = object == nullptr ? nullptr : object->if_contains("index");
    json::error_code error;
    const auto number = index != nullptr && index->is_number()
                            ? index->to_number<std::uint32_t>(error)
                            : static_cast<std::uint32_t>(otherwise);
    return error ? otherwise : number;
}

}  // namespace

search::Embeddings embeddings_in(std::string_view body, std::size_t count) {
    json::error_code error;
    const json::value answer = json::parse({body.data(), body.size()}, error);
    const json::object* object = error ? nullptr : answer.if_object();
    const json::value* data = object == nullptr ? nullptr : object->if_contains("data");
    if (data == nullptr || !data->is_array() || data->get_array().size() != count) {
        return unavailable("the embedder's answer has not one embedding for each text");
    }
    std::vector<std::optional<search::Embedding>> found(count);
    for (std::size_t place = 0; place < count; ++place) {
        const json::value& entry = data->get_array()[place];
        const std::size_t index = index_of(entry, place);
        if (index < count) {
            found[index] = embedding_of(entry);
        }
    }
    std::vector<search::Embedding> embeddings;
    embeddings.reserve(count);
    for (std::optional<search::Embedding>& one : found) {
        if (!one || (!embeddings.empty() && one->dimension() != embeddings.front().dimension())) {
            return unavailable("the embedder's answer has an embedding that cannot be read");
        }
        embeddings.push_back(std::move(*one));
    }
    return embeddings;
}

net::NetResult<std::shared_ptr<const HttpEmbedder>> HttpEmbedder::make(
    HttpEmbedderOptions options, std::shared_ptr<resilience::SharedCircuitBreaker> circuit) {
    auto url = net::parsed_url(options.url);
    if (!url) {
        return url.error();
    }
    auto client = net::make_http_client(*url, {.max_connections = 1});
    if (!client) {
        return client.error();
    }
    return std::shared_ptr<const HttpEmbedder>{std::make_shared<HttpEmbedder>(
        std::move(options), *url, std::move(*client), std::move(circuit))};
}

HttpEmbedder::HttpEmbedder(HttpEmbedderOptions options, const net::HttpUrl& url,
                           std::shared_ptr<net::HttpClient> client,
                           std::shared_ptr<resilience::SharedCircuitBreaker> circuit)
    : options_(std::move(options)),
      target_(
          (url.target.ends_with('/') ? url.target.substr(0, url.target.size() - 1) : url.target) +
          "/embeddings"),
      name_(url.authority() + url.target + " " + options_.model + "/" +
            std::to_string(options_.dimensions.value_or(0))),
      circuit_(std::move(circuit)),
      timekeeper_(context_.get_executor()),
      client_(std::move(client)) {}

// Handlers do not throw: their failures are values.
// NOLINTNEXTLINE(bugprone-exception-escape)
HttpEmbedder::~HttpEmbedder() {
    // Idle connections are closed on the loop.
    client_.reset();
    context_.restart();
    context_.poll();
}

search::Embeddings HttpEmbedder::embed(std::span<const std::string> texts,
                                       const search::StopSignal& should_stop) const {
    if (texts.empty()) {
        return std::vector<search::Embedding>{};
    }
    const std::scoped_lock lock{mutex_};
    if (should_stop && should_stop()) {
        return too_late();
    }
    auto permit = circuit_->try_acquire(
        timekeeper_.now(), resilience::Deadline::at(timekeeper_.now() + options_.timeout));
    if (!permit) {
        return EmbedError{.code = EmbedErrc::left_alone,
                          .message = "the embedder failed too often and is not used for a while"};
    }
    const resilience::TimePoint start = timekeeper_.now();
    const Answer answer = asked(request_body(options_, texts), should_stop);
    permit->settle(outcome_of(answer, timekeeper_.now() - start), timekeeper_.now());
    if (answer.has_come && answer.status == kFine) {
        return embeddings_in(answer.body, texts.size());
    }
    if (options_.leaves_out_refused && texts.size() == 1 && is_about_the_text(answer.status)) {
        return std::vector<search::Embedding>(1);
    }
    if (answer.is_late) {
        return too_late();
    }
    return unavailable(answer.has_come
                           ? "the embedder answered with status " + std::to_string(answer.status)
                           : "the embedder cannot be reached: " + answer.body);
}

resilience::Outcome HttpEmbedder::outcome_of(const Answer& answer,
                                             resilience::Duration time) const {
    if (answer.has_come && answer.status == kFine) {
        return resilience::Outcome::success;
    }
    if (answer.has_come) {
        return is_about_the_request(answer.status) ? resilience::Outcome::neutral
                                                   : resilience::Outcome::failure;
    }
    // A request that was cancelled early says nothing about the server. A query has about as much
    // time as the server's own timeout, so that queries alone detect a silent server.
    const bool had_little_time = answer.is_given_up && time < options_.timeout / 2;
    return had_little_time ? resilience::Outcome::neutral : resilience::Outcome::failure;
}

HttpEmbedder::Answer HttpEmbedder::asked(std::string body,
                                         const search::StopSignal& should_stop) const {
    struct RequestState {
        std::optional<Answer> answer;
        asio::cancellation_signal cancellation;
    };
    struct Asking {
        static asio::awaitable<Answer> run(std::shared_ptr<net::HttpClient> client,
                                           net::OwningLoop loop, net::HttpClientRequest request,
                                           resilience::Deadline deadline, std::size_t max_bytes) {
            // A cancelled operation ends with an error, never with an exception.
            co_await asio::this_coro::throw_if_cancelled(false);
            auto response = co_await client->send(loop, request, deadline);
            if (!response && was_hung_up(response.error())) {
                response = co_await client->send(loop, std::move(request), deadline);
            }
            if (!response) {
                const net::NetError& error = response.error().error;
                co_return Answer{.body = error.message,
                                 .is_late = error.code == net::NetErrc::timed_out ||
                                            error.code == net::NetErrc::cancelled};
            }
            auto read = co_await (*response)->read_all(max_bytes, deadline);
            if (!read) {
                co_return Answer{.body = read.error().message,
                                 .is_late = read.error().code == net::NetErrc::timed_out ||
                                            read.error().code == net::NetErrc::cancelled};
            }
            co_return Answer{
                .status = (*response)->status(), .body = std::move(*read), .has_come = true};
        }
    };
    net::HttpClientRequest request{.target = target_,
                                   .headers = "Content-Type: application/json\r\n",
                                   .body = std::move(body)};
    if (!options_.key.empty()) {
        request.headers += "Authorization: Bearer " + options_.key + "\r\n";
    }
    // Drops connections that the server closed since the last request.
    context_.restart();
    context_.poll();
    const auto request_state = std::make_shared<RequestState>();
    const net::OwningLoop loop{.executor = context_.get_executor(), .timekeeper = &timekeeper_};
    asio::co_spawn(context_,
                   Asking::run(client_, loop, std::move(request),
                               resilience::Deadline::at(timekeeper_.now() + options_.timeout),
                               options_.max_answer_bytes),
                   asio::bind_cancellation_slot(
                       request_state->cancellation.slot(),
                       [request_state](const std::exception_ptr& error, Answer given) {
                           request_state->answer =
                               error == nullptr ? std::move(given)
                                                : Answer{.body = "the request ended unexpectedly"};
                       }));
    std::optional<Answer>& answer = request_state->answer;
    bool is_cancelled = false;
    while (!answer) {
        context_.restart();
        context_.run_one_for(kLook);
        if (!answer && !is_cancelled && should_stop && should_stop()) {
            is_cancelled = true;
            request_state->cancellation.emit(asio::cancellation_type::terminal);
        }
    }
    if (is_cancelled) {
        // Runs what Asio posted for the signal before the signal is destroyed.
        context_.restart();
        context_.poll();
    }
    answer->is_given_up = is_cancelled && !answer->has_come;
    answer->is_late = answer->is_late || answer->is_given_up;
    return std::move(*answer);
}

}  // namespace holdfast::tool_search
