// Feeds untrusted templates and answers to the answer templates of REST tools.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "answer_template_input.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it by this name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as characters.
    holdfast::fuzz::run_answer_template_input({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
