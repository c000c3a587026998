#include "search/model_conversion.hpp"

#include <boost/json.hpp>
#include <map>
#include <optional>
#include <utility>

// The files are checked although the caller has verified their hashes: a tensor that is missing,
// too short or of another shape is an error, not a crash.

namespace holdfast::search::encoder {
namespace {

namespace json = boost::json;

constexpr const char* kRoot = "StatefulPartitionedCall/model/tf_bert_model/bert/";

/// Bytes of the weights file; a value is `scale * byte + minimum`.
struct Tensor {
    std::string_view bytes = {};
    float scale = 0.0F;
    float minimum = 0.0F;
};

ModelError unexpected(std::string message) {
    return {.code = ModelErrc::unexpected, .message = std::move(message)};
}

std::optional<json::value> parsed(std::string_view text) {
    boost::system::error_code error;
    json::value value = json::parse(text, error);
    return error ? std::nullopt : std::optional{std::move(value)};
}

class Tensors {
public:
    /// Returns false if the list of tensors does not match the bytes.
    bool read(const json::value& list, std::string_view weights) {
        for (const json::value& entry : list.as_array()) {
            const json::object& about = entry.as_object();
            std::size_t count = 1;
            for (const json::value& extent : about.at("shape").as_array()) {
                count *= extent.to_number<std::size_t>();
            }
            const json::value* quantization = about.if_contains("quantization");
            const std::size_t size_bytes = quantization == nullptr ? 4 * count : count;
            if (size_bytes > weights.size()) {
                return false;
            }
            if (quantization != nullptr) {
                if (quantization->at("dtype").as_string() != "uint8") {
                    return false;
                }
                tensors_[std::string{about.at("name").as_string()}] = {
                    .bytes = weights.substr(0, size_bytes),
                    .scale = quantization->at("scale").to_number<float>(),
                    .minimum = quantization->at("min").to_number<float>()};
            }
            weights.remove_prefix(size_bytes);
        }
        return weights.empty();
    }

    /// Returns an empty tensor, and makes `is_complete` false, if there is none of this name and
    /// size.
    Tensor named(const std::string& name, std::size_t size) {
        const auto found = tensors_.find(name);
        if (found == tensors_.end() || found->second.bytes.size() < size) {
            missing_ = missing_.empty() ? name : missing_;
            return {};
        }
        Tensor tensor = found->second;
        tensor.bytes = tensor.bytes.substr(0, size);
        return tensor;
    }

    /// The first tensor that was not found.
    [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

private:
    std::map<std::string, Tensor> tensors_;
    std::string missing_;
};

float value_of(const Tensor& tensor, std::size_t index) {
    return static_cast<float>(static_cast<unsigned char>(tensor.bytes[index])) * tensor.scale +
           tensor.minimum;
}

std::int8_t signed_byte(const Tensor& tensor, std::size_t index) {
    return static_cast<std::int8_t>(static_cast<unsigned char>(tensor.bytes[index]) - 128);
}

std::vector<float> values_of(const Tensor& tensor) {
    std::vector<float> values(tensor.bytes.size());
    for (std::size_t index = 0; index < values.size(); ++index) {
        values[index] = value_of(tensor, index);
    }
    return values;
}

/// Writes the parts of a model from its tensors.
class Conversion {
public:
    Conversion(const ModelHeader& header, Tensors& tensors)
        : header_(header), tensors_(tensors), writer_(header) {}

    void add_embeddings() {
        const std::size_t width = header_.dimension;
        const Tensor words = tensors_.named("unknown", header_.vocabulary * width);
        add_numbers(words);
        std::vector<std::int8_t> bytes(words.bytes.size());
        for (std::size_t index = 0; index < bytes.size(); ++index) {
            bytes[index] = signed_byte(words, index);
        }
        writer_.add_bytes(bytes);
        // All texts have a single segment, so its row can be added to the positions here.
        std::vector<float> positions =
            values_of(tensors_.named("unknown_0", header_.max_tokens * width));
        const std::vector<float> segment = values_of(tensors_.named("unknown_1", width));
        for (std::size_t index = 0; index < positions.size() && !segment.empty(); ++index) {
            positions[index] += segment[index % width];
        }
        writer_.add_floats(positions);
        add_norm("embeddings/LayerNorm");
    }

