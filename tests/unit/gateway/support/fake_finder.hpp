#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gateway/tool_documents.hpp"
#include "gateway/tool_finder.hpp"
#include "search/index_writer.hpp"

namespace holdfast::gateway::testing {

/// Finds by words, at once and without threads.
class FakeFinder final : public ToolFinder {
public:
    void show(std::shared_ptr<const Surface> surface) override {
        if (!is_behind) {
            writer_.replace_all(documents_of(*surface));
        }
        index_ = writer_.snapshot();
    }
    void find(FinderQuery query, Done done) override {
        std::vector<search::ListedTool> catalogue;
        for (const Callable& tool : query.surface->tools()) {
            catalogue.push_back({.id = tool.exposed_name, .server = tool.server->name});
        }
        queries.push_back(query.text);
        done(search::find_tools(
            {.query = query.text,
             .index = index_.get(),
             .why_no_embedder = "it is a test",
             .catalogue = catalogue,
             .is_available = query.is_available,
             .is_listed = [&](std::string_view id) { return query.is_listed(id); }},
            query.options));
    }
    [[nodiscard]] FinderProgress progress() const override { return {.indexed = writer_.size()}; }

    std::vector<std::string> queries;
    bool is_behind = false;  ///< It does not read what is shown any more.

private:
    search::IndexWriter writer_;
    std::shared_ptr<const search::ToolIndex> index_;
};

}  // namespace holdfast::gateway::testing
