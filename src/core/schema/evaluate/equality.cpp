#include "schema/evaluate/equality.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "schema/evaluate/number.hpp"

namespace holdfast::schema {
namespace {

using boost::json::value;

constexpr std::uint64_t kBytesPerStep = 64;

bool is_number(const value& any) {
    return any.is_int64() || any.is_uint64() || any.is_double();
}

bool are_equal_arrays(const boost::json::array& left, const boost::json::array& right,
                      WorkLeft& work) {
    if (left.size() != right.size()) {
        return false;
    }
    return std::ranges::equal(left, right, [&work](const value& one, const value& other) {
        return are_equal(one, other, work);
    });
}

bool are_equal_objects(const boost::json::object& left, const boost::json::object& right,
                       WorkLeft& work) {
    if (left.size() != right.size()) {
        return false;
    }
    return std::ranges::all_of(left, [&](const auto& member) {
        const value* const other = right.if_contains(member.key());
        return other != nullptr && are_equal(member.value(), *other, work);
    });
}

std::uint64_t mixed(std::uint64_t seed, std::uint64_t more) {
    const std::uint64_t product = (seed ^ more) * 0x9e3779b97f4a7c15U;
    return product ^ (product >> 29U);
}

std::uint64_t hash_of_number(const value& number) {
    if (const auto* const whole = number.if_int64()) {
        return static_cast<std::uint64_t>(*whole);
    }
    if (const auto* const whole = number.if_uint64()) {
        return *whole;
    }
    const double fraction = number.get_double();
    if (std::floor(fraction) == fraction) {
        if (fraction >= -0x1p63 && fraction < 0x1p63) {
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(fraction));
        }
        if (fraction >= 0 && fraction < 0x1p64) {
            return static_cast<std::uint64_t>(fraction);
        }
    }
    return std::bit_cast<std::uint64_t>(fraction);
}

std::uint64_t hash_of_text(std::string_view text, WorkLeft& work) {
    return work.take(text.size() / kBytesPerStep) ? std::hash<std::string_view>{}(text) : 0;
}

}  // namespace

bool are_equal(const value& left, const value& right, WorkLeft& work) {
    if (!work.take(1)) {
        return false;
    }
    if (is_number(left) && is_number(right)) {
        return compare_numbers(left, right) == std::partial_ordering::equivalent;
    }
    if (left.kind() != right.kind()) {
        return false;
    }
    if (const auto* const text = left.if_string()) {
        return text->size() == right.get_string().size() &&
               work.take(text->size() / kBytesPerStep) && *text == right.get_string();
    }
    if (left.is_bool()) {
        return left.get_bool() == right.get_bool();
    }
    if (!left.is_structured()) {
        return true;
    }
    if (work.depth == 0) {
        work.steps = 0;
        return false;
    }
    --work.depth;
    const bool is_same = left.is_array()
                             ? are_equal_arrays(left.get_array(), right.get_array(), work)
                             : are_equal_objects(left.get_object(), right.get_object(), work);
    ++work.depth;
    return is_same;
}

std::uint64_t hash_of(const value& any, WorkLeft& work) {
    if (!work.take(1)) {
        return 0;
    }
    if (is_number(any)) {
        return mixed(1, hash_of_number(any));
    }
    if (const auto* const text = any.if_string()) {
        return mixed(2, hash_of_text({text->data(), text->size()}, work));
    }
    if (!any.is_structured()) {
        return any.is_bool() ? (any.get_bool() ? 3U : 4U) : 5U;
    }
    if (work.depth == 0) {
        work.steps = 0;
        return 0;
    }
    --work.depth;
    std::uint64_t hash = any.is_array() ? 6 : 7;
    if (const auto* const items = any.if_array()) {
        for (const value& item : *items) {
            hash = mixed(hash, hash_of(item, work));
        }
    } else {
        for (const auto& member : any.get_object()) {
            // A sum, because members have no order.
            hash += mixed(hash_of_text(member.key(), work), hash_of(member.value(), work));
        }
    }
    ++work.depth;
    return hash;
}

bool has_unique_items(const boost::json::array& items, WorkLeft& work) {
    std::vector<std::pair<std::uint64_t, const value*>> hashed;
    hashed.reserve(items.size());
    for (const value& item : items) {
        hashed.emplace_back(hash_of(item, work), &item);
    }
    std::ranges::sort(hashed, {}, &std::pair<std::uint64_t, const value*>::first);
    for (std::size_t i = 0; i < hashed.size(); ++i) {
        for (std::size_t j = i + 1; j < hashed.size() && hashed[j].first == hashed[i].first; ++j) {
            if (are_equal(*hashed[i].second, *hashed[j].second, work)) {
                return false;
            }
            if (work.steps == 0) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace holdfast::schema
