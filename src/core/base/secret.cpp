#include "base/secret.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace holdfast::base {
namespace {

bool is_capital(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z';
}

bool is_between_words(char letter) noexcept {
    return std::string_view{"_-. /:"}.find(letter) != std::string_view::npos;
}

char lower(char letter) noexcept {
    return is_capital(letter) ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Splits a name into words in lower case, separated by spaces: "X-apiKey" becomes " x api key ".
std::string words_of(std::string_view name) {
    std::string words = " ";
    words.reserve(name.size() + 8);
    char before = ' ';
    for (const char letter : name) {
        if (is_capital(letter) && !is_capital(before) && words.back() != ' ') {
            words += ' ';
        }
        if (!is_between_words(letter)) {
            words += lower(letter);
        } else if (words.back() != ' ') {
            words += ' ';
        }
        before = letter;
    }
    return words + ' ';
}

std::size_t longest_at(std::string_view rest, std::span<const std::string> secrets) {
    std::size_t longest = 0;
    for (const std::string& secret : secrets) {
        if (secret.size() > longest && rest.starts_with(secret)) {
            longest = secret.size();
        }
    }
    return longest;
}

}  // namespace

bool is_secret_name(std::string_view name) {
    // The beginning of a very long name is enough.
    constexpr std::size_t kMaxNameBytes = 256;
    constexpr std::array<std::string_view, 8> kParts = {
        "token", "secret", "passw", "passphrase", "credential", "cookie", "bearer", "authoriz"};
    // Matches the ends of words, too: "apikey" is one word, and "keyword" is not a key.
    constexpr std::array<std::string_view, 7> kEnds = {"key ", "keys ", "auth ", " pat ",
                                                       "pwd ", " jwt ", " otp "};
    const std::string words = words_of(name.substr(0, kMaxNameBytes));
    const auto is_in = [&words](std::string_view part) {
        return words.find(part) != std::string::npos;
    };
    return std::ranges::any_of(kParts, is_in) || std::ranges::any_of(kEnds, is_in);
}

std::string without_secrets(std::string_view text, std::span<const std::string> secrets) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const std::size_t hidden = longest_at(text, secrets);
        if (hidden > 0) {
            shown += kRedacted;
        } else {
            shown += text.front();
        }
        text.remove_prefix(std::max<std::size_t>(hidden, 1));
    }
    return shown;
}

bool has_secret(std::string_view text, std::span<const std::string> secrets) {
    return std::ranges::any_of(secrets, [text](const std::string& secret) {
        return !secret.empty() && text.find(secret) != std::string_view::npos;
    });
}

bool is_same_secret(std::string_view known, std::string_view shown) noexcept {
    unsigned difference = known.size() == shown.size() ? 0U : 1U;
    for (std::size_t index = 0; index < known.size(); ++index) {
        const char other = index < shown.size() ? shown[index] : '\0';
        difference |= static_cast<unsigned char>(known[index]) ^ static_cast<unsigned char>(other);
    }
    return difference == 0U;
}

}  // namespace holdfast::base
