// Measures what recording a call costs: the CPU time of the whole process, including the thread
// that writes the file. `percent_of_call` compares it with a call through the gateway, taken as 40
// µs. The first line is the record alone, which is created for each call.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "allocation_count.hpp"
#include "telemetry/recording.hpp"

namespace holdfast::telemetry {
namespace {

constexpr double kCallSeconds = 40e-6;
constexpr std::int64_t kNow = 1'700'000'000'000;

void record_call(record::Recorder& recorder, std::uint64_t number) {
    const std::string id = "0123456789-" + std::to_string(number);
    const std::string tool = "code__read_the_file_" + std::to_string(number % 20);
    record::CallRecord record;
    record.id = id;
    record.at_ms = kNow + static_cast<std::int64_t>(number / 25);
    record.principal = "local";
    record.session = 0x89abcdef01234567;
    record.tool = tool;
    record.server = "code";
    record.route = "the tool is of server code";
    record.outcome = "ok";
    record.policy = "built-in";
    record.circuit = "code";
    record.circuit_before = "closed";
    record.circuit_after = "closed";
    record.total_us = static_cast<std::int64_t>(number % 5'000);
    record.bytes_in = 200;
    record.bytes_out = 2'000;
    const record::AttemptRecord attempt{.server = "code", .began_us = 10, .took_us = 900};
    record.attempts = {&attempt, 1};
    recorder.on_call(record);
}

/// A file that is deleted with the benchmark.
class StoreFolder {
public:
    StoreFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "telemetry-XXXXXX").string();
        path_ = ::mkdtemp(name.data()) == nullptr ? std::string{} : name;
    }
    StoreFolder(const StoreFolder&) = delete;
    StoreFolder& operator=(const StoreFolder&) = delete;
    ~StoreFolder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] std::string file() const { return path_ + "/telemetry.db"; }

private:
    std::string path_;
};

telemetry::RecordingDeps parts() {
    return {.now_ms = [] { return kNow; }};
}

telemetry::RecordingOptions options_without_store() {
    telemetry::RecordingOptions options;
    options.keeps_query_text = true;
    return options;
}

void report_share(benchmark::State& state) {
    constexpr double kPercent = 100;
    state.counters["percent_of_call"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * kCallSeconds / kPercent,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void report_allocations(benchmark::State& state, std::uint64_t before) {
    const auto count = resilience::bench::allocation_count() - before;
    state.counters["allocations"] =
        benchmark::Counter(static_cast<double>(count), benchmark::Counter::kAvgIterations);
}

struct Forgetful final : record::Recorder {
    void on_call(const record::CallRecord& record) override {
        benchmark::DoNotOptimize(record.id.data());
    }
    void on_event(record::Event event) override { benchmark::DoNotOptimize(event.reason.data()); }
};

void record_alone(benchmark::State& state) {
    std::uint64_t number = 0;
    const std::uint64_t before = resilience::bench::allocation_count();
    Forgetful recorder;
    for (auto _ : state) {
        record_call(recorder, number++);
    }
    report_share(state);
    report_allocations(state, before);
}
BENCHMARK(record_alone)->MeasureProcessCPUTime();

void counted_and_kept_in_memory(benchmark::State& state) {
    static std::shared_ptr<telemetry::Recording> recording;
    if (state.thread_index() == 0) {
        recording = std::make_shared<telemetry::Recording>(options_without_store(), parts());
    }
    std::uint64_t number = static_cast<std::uint64_t>(state.thread_index()) << 32U;
    for (auto _ : state) {
        record_call(*recording, number++);
    }
    report_share(state);
    if (state.thread_index() == 0) {
        recording.reset();
    }
}
BENCHMARK(counted_and_kept_in_memory)->MeasureProcessCPUTime()->Threads(1);
BENCHMARK(counted_and_kept_in_memory)->MeasureProcessCPUTime()->Threads(4);

/// Waits for the disk regularly, so that no call is dropped and all writing is measured.
void stored(benchmark::State& state, double sample) {
    const StoreFolder folder;
    telemetry::RecordingOptions options = options_without_store();
    options.store = telemetry::StoreOptions{.path = folder.file(), .sample = sample};
    telemetry::Recording recording{options, parts()};
    constexpr std::uint64_t kBatch = 5'000;
    std::uint64_t number = 0;
    const std::uint64_t before = resilience::bench::allocation_count();
    for (auto _ : state) {
        record_call(recording, number++);
        if (number % kBatch == 0 && !recording.flush(std::chrono::minutes{1})) {
            state.SkipWithError("the disk does not answer");
            break;
        }
    }
    report_share(state);
    report_allocations(state, before);
    const auto status = recording.store_status().value_or(telemetry::StoreStatus{});
    state.counters["dropped"] = static_cast<double>(status.dropped);
    state.counters["stored"] =
        benchmark::Counter(static_cast<double>(status.stored), benchmark::Counter::kAvgIterations);
}
BENCHMARK_CAPTURE(stored, one_in_a_hundred, 0.01)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(stored, each, 1.0)->MeasureProcessCPUTime();

}  // namespace
}  // namespace holdfast::telemetry
