#include "platform/random_secret.hpp"

#include <sys/random.h>

#include <array>
#include <string_view>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::platform {

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

}  // namespace holdfast::platform
