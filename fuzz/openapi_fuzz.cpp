// Makes tools of untrusted OpenAPI documents, and requests of their calls.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "openapi_input.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it by this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as characters.
    holdfast::fuzz::run_openapi_input({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
