#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http_connection_input.hpp"

// A script of bytes, pauses, answers and ends drives one connection of the HTTP server.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static_cast<void>(holdfast::fuzz::play_connection({reinterpret_cast<const char*>(data), size}));
    return 0;
}
