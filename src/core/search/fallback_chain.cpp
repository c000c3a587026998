#include "search/fallback_chain.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace holdfast::search {
namespace {

/// The tools that a step found, or why the step could not search.
struct StepOutcome {
    std::vector<FoundTool> candidates = {};
    std::string failure = {};
};

std::string counted_tools(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " tool" : " tools");
}

std::vector<FoundTool> available_first(std::vector<FoundTool> tools) {
    std::vector<FoundTool> ordered;
    ordered.reserve(tools.size());
    for (const bool is_available : {true, false}) {
        for (FoundTool& tool : tools) {
            if (tool.is_available == is_available) {
                ordered.push_back(std::move(tool));
            }
        }
    }
    return ordered;
}

class FallbackChain {
public:
    FallbackChain(const SearchRequest& request, const FallbackOptions& options)
        : request_(request),
          options_(options),
          query_(read_query(request.query, options.query)),
          min_tools_(std::min(options.min_tools, options.max_tools)),
          candidate_count_(options.max_tools * std::max<std::size_t>(options.candidate_factor, 1)) {
    }

    SearchAnswer climb() {
        constexpr std::array kSteps = {SearchStep::hybrid, SearchStep::keyword,
                                       SearchStep::fallback_tools};
        const bool is_complete =
            std::ranges::any_of(kSteps, [this](SearchStep step) { return is_enough_after(step); });
        if (!is_complete && answer_.tools.size() < min_tools_) {
            fill_up();
        }
        answer_.tools = available_first(std::move(answer_.tools));
        return std::move(answer_);
    }

private:
    /// Runs a step and adds its tools. Returns whether the answer has enough tools.
    bool is_enough_after(SearchStep step) {
        StepOutcome outcome = take(step);
        const std::size_t added = add(step, std::move(outcome.candidates), options_.max_tools);
        if (!answer_.tools.empty() && answer_.tools.size() >= min_tools_) {
            return true;
        }
        if (outcome.failure.empty()) {
            outcome.failure = shortage(added);
        }
        answer_.left.push_back({.step = step, .reason = std::move(outcome.failure)});
        return false;
    }

    [[nodiscard]] std::string shortage(std::size_t added) const {
        if (added == 0) {
            return answer_.tools.empty() ? "found no tool" : "found no other tool";
        }
        return "found " + counted_tools(added) + "; the minimum is " + std::to_string(min_tools_);
    }

    [[nodiscard]] StepOutcome take(SearchStep step) const {
        switch (step) {
            case SearchStep::hybrid:
                return hybrid();
            case SearchStep::keyword:
                return keyword();
            case SearchStep::fallback_tools:
                return fallback_tools();
            case SearchStep::all_tools:
                break;
        }
        StepOutcome outcome;
        outcome.candidates.reserve(request_.catalogue.size());
        for (const ListedTool& tool : request_.catalogue) {
            outcome.candidates.push_back(found(tool));
        }
        return outcome;
    }

    /// Adds tools of the catalogue up to the minimum, or up to the maximum if no other step found
    /// any.
    void fill_up() {
        const std::size_t wanted = answer_.tools.empty() ? options_.max_tools : min_tools_;
        std::ignore = add(SearchStep::all_tools, take(SearchStep::all_tools).candidates, wanted);
        if (answer_.tools.size() < min_tools_) {
            is_capped_ = false;  // to reach the minimum, a server may exceed its share
            std::ignore =
                add(SearchStep::all_tools, take(SearchStep::all_tools).candidates, min_tools_);
        }
    }

    /// Returns why no search is possible; empty if it is.
    [[nodiscard]] std::string obstacle() const {
        if (query_.empty()) {
            return "the query is empty";
        }
        if (request_.index == nullptr) {
            return "there is no index yet";
        }
        return request_.index->empty() ? "the index is empty" : "";
    }

    [[nodiscard]] StepOutcome hybrid() const {
        if (std::string reason = obstacle(); !reason.empty()) {
            return {.failure = std::move(reason)};
        }
        if (request_.embedder == nullptr) {
            const std::string_view why = request_.why_no_embedder;
            return {.failure = why.empty() ? "search by meaning is off" : std::string{why}};
        }
        if (request_.index->embedded_count() == 0) {
            return {.failure = "no tool is embedded yet"};
        }
        std::vector<std::string> texts;
        texts.reserve(query_.passages.size());
        for (const Passage& passage : query_.passages) {
            texts.push_back(passage.text);
        }
        const Embeddings embeddings = request_.embedder->embed(texts, request_.is_late);
        if (!embeddings) {
            return {.failure = embeddings.error().message};
        }
        if (embeddings->size() != texts.size()) {
            return {.failure = "the embedder returned the wrong number of embeddings"};
        }
        return ranked(hybrid_ranking(*request_.index, query_, *embeddings, candidate_count_,
                                     options_.fusion));
    }

