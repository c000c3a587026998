#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "holdfast/resilience/result.hpp"
#include "holdfast/resilience/time.hpp"

namespace holdfast::resilience {

struct StaleCacheOptions {
    std::size_t max_entries = 1'000;
    /// The sum of the costs given to `put`, in any unit; usually bytes.
    std::size_t max_cost = std::size_t{64} * 1024 * 1024;
    Duration max_age = std::chrono::hours{24};

    friend bool operator==(const StaleCacheOptions&, const StaleCacheOptions&) = default;
};

/// Returns the options, or an error that names the invalid one.
[[nodiscard]] Result<StaleCacheOptions> validated(const StaleCacheOptions& options);

/// The last good value of each key with its age, to answer from while the downstream fails. Limited
/// by count and cost; evicts the oldest value first. Reading changes nothing.
///
/// Thread-safety: none; wrap in Synchronized to share, with a `Value` that is cheap to copy.
template <class Key, class Value, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
class StaleCache final {
public:
    struct Found {
        const Value& value;  ///< Valid until the cache is changed.
        Duration age;
    };

    /// Requires options that pass `validated`.
    explicit StaleCache(const StaleCacheOptions& options = {}) : options_(options) {
        HOLDFAST_EXPECT(validated(options).has_value());
    }
    StaleCache(const StaleCache&) = delete;
    StaleCache& operator=(const StaleCache&) = delete;

    /// Replaces the value of the key. Returns false if it costs more than the whole cache may hold;
    /// the previous value is then removed too, because it is no longer the last good one.
    bool put(const Key& key, Value value, std::size_t cost, TimePoint now) {
        erase(key);
        if (cost > options_.max_cost) {
            return false;
        }
        while (entries_.size() >= options_.max_entries || cost_ > options_.max_cost - cost) {
            erase_entry(entries_.begin());
        }
        entries_.push_back({.key = key, .value = std::move(value), .cost = cost, .stored_at = now});
        index_.emplace(key, std::prev(entries_.end()));
        cost_ += cost;
        return true;
    }

    /// Returns the value unless it is too old. `Lookup` is a key, or another type that the hash and
    /// the comparison accept.
    template <class Lookup = Key>
    [[nodiscard]] std::optional<Found> find(const Lookup& key, TimePoint now) const {
        const auto place = index_.find(key);
        if (place == index_.end()) {
            return std::nullopt;
        }
        const Duration age = elapsed_between(place->second->stored_at, now);
        if (age > options_.max_age) {
            return std::nullopt;
        }
        return Found{place->second->value, age};
    }

    bool erase(const Key& key) {
        const auto place = index_.find(key);
        if (place == index_.end()) {
            return false;
        }
        erase_entry(place->second);
        return true;
    }

    /// Removes values that are too old to be found, and returns their number. Reading never removes
    /// values.
    std::size_t sweep(TimePoint now) {
        std::size_t dropped = 0;
        while (!entries_.empty() &&
               elapsed_between(entries_.front().stored_at, now) > options_.max_age) {
            erase_entry(entries_.begin());
            ++dropped;
        }
        return dropped;
    }

    /// Changes the options and evicts what no longer fits. Requires options that pass `validated`.
    void reconfigure(const StaleCacheOptions& options) {
        HOLDFAST_EXPECT(validated(options).has_value());
        options_ = options;
        while (entries_.size() > options_.max_entries || cost_ > options_.max_cost) {
            erase_entry(entries_.begin());
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
    [[nodiscard]] std::size_t cost() const noexcept { return cost_; }
    [[nodiscard]] const StaleCacheOptions& options() const noexcept { return options_; }

private:
    struct Entry {
        Key key;
        Value value;
        std::size_t cost = 0;
        TimePoint stored_at;
    };
    using Entries = std::list<Entry>;

    void erase_entry(typename Entries::iterator entry) {
        cost_ -= entry->cost;
        index_.erase(entry->key);
        entries_.erase(entry);
    }

    StaleCacheOptions options_;
    Entries entries_;  // oldest first
    std::unordered_map<Key, typename Entries::iterator, Hash, Equal> index_;
    std::size_t cost_ = 0;
};

}  // namespace holdfast::resilience