    void add_layer(std::uint32_t index) {
        const std::string layer = "encoder/layer_._" + std::to_string(index) + "/";
        const std::size_t width = header_.dimension;
        for (const char* part : {"attention/self/query", "attention/self/key",
                                 "attention/self/value", "attention/output/dense"}) {
            add_dense(layer + part, width, width);
        }
        add_norm(layer + "attention/output/LayerNorm");
        add_dense(layer + "intermediate/dense", width, header_.inner);
        add_dense(layer + "output/dense", header_.inner, width);
        add_norm(layer + "output/LayerNorm");
    }

    void add_tokens(const std::vector<std::string_view>& tokens) {
        std::string texts;
        std::vector<std::uint32_t> ends;
        ends.reserve(tokens.size());
        for (const std::string_view token : tokens) {
            texts += token;
            ends.push_back(static_cast<std::uint32_t>(texts.size()));
        }
        writer_.add_integers(ends);
        writer_.add_text(texts);
    }

    std::string finished() && { return std::move(writer_).finished(); }

private:
    void add_numbers(const Tensor& tensor) {
        writer_.add_floats(
            std::array<float, 2>{tensor.scale, tensor.minimum + 128.0F * tensor.scale});
    }

    void add_norm(const std::string& name) {
        const std::string path = kRoot + name + "/batchnorm/";
        writer_.add_floats(
            values_of(tensors_.named(path + "mul/ReadVariableOp", header_.dimension)));
        writer_.add_floats(values_of(tensors_.named(path + "ReadVariableOp", header_.dimension)));
    }

    void add_dense(const std::string& name, std::size_t rows, std::size_t columns) {
        const Tensor matrix =
            tensors_.named(kRoot + name + "/Tensordot/ReadVariableOp", rows * columns);
        add_numbers(matrix);
        std::vector<std::int8_t> packed;
        packed.reserve(rows * columns);
        constexpr std::size_t kPanel = PackedMatrix::kPanelColumns;
        for (std::size_t first = 0; first < columns && !matrix.bytes.empty(); first += kPanel) {
            for (std::size_t row = 0; row < rows; row += 2) {
                for (std::size_t column = first; column < first + kPanel; ++column) {
                    packed.push_back(signed_byte(matrix, row * columns + column));
                    packed.push_back(signed_byte(matrix, (row + 1) * columns + column));
                }
            }
        }
        writer_.add_bytes(packed);
        writer_.add_floats(
            values_of(tensors_.named(kRoot + name + "/BiasAdd/ReadVariableOp", columns)));
    }

    const ModelHeader& header_;
    Tensors& tensors_;
    ModelWriter writer_;
};

/// Returns the texts of the tokens by their numbers.
ModelResult<std::vector<std::string_view>> tokens_of(const json::value& tokenizer,
                                                     std::size_t vocabulary) {
    const json::object& entries = tokenizer.at("model").at("vocab").as_object();
    std::vector<std::string_view> tokens(vocabulary);
    for (const auto& [text, number] : entries) {
        const auto id = number.to_number<std::size_t>();
        if (id >= vocabulary || text.empty()) {
            return unexpected("the vocabulary has a token without a number");
        }
        tokens[id] = text;
    }
    return tokens;
}

/// May throw exceptions of Boost.JSON for values of another kind.
ModelResult<std::string> convert(const PublishedModel& published, const json::value& model,
                                 const json::value& tokenizer) {
    Tensors tensors;
    if (!tensors.read(model.at("weightsManifest").at(0).at("weights"), published.weights)) {
        return unexpected("the weights do not match their description");
    }
    ModelHeader header;
    const auto tokens = tokens_of(tokenizer, header.vocabulary);
    if (!tokens) {
        return tokens.error();
    }
    for (const std::string_view token : *tokens) {
        header.text_bytes += static_cast<std::uint32_t>(token.size());
    }
    Conversion conversion{header, tensors};
    conversion.add_embeddings();
    for (std::uint32_t index = 0; index < header.layers; ++index) {
        conversion.add_layer(index);
    }
    conversion.add_tokens(*tokens);
    if (!tensors.missing().empty()) {
        return unexpected("the weights have no " + tensors.missing());
    }
    return std::move(conversion).finished();
}

}  // namespace

ModelResult<std::string> converted_model(const PublishedModel& published) {
    const auto model = parsed(published.model_json);
    const auto tokenizer = parsed(published.tokenizer_json);
    if (!model || !tokenizer) {
        return unexpected("a description is not JSON");
    }
    try {
        return convert(published, *model, *tokenizer);
    } catch (const std::exception&) {  // Boost.JSON, for a missing key or a value of another kind
        return unexpected("a description has an unexpected form");
    }
}

}  // namespace holdfast::search::encoder
