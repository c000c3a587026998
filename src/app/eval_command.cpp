#include "app/eval_command.hpp"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "app/command_line.hpp"
#include "app/eval_files.hpp"
#include "search/index_writer.hpp"
#include "search/ranking.hpp"

namespace holdfast::app {
namespace {

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
    const auto place = times.begin() + static_cast<std::ptrdiff_t>(share * last + 0.5);
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

}  // namespace

int evaluate(const EvalOptions& options, std::ostream& out, std::ostream& errors) {
    if (options.mode != "keyword") {
        errors << "holdfast: --mode takes keyword or hybrid, not \"" << options.mode << "\".\n";
        return kExitUsage;
    }
    auto set = read_test_set(options, errors);
    if (!set) {
        return kExitFailure;
    }
    search::IndexWriter writer;
    writer.replace_all(std::move(set->tools));
    const auto index = writer.snapshot();

    search::RankingTally tally;
    std::vector<double> times;
    times.reserve(set->queries.size());
    for (const search::JudgedQuery& query : set->queries) {
        const auto start = std::chrono::steady_clock::now();
        const auto found =
            search::keyword_ranking(*index, search::read_query(query.text), kRankedTools);
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - start;
        times.push_back(time.count());
        std::vector<std::string_view> ids;
        for (const search::RankedTool& tool : found) {
            ids.push_back(index->document(tool.position).id);
        }
        tally.add(query, ids);
    }
    print_figures(tally.means(), times, options.as_json, out);
    return kExitSuccess;
}

}  // namespace holdfast::app
