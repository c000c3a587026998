// Measures what checking the arguments of a call costs, in parts and as the gateway does it. Every
// line prints nanoseconds and allocations per round.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "allocation_count.hpp"
#include "schema/schema.hpp"
#include "schema/tool_schema.hpp"

namespace holdfast::schema {
namespace {

constexpr std::string_view kSchema = R"({
    "type": "object",
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 1000},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "mode": {"enum": ["fast", "exact", "hybrid"]},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
        "filter": {"type": "object", "properties": {"after": {"type": "string"},
            "archived": {"type": "boolean"}}, "additionalProperties": false}
    },
    "required": ["query", "limit"],
    "additionalProperties": false
})";

// 250 bytes, five properties.
constexpr std::string_view kArguments =
    R"({"query":"how does the breaker decide when a probe may be sent to a downstream that has been)"
    R"( failing for a while, and who sees it","limit":25,"mode":"hybrid","tags":["resilience",)"
    R"("circuit","probe"],"filter":{"after":"2024-05-01","archived":false}})";
static_assert(kArguments.size() > 230 && kArguments.size() < 270);

constexpr std::string_view kWrongArguments =
    R"({"qeury":"x","limit":"25","mode":"hybird","tags":"resilience","filter":{"after":5}})";

Schema compiled(std::string_view text) {
    auto schema = compile(boost::json::parse(text));
    if (!schema) {
        std::abort();
    }
    return *schema;
}

class Allocations {
public:
    explicit Allocations(benchmark::State& state)
        : state_(state), before_(resilience::bench::allocation_count()) {}
    ~Allocations() {
        const auto count = resilience::bench::allocation_count() - before_;
        state_.counters["allocations"] =
            benchmark::Counter(static_cast<double>(count), benchmark::Counter::kAvgIterations);
    }
    Allocations(const Allocations&) = delete;
    Allocations& operator=(const Allocations&) = delete;

private:
    benchmark::State& state_;
    std::uint64_t before_;
};

// A parser lives as long as its connection, so its stack is allocated once.
class ArgumentReader {
public:
    boost::json::value read(std::string_view text) {
        resource_.release();
        parser_.reset(&resource_);
        boost::json::error_code failure;
        parser_.write(text.data(), text.size(), failure);
        return parser_.release();
    }

private:
    std::array<unsigned char, 16UL * 1024> buffer_{};
    boost::json::monotonic_resource resource_{buffer_.data(), buffer_.size()};
    boost::json::parser parser_;
};

void parse_only(benchmark::State& state) {
    ArgumentReader reader;
    const Allocations allocations{state};
    for (auto _ : state) {
        benchmark::DoNotOptimize(reader.read(kArguments));
    }
}
BENCHMARK(parse_only)->Name("parse arguments");

void validate_only(benchmark::State& state) {
    const Schema schema = compiled(kSchema);
    const boost::json::value arguments = boost::json::parse(kArguments);
    const Allocations allocations{state};
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema.validate(arguments).is_valid());
    }
}
BENCHMARK(validate_only)->Name("validate arguments");

void parse_and_validate(benchmark::State& state) {
    const Schema schema = compiled(kSchema);
    ArgumentReader reader;
    const Allocations allocations{state};
    for (auto _ : state) {
        const boost::json::value arguments = reader.read(kArguments);
        if (!schema.validate(arguments).is_valid()) {
            state.SkipWithError("the arguments should fit");
        }
    }
}
BENCHMARK(parse_and_validate)->Name("parse and validate arguments");

void check_text(benchmark::State& state) {
    const ToolSchema schema{kSchema};
    const Allocations allocations{state};
    for (auto _ : state) {
        if (schema.check(kArguments)) {
            state.SkipWithError("the arguments should fit");
        }
    }
}
BENCHMARK(check_text)->Name("check the text of a call");

void refuse_text(benchmark::State& state) {
    const ToolSchema schema{kSchema};
    const Allocations allocations{state};
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema.check(kWrongArguments));
    }
}
BENCHMARK(refuse_text)->Name("refuse the text of a call, with an example");

void explain_wrong(benchmark::State& state) {
    const Schema schema = compiled(kSchema);
    const boost::json::value arguments = boost::json::parse(kWrongArguments);
    const Allocations allocations{state};
    for (auto _ : state) {
        benchmark::DoNotOptimize(schema.validate(arguments));
    }
}
BENCHMARK(explain_wrong)->Name("explain wrong arguments");

void compile_schema(benchmark::State& state) {
    const boost::json::value text = boost::json::parse(kSchema);
    const Allocations allocations{state};
    for (auto _ : state) {
        benchmark::DoNotOptimize(compile(text));
    }
}
BENCHMARK(compile_schema)->Name("compile the schema");

void compile_text(benchmark::State& state) {
    const Allocations allocations{state};
    for (auto _ : state) {
        benchmark::DoNotOptimize(ToolSchema{kSchema});
    }
}
BENCHMARK(compile_text)->Name("compile the text of a schema");

}  // namespace
}  // namespace holdfast::schema
