#include <cstddef>
#include <cstdint>
#include <string_view>

#include "http_request_input.hpp"

// The result does not depend on the pieces in which a request arrives.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view stream{reinterpret_cast<const char*>(data), size};
    const auto whole = holdfast::fuzz::read_request(stream, size + 1);
    HOLDFAST_EXPECT(whole == holdfast::fuzz::read_request(stream, 1));
    HOLDFAST_EXPECT(whole == holdfast::fuzz::read_request(stream, 7));
    return 0;
}
