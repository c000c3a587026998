#include "platform/crypto.hpp"

#include <openssl/evp.h>
#include <sys/random.h>

#include <array>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::platform {

namespace {

std::string digest_text(const char* algorithm, std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    std::size_t size_bytes = digest.size();
    const int is_done = EVP_Q_digest(nullptr, algorithm, nullptr, bytes.data(), bytes.size(),
                                     digest.data(), &size_bytes);
    HOLDFAST_EXPECT(is_done == 1);
    std::string text;
    for (std::size_t index = 0; index < size_bytes; ++index) {
        text += kDigits[digest.at(index) >> 4U];
        text += kDigits[digest.at(index) & 15U];
    }
    return text;
}

}  // namespace

std::string sha256_text(std::string_view bytes) {
    return digest_text("SHA256", bytes);
}

std::string sha512_text(std::string_view bytes) {
    return digest_text("SHA512", bytes);
}

std::string make_secret() {
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    std::array<unsigned char, 32> bytes{};
    const ssize_t size = ::getrandom(bytes.data(), bytes.size(), 0);
    HOLDFAST_EXPECT(size == static_cast<ssize_t>(bytes.size()));
    std::string text;
    for (const unsigned char byte : bytes) {
        text += kLetters[byte % kLetters.size()];  // six bits of each byte
    }
    return text;
}

std::uint64_t make_seed() {
    std::uint64_t seed = 0;
    const ssize_t size = ::getrandom(&seed, sizeof(seed), 0);
    HOLDFAST_EXPECT(size == static_cast<ssize_t>(sizeof(seed)));
    return seed;
}

}  // namespace holdfast::platform
