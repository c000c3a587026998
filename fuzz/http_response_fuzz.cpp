#include <cstddef>
#include <cstdint>
#include <string_view>

#include "holdfast/resilience/expect.hpp"
#include "http_response_input.hpp"

// The result does not depend on the pieces in which an answer arrives.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using holdfast::fuzz::answer_in_pieces;
    const std::string_view stream{reinterpret_cast<const char*>(data), size};
    const auto whole = answer_in_pieces(stream, size + 1);
    HOLDFAST_EXPECT(whole == answer_in_pieces(stream, 1));
    HOLDFAST_EXPECT(whole == answer_in_pieces(stream, 7));
    return 0;
}
