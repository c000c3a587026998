#include "platform/digest.hpp"

#include <openssl/evp.h>

#include <array>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::platform {

std::string sha256_text(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    std::size_t size_bytes = digest.size();
    const int is_done = EVP_Q_digest(nullptr, "SHA256", nullptr, bytes.data(), bytes.size(),
                                     digest.data(), &size_bytes);
    HOLDFAST_EXPECT(is_done == 1);
    std::string text;
    for (std::size_t index = 0; index < size_bytes; ++index) {
        text += kDigits[digest.at(index) >> 4U];
        text += kDigits[digest.at(index) & 15U];
    }
    return text;
}

}  // namespace holdfast::platform
