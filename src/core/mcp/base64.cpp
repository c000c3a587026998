#include "mcp/base64.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace holdfast::mcp {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xff;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
    std::array<std::uint8_t, 256> digits{};
    digits.fill(kNoDigit);
    for (std::size_t value = 0; value < kAlphabet.size(); ++value) {
        digits[static_cast<unsigned char>(kAlphabet[value])] = static_cast<std::uint8_t>(value);
    }
    return digits;
}();

}  // namespace

std::string base64_of(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view group = bytes.substr(at, 3);
        std::uint32_t bits = 0;
        for (std::size_t index = 0; index < 3; ++index) {
            const auto byte = index < group.size() ? static_cast<unsigned char>(group[index]) : 0U;
            bits = (bits << 8U) | byte;
        }
        for (std::size_t index = 0; index < 4; ++index) {
            const bool is_padding = index > group.size();
            text.push_back(is_padding ? '=' : kAlphabet[(bits >> (18U - 6U * index)) & 0x3fU]);
        }
    }
    return text;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    std::string_view digits = text;
    for (int padding = 0; padding < 2 && digits.ends_with('='); ++padding) {
        digits.remove_suffix(1);
    }
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    std::uint32_t bit_count = 0;
    for (const char character : digits) {
        const std::uint8_t digit = kDigits[static_cast<unsigned char>(character)];
        if (digit == kNoDigit) {
            return std::nullopt;
        }
        bits = ((bits << 6U) | digit) & 0xffffU;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            bytes.push_back(static_cast<char>((bits >> bit_count) & 0xffU));
        }
    }
    const bool has_bits_left = (bits & ((1U << bit_count) - 1U)) != 0;
    return has_bits_left ? std::nullopt : std::optional{std::move(bytes)};
}

}  // namespace holdfast::mcp
