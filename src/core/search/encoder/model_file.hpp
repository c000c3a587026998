#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/result.hpp"
#include "search/encoder/kernels.hpp"

// The model in Holdfast's own file format, written once by `converted_model` and then mapped into
// memory. All numbers are little-endian. Each section begins at a multiple of 64 bytes.
//
//     header, 64 bytes    "HFMODEL\n", version, then the fields of ModelHeader
//     words               bytes[vocabulary][dimension]        a row for each token
//     positions           floats[max_tokens][dimension]
//     norm                floats[dimension] gain, floats[dimension] bias
//     for each layer      query, key, value, output: matrix [dimension][dimension], bias
//                         norm after attention
//                         inner: matrix [dimension][inner], bias
//                         outer: matrix [inner][dimension], bias
//                         norm after these
//     token ends          uint32[vocabulary]                  the end of each token's text
//     token texts         bytes
//
// A matrix is a section of two floats, scale and offset, and one of bytes in the layout of
// `PackedMatrix`; `words` has the two floats too.

namespace holdfast::search::encoder {

enum class ModelErrc : std::uint8_t {
    not_a_model,  ///< Another magic number or another version of the format.
    damaged,      ///< Truncated, or the checksum does not match.
    unexpected,   ///< The published files are not as expected; only when converting.
};

struct ModelError {
    ModelErrc code = ModelErrc::not_a_model;
    std::string message = {};
};

template <class T>
using ModelResult = resilience::Result<T, ModelError>;

struct ModelHeader {
    std::uint32_t dimension = 384;
    std::uint32_t layers = 6;
    std::uint32_t heads = 12;
    std::uint32_t inner = 1'536;
    std::uint32_t vocabulary = 30'522;
    std::uint32_t max_tokens = 128;
    std::uint32_t text_bytes = 0;  ///< The total of all tokens.

    friend bool operator==(const ModelHeader&, const ModelHeader&) = default;
};

struct DenseLayer {
    PackedMatrix matrix = {};
    const float* bias = nullptr;
};

struct TransformerLayer {
    std::array<DenseLayer, 3> query_key_value = {};
    DenseLayer output = {};
    LayerNorm attention_norm = {};
    DenseLayer inner = {};
    DenseLayer outer = {};
    LayerNorm output_norm = {};
};

/// The parts of a model, pointing into its bytes.
struct ModelView {
    ModelHeader header = {};
    std::uint64_t checksum = 0;  ///< Identifies the model: other weights have another checksum.
    std::span<const std::int8_t> words = {};
    float word_scale = 1.0F;
    float word_offset = 0.0F;
    const float* positions = nullptr;
    LayerNorm embedding_norm = {};
    std::vector<TransformerLayer> layers = {};
    std::span<const std::uint32_t> token_ends = {};
    std::string_view token_texts = {};
};

/// Checks the bytes and finds the sections. The bytes must be aligned to 64 and outlive the view.
[[nodiscard]] ModelResult<ModelView> view_model(std::string_view bytes);

/// Builds the bytes of a model, section by section in the order above.
///
/// Thread-safety: none.
class ModelWriter final {
public:
    explicit ModelWriter(const ModelHeader& header);

    void add_floats(std::span<const float> values);
    void add_integers(std::span<const std::uint32_t> values);
    void add_bytes(std::span<const std::int8_t> bytes);
    void add_text(std::string_view text);

    /// Returns the whole file with its checksum.
    [[nodiscard]] std::string finished() &&;

private:
    void add_section(const void* data, std::size_t size_bytes);

    std::string bytes_;
};

}  // namespace holdfast::search::encoder
