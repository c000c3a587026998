#include "search/encoder/model_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "search/encoder/checksum.hpp"

namespace holdfast::search::encoder {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is mapped without conversion");

constexpr std::string_view kMagic = "HFMODEL\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kShapeAt = 12;
constexpr std::size_t kSizeAt = 40;
constexpr std::size_t kChecksumAt = 48;
static_assert(kShapeAt + sizeof(ModelHeader) == kSizeAt);

/// Limits all sizes, whatever the header says.
constexpr std::uint32_t kMaxSize = 1U << 20U;

std::size_t aligned(std::size_t size_bytes) {
    return (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

template <class T>
T number_at(std::string_view bytes, std::size_t position) {
    T number{};
    std::memcpy(&number, bytes.data() + position, sizeof number);
    return number;
}

/// Returns one section after another; none when the bytes are used up.
class SectionReader {
public:
    explicit SectionReader(std::string_view bytes) : bytes_(bytes), position_(kHeaderBytes) {}

    template <class T>
    std::span<const T> next(std::size_t count) {
        const std::size_t size_bytes = count * sizeof(T);
        if (position_ > bytes_.size() || size_bytes > bytes_.size() - position_) {
            is_short_ = true;
            return {};
        }
        const char* start = bytes_.data() + position_;
        position_ += aligned(size_bytes);
        return {reinterpret_cast<const T*>(start), count};
    }

    LayerNorm next_norm(std::size_t width) {
        const float* gain = next<float>(width).data();
        return {.gain = gain, .bias = next<float>(width).data()};
    }

    DenseLayer next_dense(std::size_t rows, std::size_t columns) {
        const auto numbers = next<float>(2);
        DenseLayer layer{.matrix = {.bytes = next<std::int8_t>(rows * columns),
                                    .rows = rows,
                                    .columns = columns}};
        if (!is_short_) {
            layer.matrix.scale = numbers[0];
            layer.matrix.offset = numbers[1];
        }
        layer.bias = next<float>(columns).data();
        return layer;
    }

    [[nodiscard]] bool has_ended_well() const {
        return !is_short_ && position_ == aligned(bytes_.size());
    }
    [[nodiscard]] bool is_short() const noexcept { return is_short_; }

private:
    const std::string_view bytes_;
    std::size_t position_ = 0;
    bool is_short_ = false;
};

bool is_possible(const ModelHeader& header) {
    const auto is_within = [](std::uint32_t value, std::uint32_t multiple) {
        return value > 0 && value <= kMaxSize && value % multiple == 0;
    };
    return is_within(header.dimension, 16) && is_within(header.inner, 16) &&
           header.inner <= 1'536 && header.dimension <= 1'536 && is_within(header.layers, 1) &&
           header.layers <= 64 && is_within(header.heads, 1) &&
           header.dimension % header.heads == 0 && is_within(header.vocabulary, 1) &&
           is_within(header.max_tokens, 1) && header.max_tokens > 2 && header.max_tokens <= 4'096 &&
           header.text_bytes <= 64U * 1024 * 1024;
}

TransformerLayer next_layer(SectionReader& sections, const ModelHeader& header) {
    TransformerLayer layer;
    for (DenseLayer& dense : layer.query_key_value) {
        dense = sections.next_dense(header.dimension, header.dimension);
    }
    layer.output = sections.next_dense(header.dimension, header.dimension);
    layer.attention_norm = sections.next_norm(header.dimension);
    layer.inner = sections.next_dense(header.dimension, header.inner);
    layer.outer = sections.next_dense(header.inner, header.dimension);
    layer.output_norm = sections.next_norm(header.dimension);
    return layer;
}

bool are_ends_in_order(const ModelView& view) {
    return std::ranges::is_sorted(view.token_ends) &&
           view.token_ends.back() == view.token_texts.size();
}

ModelError damaged(std::string message) {
    return {.code = ModelErrc::damaged, .message = std::move(message)};
}

}  // namespace

ModelResult<ModelView> view_model(std::string_view bytes) {
    if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) {
        return ModelError{.message = "it is not a Holdfast model"};
    }
    if (number_at<std::uint32_t>(bytes, kVersionAt) != kVersion) {
        return ModelError{.message = "it has another version of the format"};
    }
    if (number_at<std::uint64_t>(bytes, kSizeAt) != bytes.size()) {
        return damaged("it is truncated");
    }
    ModelView view;
    view.header = number_at<ModelHeader>(bytes, kShapeAt);
    view.checksum = number_at<std::uint64_t>(bytes, kChecksumAt);
    const std::string_view header_numbers = bytes.substr(kVersionAt, kSizeAt - kVersionAt);
    const std::uint64_t header_sum = checksum(header_numbers);
    if ((checksum(bytes.substr(kHeaderBytes)) ^ header_sum) != view.checksum) {
        return damaged("its checksum does not match");
    }
    const ModelHeader& header = view.header;
    if (!is_possible(header)) {
        return damaged("its header is invalid");
    }
    SectionReader sections{bytes};
    const auto word_numbers = sections.next<float>(2);
    view.words = sections.next<std::int8_t>(std::size_t{header.vocabulary} * header.dimension);
    view.positions = sections.next<float>(std::size_t{header.max_tokens} * header.dimension).data();
    view.embedding_norm = sections.next_norm(header.dimension);
    view.layers.reserve(header.layers);
    for (std::uint32_t index = 0; index < header.layers; ++index) {
        view.layers.push_back(next_layer(sections, header));
    }
    view.token_ends = sections.next<std::uint32_t>(header.vocabulary);
    const auto texts = sections.next<char>(header.text_bytes);
    view.token_texts = {texts.data(), texts.size()};
    if (!sections.has_ended_well() || !are_ends_in_order(view)) {
        return damaged("its sections do not match its header");
    }
    view.word_scale = word_numbers[0];
    view.word_offset = word_numbers[1];
    return view;
}

ModelWriter::ModelWriter(const ModelHeader& header) : bytes_(kMagic) {
    bytes_.resize(kHeaderBytes);
    std::memcpy(bytes_.data() + kVersionAt, &kVersion, sizeof kVersion);
    std::memcpy(bytes_.data() + kShapeAt, &header, sizeof header);
}

void ModelWriter::add_floats(std::span<const float> values) {
    add_section(values.data(), values.size_bytes());
}

void ModelWriter::add_integers(std::span<const std::uint32_t> values) {
    add_section(values.data(), values.size_bytes());
}

void ModelWriter::add_bytes(std::span<const std::int8_t> bytes) {
    add_section(bytes.data(), bytes.size_bytes());
}

void ModelWriter::add_text(std::string_view text) {
    add_section(text.data(), text.size());
}

void ModelWriter::add_section(const void* data, std::size_t size_bytes) {
    const std::size_t start = bytes_.size();
    bytes_.resize(start + aligned(size_bytes));
    if (size_bytes > 0) {
        std::memcpy(bytes_.data() + start, data, size_bytes);
    }
}

std::string ModelWriter::finished() && {
    const std::uint64_t size = bytes_.size();
    std::memcpy(bytes_.data() + kSizeAt, &size, sizeof size);
    const std::string_view all = bytes_;
    const std::uint64_t header_sum = checksum(all.substr(kVersionAt, kSizeAt - kVersionAt));
    const std::uint64_t sum = checksum(all.substr(kHeaderBytes)) ^ header_sum;
    std::memcpy(bytes_.data() + kChecksumAt, &sum, sizeof sum);
    return std::move(bytes_);
}

}  // namespace holdfast::search::encoder
