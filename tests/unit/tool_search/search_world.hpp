#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "search/embedder.hpp"
#include "surface/surface.hpp"

// What the tests of the index thread and of the query thread share.

namespace holdfast::tool_search::testing {

inline constexpr std::chrono::seconds kPatience{30};

/// A loop on a thread of its own, for the coroutines of the queries.
class RunningLoop final {
public:
    RunningLoop() : thread_([this] { context_.run(); }) {}
    ~RunningLoop() {
        context_.stop();
        thread_.join();
    }
    RunningLoop(const RunningLoop&) = delete;
    RunningLoop& operator=(const RunningLoop&) = delete;

    [[nodiscard]] boost::asio::io_context& context() { return context_; }
    [[nodiscard]] net::OwningLoop owning() {
        return {.executor = context_.get_executor(), .timekeeper = &timekeeper_};
    }
    /// What was spawned before waits for something else now.
    void wait_until_begun() { boost::asio::post(context_, boost::asio::use_future).get(); }

private:
    boost::asio::io_context context_;
    resilience::LoopTimekeeper timekeeper_{context_.get_executor()};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        context_.get_executor()};
    std::thread thread_;
};

/// Servers that all list the same tools.
inline std::shared_ptr<const surface::Surface> surface_of(
    const std::vector<std::string>& tools, const std::vector<std::string>& servers = {"zoo"},
    std::uint64_t generation = 1) {
    std::vector<catalogue::ListedItem> items;
    for (const std::string& tool : tools) {
        items.push_back(
            {.name = tool,
             .definition = R"({"name":")" + tool + R"(","description":"about )" + tool + R"("})"});
    }
    const auto shared = std::make_shared<const std::vector<catalogue::ListedItem>>(items);
    std::vector<catalogue::ServerItems> listed;
    std::vector<surface::Server> known;
    for (const std::string& server : servers) {
        listed.push_back({.server = {.name = server}, .items = shared});
        known.push_back({.name = server});
    }
    surface::Catalogues catalogues;
    for (auto& catalogue : catalogues) {
        catalogue = std::make_shared<const catalogue::Catalogue>(
            1, std::vector<catalogue::ServerItems>{}, catalogue::CatalogueOptions{});
    }
    catalogues[static_cast<std::size_t>(downstream::ListKind::tools)] =
        std::make_shared<const catalogue::Catalogue>(generation, listed,
                                                     catalogue::CatalogueOptions{});
    return std::make_shared<const surface::Surface>(
        generation, std::make_shared<const std::vector<surface::Server>>(known), catalogues,
        std::array<surface::CacheHint, surface::kListKinds>{});
}

/// All texts get the same embedding. Can be made to fail, wait and reject.
class FakeEmbedder final : public search::Embedder {
public:
    [[nodiscard]] std::string_view model_name() const override { return "fake"; }
    [[nodiscard]] search::Embeddings embed(std::span<const std::string> texts,
                                           const search::StopSignal& should_stop) const override {
        embedded += texts.size();
        while (is_stuck) {
            if (should_stop && should_stop()) {
                return search::EmbedError{.code = search::EmbedErrc::too_late, .message = "late"};
            }
            std::this_thread::yield();
        }
        if (is_broken) {
            return search::EmbedError{.message = "it is broken"};
        }
        const auto has = [&texts](const std::string& word) {
            return !word.empty() && std::ranges::any_of(texts, [&word](const std::string& text) {
                return text.find(word) != std::string::npos;
            });
        };
        if (has(failing_word) || (is_stumbling && has("stone"))) {
            return search::EmbedError{.message = "it stumbled"};
        }
        const bool has_refused = has(refused_word);
        if (has_refused && texts.size() > 1) {
            return search::EmbedError{.message = "there is a text that it refuses"};
        }
        if (has_refused) {
            ++refusals;
            return std::vector<search::Embedding>(1);
        }
        std::vector<float> direction(dimension, 0.0F);
        direction.front() = 1.0F;
        return std::vector<search::Embedding>(texts.size(),
                                              search::Embedding{std::span{direction}});
    }
    mutable std::atomic<std::size_t> embedded = 0;
    mutable std::atomic<std::size_t> refusals = 0;
    std::string refused_word = {};
    std::string failing_word = {};
    std::atomic<std::size_t> dimension = 2;
    std::atomic<bool> is_stuck = false;
    std::atomic<bool> is_broken = false;
    std::atomic<bool> is_stumbling = false;  // at the text "stone"
};

}  // namespace holdfast::tool_search::testing
