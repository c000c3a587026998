#include "search/ladder.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace holdfast::search {
namespace {

/// The tools that a step found, or why it found none.
struct StepOutcome {
    std::vector<FoundTool> candidates = {};
    std::string failure = {};
};

class Ladder {
public:
    Ladder(const LadderRequest& request, const LadderOptions& options)
        : request_(request),
          options_(options),
          query_(read_query(request.query, options.query)),
          candidate_count_(options.max_tools * std::max<std::size_t>(options.candidate_factor, 1)) {
    }

    LadderAnswer climb() {
        for (const LadderStep step :
             {LadderStep::hybrid, LadderStep::keyword, LadderStep::fallback_tools}) {
            StepOutcome outcome = take(step);
            if (outcome.failure.empty()) {
                answer_.tools = chosen(std::move(outcome.candidates));
                if (answer_.tools.size() >= options_.min_tools && !answer_.tools.empty()) {
                    answer_.step = step;
                    return std::move(answer_);
                }
                outcome.failure = "found " + std::to_string(answer_.tools.size()) +
                                  " tools, of at least " + std::to_string(options_.min_tools);
            }
            answer_.left.push_back({.step = step, .reason = std::move(outcome.failure)});
        }
        answer_.step = LadderStep::all_tools;
        answer_.tools = chosen(take(LadderStep::all_tools).candidates);
        return std::move(answer_);
    }

private:
    StepOutcome take(LadderStep step) const {
        switch (step) {
            case LadderStep::hybrid:
                return hybrid();
            case LadderStep::keyword:
                return keyword();
            case LadderStep::fallback_tools:
                return fallback_tools();
            case LadderStep::all_tools:
                break;
        }
        StepOutcome outcome;
        for (const ListedTool& tool : request_.catalogue) {
            outcome.candidates.push_back(found(tool));
        }
        return outcome;
    }

    /// Why nothing can be searched at all; empty if it can.
    [[nodiscard]] std::string obstacle() const {
        if (query_.empty()) {
            return "the query is empty";
        }
        if (request_.index == nullptr) {
            return "there is no index yet";
        }
        return request_.index->empty() ? "the index is empty" : "";
    }

    StepOutcome hybrid() const {
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
            return {.failure = "the embedder answered another number of texts"};
        }
        return ranked(hybrid_ranking(*request_.index, query_, *embeddings, candidate_count_,
                                     options_.fusion));
    }

    StepOutcome keyword() const {
        if (std::string reason = obstacle(); !reason.empty()) {
            return {.failure = std::move(reason)};
        }
        return ranked(keyword_ranking(*request_.index, query_, candidate_count_));
    }

    StepOutcome fallback_tools() const {
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
        return outcome;
    }

    StepOutcome ranked(const std::vector<RankedTool>& tools) const {
        StepOutcome outcome;
        outcome.candidates.reserve(tools.size());
        for (const RankedTool& tool : tools) {
            const ToolDocument& document = request_.index->document(tool.position);
            outcome.candidates.push_back(found({.id = document.id, .server = document.server}));
            outcome.candidates.back().ranking = tool;
        }
        return outcome;
    }

    FoundTool found(const ListedTool& tool) const {
        return {.id = std::string{tool.id},
                .server = std::string{tool.server},
                .is_available = !request_.is_available || request_.is_available(tool)};
    }

    /// The candidates in their order, what is available first, within the cap and the maximum.
    [[nodiscard]] std::vector<FoundTool> chosen(std::vector<FoundTool> candidates) const {
        std::vector<FoundTool> tools;
        std::unordered_map<std::string, std::size_t> per_server;
        for (const bool is_available : {true, false}) {
            for (FoundTool& tool : candidates) {
                if (tool.is_available != is_available || tools.size() >= options_.max_tools) {
                    continue;
                }
                const bool is_capped = options_.max_per_server > 0 && !tool.server.empty();
                if (is_capped && ++per_server[tool.server] > options_.max_per_server) {
                    continue;
                }
                tools.push_back(std::move(tool));
            }
        }
        return tools;
    }

    const LadderRequest& request_;
    const LadderOptions& options_;
    const SearchQuery query_;
    const std::size_t candidate_count_;
    LadderAnswer answer_;
};

}  // namespace

std::string_view name_of(LadderStep step) noexcept {
    switch (step) {
        case LadderStep::hybrid:
            return "hybrid";
        case LadderStep::keyword:
            return "keyword";
        case LadderStep::fallback_tools:
            return "fallback_tools";
        case LadderStep::all_tools:
            break;
    }
    return "all_tools";
}

LadderAnswer find_tools(const LadderRequest& request, const LadderOptions& options) {
    return Ladder{request, options}.climb();
}

}  // namespace holdfast::search