    [[nodiscard]] StepOutcome keyword() const {
        if (std::string reason = obstacle(); !reason.empty()) {
            return {.failure = std::move(reason)};
        }
        return ranked(keyword_ranking(*request_.index, query_, candidate_count_));
    }

    [[nodiscard]] StepOutcome fallback_tools() const {
        if (options_.fallback_tools.empty()) {
            return {.failure = "no fallback tools are configured"};
        }
        StepOutcome outcome;
        for (const std::string& id : options_.fallback_tools) {
            const auto tool = std::ranges::find(request_.catalogue, id, &ListedTool::id);
            if (tool != request_.catalogue.end()) {
                outcome.candidates.push_back(found(*tool));
            }
        }
        if (outcome.candidates.empty()) {
            outcome.failure = "none of the configured fallback tools exists";
        }
        return outcome;
    }

    [[nodiscard]] StepOutcome ranked(const std::vector<RankedTool>& tools) const {
        StepOutcome outcome;
        outcome.candidates.reserve(tools.size());
        for (const RankedTool& tool : tools) {
            const ToolDocument& document = request_.index->document(tool.position);
            if (request_.is_listed && !request_.is_listed(document.id)) {
                continue;
            }
            outcome.candidates.push_back(found({.id = document.id, .server = document.server}));
            outcome.candidates.back().ranking = tool;
        }
        if (outcome.candidates.empty() && !tools.empty()) {
            outcome.failure = "the index is out of date: the tools that it found are gone";
        }
        return outcome;
    }

    [[nodiscard]] FoundTool found(const ListedTool& tool) const {
        return {.id = std::string{tool.id},
                .server = std::string{tool.server},
                .is_available = !request_.is_available || request_.is_available(tool)};
    }

    /// Adds candidates in order, available ones first, until the answer has `max_tools`. Returns
    /// the number of added tools.
    std::size_t add(SearchStep step, std::vector<FoundTool> candidates, std::size_t max_tools) {
        const std::size_t before = answer_.tools.size();
        for (const bool is_available : {true, false}) {
            for (FoundTool& tool : candidates) {
                if (answer_.tools.size() >= max_tools) {
                    break;
                }
                if (tool.is_available == is_available && may_add(step, tool) &&
                    ids_.insert(tool.id).second) {
                    ++per_server_[tool.server];
                    tool.step = step;
                    answer_.tools.push_back(std::move(tool));
                }
            }
        }
        const std::size_t added = answer_.tools.size() - before;
        if (added > 0 && !answer_.step) {
            answer_.step = step;
        }
        return added;
    }

    /// Configured fallback tools are exempt from the limit per server.
    [[nodiscard]] bool may_add(SearchStep step, const FoundTool& tool) const {
        const bool is_exempt = !is_capped_ || step == SearchStep::fallback_tools;
        if (is_exempt || options_.max_per_server == 0 || tool.server.empty()) {
            return true;
        }
        const auto count = per_server_.find(tool.server);
        return count == per_server_.end() || count->second < options_.max_per_server;
    }

    const SearchRequest& request_;
    const FallbackOptions& options_;
    const SearchQuery query_;
    const std::size_t min_tools_;
    const std::size_t candidate_count_;
    SearchAnswer answer_;
    std::unordered_set<std::string> ids_;  // of the answer's tools
    std::unordered_map<std::string, std::size_t> per_server_;
    bool is_capped_ = true;
};

}  // namespace

const StepNames& names_of(std::optional<SearchStep> step) noexcept {
    // In the order of `SearchStep`, and then for no step.
    static constexpr std::array<StepNames, 5> kNames{{
        {.name = "hybrid", .words = "semantic search"},
        {.name = "keyword", .words = "keyword search"},
        {.name = "fallback_tools", .words = "fallback tools"},
        {.name = "all_tools", .words = "catalogue"},
        {.name = "none", .words = "none"},
    }};
    return step ? kNames.at(static_cast<std::size_t>(*step)) : kNames.back();
}

SearchAnswer find_tools(const SearchRequest& request, const FallbackOptions& options) {
    return FallbackChain{request, options}.climb();
}

}  // namespace holdfast::search
