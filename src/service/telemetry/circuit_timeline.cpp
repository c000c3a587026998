#include "telemetry/circuit_timeline.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::telemetry {
namespace {

constexpr std::int64_t kDisorderMs = 1'000;

}  // namespace

void CircuitTimeline::add(std::string_view circuit, const CircuitChange& change) {
    circuits_.with([&](Circuits& circuits) {
        auto found = circuits.find(circuit);
        if (found == circuits.end()) {
            if (circuits.size() >= options_.max_circuits) {
                return;
            }
            found = circuits.try_emplace(std::string{circuit}).first;
        }
        auto& changes = found->second;
        // Threads that report changes at the same time may do so in the wrong order. A circuit that
        // was dropped and created again also has low generations, but much later.
        CircuitChange inserted = change;
        auto place = changes.end();
        while (place != changes.begin() && std::prev(place)->generation > change.generation &&
               change.at_ms - std::prev(place)->at_ms < kDisorderMs) {
            --place;
            inserted.at_ms = std::min(inserted.at_ms, place->at_ms);
        }
        changes.insert(place, inserted);
        if (changes.size() > options_.max_changes) {
            changes.pop_front();
        }
    });
}

CircuitTimeline::Changes CircuitTimeline::since(std::int64_t from_ms) const {
    Changes result;
    circuits_.with([&](const Circuits& circuits) {
        for (const auto& [name, changes] : circuits) {
            const auto later = std::ranges::find_if(
                changes, [from_ms](const CircuitChange& change) { return change.at_ms > from_ms; });
            const auto first = later == changes.begin() ? later : std::prev(later);
            result.try_emplace(name, first, changes.end());
        }
    });
    return result;
}

}  // namespace holdfast::telemetry
