#include "tool_search/http_embedder.hpp"

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/scripted_server.hpp"

namespace holdfast::tool_search {
namespace {

using namespace std::chrono_literals;
using search::EmbedErrc;
using Texts = std::vector<std::string>;

constexpr auto kPatience = 60s;
const std::string kOne = R"({"data":[{"index":0,"embedding":[0.1,0.9]}]})";

/// A server on its own thread, because the embedder blocks the calling one.
class ServerOnItsThread final {
public:
    ServerOnItsThread() : thread_([this] { context_.run(); }) {
        on_loop([this] { server_ = std::make_unique<test::ScriptedServer>(context_); });
    }
    ServerOnItsThread(const ServerOnItsThread&) = delete;
    ServerOnItsThread& operator=(const ServerOnItsThread&) = delete;
    ~ServerOnItsThread() {
        on_loop([this] { server_.reset(); });
        guard_.reset();
        context_.stop();
        thread_.join();
    }

    void answer(test::ScriptedAnswer answer) {
        on_loop([&] { server_->answer(std::move(answer)); });
    }
    void close_connections() {
        on_loop([this] { server_->close_connections(); });
    }
    std::string url() {
        return on_loop([this] { return server_->url("/v1"); });
    }
    std::size_t request_count() {
        return on_loop([this] { return server_->requests().size(); });
    }

private:
    template <class Action>
    auto on_loop(Action action) -> std::invoke_result_t<Action> {
        std::packaged_task<std::invoke_result_t<Action>()> task{std::move(action)};
        auto done = task.get_future();
        boost::asio::post(context_, [&task] { task(); });
        return done.get();
    }

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
        context_.get_executor()};
    std::unique_ptr<test::ScriptedServer> server_;
    std::thread thread_;
};

class HttpEmbedderTest : public testing::Test {
protected:
    std::shared_ptr<const HttpEmbedder> make(HttpEmbedderOptions options = {}) {
        options.url = server.url();
        options.model = "m1";
        if (options.timeout == HttpEmbedderOptions{}.timeout) {
            options.timeout = kPatience;
        }
        return *HttpEmbedder::make(std::move(options), circuit);
    }
    /// Stops once the server has received this many requests.
    search::StopSignal once_asked(std::size_t count) {
        return [this, count] { return server.request_count() >= count; };
    }
    std::uint32_t failures_in_a_row() const {
        return circuit->status(std::chrono::steady_clock::now()).consecutive_failures;
    }

    ServerOnItsThread server;
    const std::shared_ptr<resilience::SharedCircuitBreaker> circuit =
        resilience::SharedCircuitBreaker::make();
};

TEST_F(HttpEmbedderTest, ACancelledQueryIsLateAndTheNextIsSent) {
    const auto embedder = make();

    for (const std::size_t count : {1U, 2U}) {
        const auto embedded = embedder->embed(Texts{"mail"}, once_asked(count));
        ASSERT_FALSE(embedded);
        EXPECT_EQ(embedded.error().code, EmbedErrc::too_late);
    }

    EXPECT_EQ(failures_in_a_row(), 0U) << "they had nearly no time";
    // The two cancelled requests are answered first, on connections that are closed by now.
    for (int answers = 0; answers < 3; ++answers) {
        server.answer({.bytes = test::http_answer(kOne)});
    }
    EXPECT_TRUE(embedder->embed(Texts{"mail"}, {}));
}

TEST_F(HttpEmbedderTest, SendsNothingAfterTheDeadline) {
    const auto embedder = make();

    const auto embedded = embedder->embed(Texts{"mail"}, [] { return true; });

    ASSERT_FALSE(embedded);
    EXPECT_EQ(embedded.error().code, EmbedErrc::too_late);
    EXPECT_EQ(server.request_count(), 0U);
}

TEST_F(HttpEmbedderTest, ReplacesAConnectionThatTheServerClosed) {
    const auto embedder = make();

    for (int query = 0; query < 5; ++query) {
        server.answer({.bytes = test::http_answer(kOne), .closes = true});
        EXPECT_TRUE(embedder->embed(Texts{"mail"}, {})) << query;
    }

    EXPECT_EQ(server.request_count(), 5U);
    EXPECT_EQ(failures_in_a_row(), 0U);
}

TEST_F(HttpEmbedderTest, RetriesOnceWhenTheServerClosesTheConnection) {
    const auto embedder = make();
    server.answer({.bytes = "", .closes = true});
    server.answer({.bytes = test::http_answer(kOne)});

    EXPECT_TRUE(embedder->embed(Texts{"mail"}, {}));
    EXPECT_EQ(server.request_count(), 2U);

    server.answer({.bytes = "", .closes = true});
    server.answer({.bytes = "", .closes = true});
    EXPECT_FALSE(embedder->embed(Texts{"mail"}, {}));
    EXPECT_EQ(server.request_count(), 4U);
}

TEST_F(HttpEmbedderTest, ASilentServerCostsTheTimeout) {
    const auto embedder = make({.timeout = 50ms});

    for (int query = 0; query < 2; ++query) {
        const auto embedded = embedder->embed(Texts{"mail"}, {});
        ASSERT_FALSE(embedded);
        EXPECT_EQ(embedded.error().code, EmbedErrc::too_late);
    }
}

TEST_F(HttpEmbedderTest, SkipsAHangingServerEvenIfQueriesAreCancelledBeforeTheTimeout) {
    const auto embedder = make({.timeout = 100ms});
    std::string last;

    for (int query = 0; query < 20 && last != "skipped"; ++query) {
        const auto late_at = std::chrono::steady_clock::now() + 90ms;
        const auto embedded = embedder->embed(
            Texts{"mail"}, [late_at] { return std::chrono::steady_clock::now() >= late_at; });
        ASSERT_FALSE(embedded);
        last = embedded.error().code == EmbedErrc::left_alone ? "skipped" : "late";
    }

    EXPECT_EQ(last, "skipped");
}

std::string refusal(const std::string& status) {
    return "HTTP/1.1 " + status + " No\r\nContent-Length: 0\r\n\r\n";
}

TEST_F(HttpEmbedderTest, AnInvalidRequestDoesNotCountAgainstTheServer) {
    const auto embedder = make();
    for (const char* status : {"400", "404", "413", "422"}) {
        server.answer({.bytes = refusal(status)});
        EXPECT_FALSE(embedder->embed(Texts{"mail"}, {})) << status;
    }
    EXPECT_EQ(failures_in_a_row(), 0U);

    for (const char* status : {"401", "403", "429", "500"}) {
        server.answer({.bytes = refusal(status)});
        EXPECT_FALSE(embedder->embed(Texts{"mail"}, {})) << status;
    }
    EXPECT_EQ(failures_in_a_row(), 4U);
}

TEST_F(HttpEmbedderTest, ARejectedTextGetsAnEmptyEmbeddingIfConfigured) {
    const auto embedder = make({.leaves_out_refused = true});
    for (const char* status : {"400", "404", "413"}) {
        server.answer({.bytes = refusal(status)});
    }

    EXPECT_FALSE(embedder->embed(Texts{"mail", "rain"}, {}));
    EXPECT_FALSE(embedder->embed(Texts{"mail"}, {})) << "404 is about the address";
    const auto embedded = embedder->embed(Texts{"mail"}, {});

    ASSERT_TRUE(embedded);
    ASSERT_EQ(embedded->size(), 1U);
    EXPECT_EQ(embedded->front().dimension(), 0U);
}

}  // namespace
}  // namespace holdfast::tool_search
