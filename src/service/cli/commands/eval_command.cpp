#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/eval_files.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "platform/environment.hpp"
#include "platform/user_folders.hpp"
#include "search/index_writer.hpp"
#include "search/ranking.hpp"
#include "tool_search/model_store.hpp"
#include "tool_search/vector_cache.hpp"

namespace holdfast::cli {
namespace {

struct EvalOptions {
    std::string tools_file = {};
    std::string queries_file = {};
    std::string mode = "hybrid";  ///< `keyword` or `hybrid`.
    std::size_t max_queries = 0;  ///< Use only the first N; 0 = all.
    bool as_json = false;
};

/// The measures look no further than this.
constexpr std::size_t kRankedTools = 100;

struct TestSet {
    std::vector<search::ToolDocument> tools = {};
    std::vector<search::JudgedQuery> queries = {};
};

template <class T, class Parse>
std::optional<T> read_lines(const std::string& path, const Parse& parse, std::ostream& errors) {
    const auto lines = eval_file(path);
    if (!lines) {
        errors << "holdfast: " << lines.error().message << ".\n";
        return std::nullopt;
    }
    auto parsed = parse(*lines);
    if (!parsed) {
        errors << "holdfast: " << path << ": " << parsed.error().message << ".\n";
        return std::nullopt;
    }
    return std::move(*parsed);
}

std::optional<TestSet> read_test_set(const EvalOptions& options, std::ostream& errors) {
    auto tools =
        read_lines<std::vector<search::ToolDocument>>(options.tools_file, eval_tools, errors);
    if (!tools) {
        return std::nullopt;
    }
    auto queries =
        read_lines<std::vector<search::JudgedQuery>>(options.queries_file, eval_queries, errors);
    if (!queries) {
        return std::nullopt;
    }
    if (options.max_queries > 0 && queries->size() > options.max_queries) {
        queries->resize(options.max_queries);
    }
    return TestSet{.tools = std::move(*tools), .queries = std::move(*queries)};
}

/// The value below which this share of the times lies.
double percentile(std::vector<double>& times, double share) {
    if (times.empty()) {
        return 0.0;
    }
    const auto last = static_cast<double>(times.size() - 1);
    const auto place = times.begin() + std::lround(share * last);
    std::ranges::nth_element(times, place);
    return *place;
}

void print_figures(const search::RankingMeasures& means, std::vector<double>& times, bool as_json,
                   std::ostream& out) {
    const std::vector<std::pair<const char*, double>> figures = {
        {"recall@1", means.recall_at_1},     {"recall@5", means.recall_at_5},
        {"recall@10", means.recall_at_10},   {"ndcg@10", means.ndcg_at_10},
        {"mrr", means.mean_reciprocal_rank}, {"p50_ms", percentile(times, 0.5)},
        {"p95_ms", percentile(times, 0.95)},
    };
    out << std::fixed << std::setprecision(4);
    const char* separator = as_json ? "{" : "";
    for (const auto& [name, value] : figures) {
        if (as_json) {
            out << std::exchange(separator, ",") << '"' << name << "\":" << value;
        } else {
            out << std::left << std::setw(10) << name << ' ' << value << '\n';
        }
    }
    out << (as_json ? "}\n" : "");
}

/// Embeds the tools that the cache does not know.
void embed_tools(search::IndexWriter& writer, const search::Embedder& embedder,
                 const std::string& cache_folder, std::ostream& errors) {
    constexpr std::size_t kBatch = 64;
    tool_search::VectorCache cache{cache_folder, embedder.model_name()};
    const auto pending = writer.pending(writer.size());
    std::vector<std::string> texts;
    std::vector<search::IndexWriter::Pending> unknown;
    const auto embed_batch = [&] {
        const auto embeddings = embedder.embed(texts, {});
        for (std::size_t index = 0; embeddings && index < unknown.size(); ++index) {
            auto embedding = std::make_shared<const search::Embedding>(embeddings->at(index));
            cache.add(unknown[index].text, embedding);
            writer.set_embedding(unknown[index], std::move(embedding));
        }
        texts.clear();
        unknown.clear();
    };
    for (const search::IndexWriter::Pending& tool : pending) {
        if (auto known = cache.find(tool.text)) {
            writer.set_embedding(tool, std::move(known));
            continue;
        }
        texts.push_back(tool.text);
        unknown.push_back(tool);
        if (unknown.size() == kBatch) {
            embed_batch();
        }
    }
    embed_batch();
    if (const auto fault = cache.save()) {
        errors << "holdfast: cannot cache the embeddings: " << fault->message << ".\n";
    }
}

std::vector<search::RankedTool> ranking_of(const std::string& text, const search::ToolIndex& index,
                                           const tool_search::InstalledModel* model) {
    const search::SearchQuery query = search::read_query(text);
    if (model == nullptr) {
        return search::keyword_ranking(index, query, kRankedTools);
    }
    std::vector<std::string> passages;
    passages.reserve(query.passages.size());
    for (const search::Passage& passage : query.passages) {
        passages.push_back(passage.text);
    }
    const auto embeddings = model->encoder().embed(passages, {});
    return embeddings ? search::hybrid_ranking(index, query, *embeddings, kRankedTools)
                      : search::keyword_ranking(index, query, kRankedTools);
}

int evaluate(const EvalOptions& options, std::ostream& out, std::ostream& errors) {
    std::shared_ptr<const tool_search::InstalledModel> model;
    const platform::UserFolders folders = platform::user_folders(platform::environment_variable);
    if (options.mode == "hybrid") {
        auto opened = tool_search::InstalledModel::open(tool_search::model_path(folders.data));
        if (!opened) {
            errors << "holdfast: " << opened.error().message << ".\n";
            return kExitFailure;
        }
        model = std::move(*opened);
    }
    auto set = read_test_set(options, errors);
    if (!set) {
        return kExitFailure;
    }
    search::IndexWriter writer;
    writer.replace_all(std::move(set->tools));
    if (model != nullptr) {
        embed_tools(writer, model->encoder(), folders.cache, errors);
    }
    const auto index = writer.snapshot();

    search::RankingTally tally;
    std::vector<double> times;
    times.reserve(set->queries.size());
    for (const search::JudgedQuery& query : set->queries) {
        const auto start = std::chrono::steady_clock::now();
        const auto found = ranking_of(query.text, *index, model.get());
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        times.push_back(time.count());
        std::vector<std::string_view> ids;
        ids.reserve(found.size());
        for (const search::RankedTool& tool : found) {
            ids.push_back(index->document(tool.position).id);
        }
        tally.add(query, ids);
    }
    print_figures(tally.means(), times, options.as_json, out);
    return kExitSuccess;
}

}  // namespace

Command eval_command() {
    const auto options = std::make_shared<EvalOptions>();
    return {.name = "eval",
            .help = "Measure the quality of tool search on a test set",
            .examples = {"holdfast eval --tools tools.jsonl --queries queries.jsonl"},
            .options = {{.name = "--tools",
                         .help = "Tools, one JSON object per line (.gz allowed)",
                         .target = &options->tools_file,
                         .is_required = true},
                        {.name = "--queries",
                         .help = "Queries with the expected tools, one per line",
                         .target = &options->queries_file,
                         .is_required = true},
                        {.name = "--mode",
                         .help = "Ranking to measure (default: hybrid)",
                         .target = &options->mode,
                         .choices = {"keyword", "hybrid"}},
                        {.name = "--limit",
                         .help = "Use only the first N queries",
                         .target = &options->max_queries},
                        json_option(options->as_json)},
            .run = [options](std::ostream& out, std::ostream& errors) {
                return evaluate(*options, out, errors);
            }};
}

}  // namespace holdfast::cli
