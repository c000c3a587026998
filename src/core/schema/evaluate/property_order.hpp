#pragma once

#include <cstring>
#include <string_view>

namespace holdfast::schema {

/// Orders by size, then by bytes: most names differ in size, so few comparisons read their bytes.
struct PropertyOrder {
    [[nodiscard]] bool operator()(std::string_view left, std::string_view right) const noexcept {
        if (left.size() != right.size()) {
            return left.size() < right.size();
        }
        return std::memcmp(left.data(), right.data(), left.size()) < 0;
    }
};

}  // namespace holdfast::schema
