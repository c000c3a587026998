#include <cstddef>
#include <cstdint>

#include "config_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    holdfast::fuzz::run_config_input({reinterpret_cast<const char*>(data), size});
    return 0;
}
