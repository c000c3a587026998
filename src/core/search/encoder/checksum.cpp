#include "search/encoder/checksum.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace holdfast::search {
namespace {

std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
    return std::rotl(state ^ word, 29) * 0x9E3779B97F4A7C15U;
}

}  // namespace

std::uint64_t checksum(std::string_view bytes) noexcept {
    // Four independent states, so that a multiplication need not wait for the previous one.
    std::array<std::uint64_t, 4> states = {1, 2, 3, 4};
    std::array<std::uint64_t, 4> words{};
    const std::uint64_t size = bytes.size();
    for (; bytes.size() >= sizeof words; bytes.remove_prefix(sizeof words)) {
        std::memcpy(words.data(), bytes.data(), sizeof words);
        for (std::size_t lane = 0; lane < words.size(); ++lane) {
            states[lane] = mixed(states[lane], words[lane]);
        }
    }
    words = {};
    bytes.copy(reinterpret_cast<char*>(words.data()), bytes.size());
    std::uint64_t result = size;
    for (std::size_t lane = 0; lane < words.size(); ++lane) {
        result = mixed(result, mixed(states[lane], words[lane]));
    }
    return result ^ (result >> 32U);
}

}  // namespace holdfast::search
