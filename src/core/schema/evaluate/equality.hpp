#pragma once

#include <cstdint>

#include <boost/json/value.hpp>

namespace holdfast::schema {

/// The remaining budget for deep comparisons. At zero they stop, and their results are meaningless.
struct WorkLeft {
    std::uint64_t steps = 0;
    std::uint32_t depth = 0;

    [[nodiscard]] bool take(std::uint64_t count) noexcept {
        if (count > steps) {
            steps = 0;
            return false;
        }
        steps -= count;
        return true;
    }
};

/// Equality as JSON Schema defines it: numbers by value, objects without order.
[[nodiscard]] bool are_equal(const boost::json::value& left, const boost::json::value& right,
                             WorkLeft& work);

/// Equal values have equal hashes.
[[nodiscard]] std::uint64_t hash_of(const boost::json::value& value, WorkLeft& work);

/// Returns whether no two items are equal.
[[nodiscard]] bool has_unique_items(const boost::json::array& items, WorkLeft& work);

}  // namespace holdfast::schema
