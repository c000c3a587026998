// Feeds untrusted schemas and values to the schema module.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schema_input.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it by this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as characters.
    holdfast::fuzz::run_schema_input({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
