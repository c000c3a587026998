#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "search/index_writer.hpp"
#include "search/similar_tools.hpp"
#include "surface/tool_documents.hpp"
#include "surface/tool_finder.hpp"

namespace holdfast::test {

/// Finds by words, at once and without threads.
class FakeFinder final : public surface::ToolFinder {
public:
    void show(std::shared_ptr<const surface::Surface> surface) override {
        if (!is_behind) {
            writer_.replace_all(surface::documents_of(*surface));
        }
        index_ = writer_.snapshot();
        generation_ = surface->generation();
    }
    boost::asio::awaitable<std::optional<search::SearchAnswer>> find(
        surface::FinderQuery query, net::OwningLoop loop) override {
        queries.push_back(query.text);
        if (is_stuck) {
            resilience::OneShot never{*loop.timekeeper};
            std::ignore = co_await never.wait_until(resilience::TimePoint::max());
            co_return std::nullopt;
        }
        const auto catalogue = surface::catalogue_of(*query.surface);
        co_return search::find_tools(
            {.query = query.text,
             .index = index_.get(),
             .why_no_embedder = "it is a test",
             .catalogue = catalogue,
             .is_available = query.is_available,
             .is_listed = [&](std::string_view id) { return query.is_listed(id); }},
            query.options);
    }
    void find_similar(std::string tool, SimilarDone done) override {
        similar_queries.push_back(tool);
        if (is_silent) {
            return;
        }
        auto ids = search::similar_tools(*index_, tool);
        if (!ids) {
            done(std::nullopt);
            return;
        }
        done(surface::SimilarAnswer{.ids = std::move(*ids), .generation = generation_});
    }
    [[nodiscard]] surface::FinderProgress progress() const override {
        return {.indexed = writer_.size()};
    }

    std::vector<std::string> queries;
    std::vector<std::string> similar_queries;
    bool is_stuck = false;   ///< Queries wait until they are cancelled.
    bool is_silent = false;  ///< Queries for similar tools get no answer.
    bool is_behind = false;  ///< It does not read what is shown any more.

private:
    search::IndexWriter writer_;
    std::shared_ptr<const search::ToolIndex> index_;
    std::uint64_t generation_ = 0;
};

}  // namespace holdfast::test
