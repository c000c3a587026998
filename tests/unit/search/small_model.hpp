#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/encoder/model_file.hpp"

namespace holdfast::search::encoder {

/// Returns the bytes of a model with one layer and 16 numbers. Its vocabulary begins with 100
/// fillers, like the real one, followed by the three marks and the given tokens.
inline std::string small_model(const std::vector<std::string>& tokens,
                               std::uint32_t max_tokens = 8) {
    std::vector<std::string> all;
    for (int number = 0; number < 100; ++number) {
        all.push_back("[unused" + std::to_string(number) + "]");
    }
    all.insert(all.end(), {"[UNK]", "[CLS]", "[SEP]"});
    all.insert(all.end(), tokens.begin(), tokens.end());
    std::string texts;
    std::vector<std::uint32_t> ends;
    for (const std::string& token : all) {
        texts += token;
        ends.push_back(static_cast<std::uint32_t>(texts.size()));
    }
    constexpr std::uint32_t kWidth = 16;
    const ModelHeader header{.dimension = kWidth,
                             .layers = 1,
                             .heads = 2,
                             .inner = 32,
                             .vocabulary = static_cast<std::uint32_t>(all.size()),
                             .max_tokens = max_tokens,
                             .text_bytes = static_cast<std::uint32_t>(texts.size())};
    ModelWriter writer{header};
    const auto add_floats = [&writer](std::size_t count) {
        writer.add_floats(std::vector<float>(count, 0.5F));
    };
    const auto add_bytes = [&writer](std::size_t count) {
        std::vector<std::int8_t> bytes(count);
        for (std::size_t index = 0; index < count; ++index) {
            bytes[index] = static_cast<std::int8_t>(index * 37 % 251);
        }
        writer.add_bytes(bytes);
    };
    const auto add_dense = [&](std::size_t rows, std::size_t columns) {
        add_floats(2);
        add_bytes(rows * columns);
        add_floats(columns);
    };
    add_floats(2);
    add_bytes(all.size() * kWidth);
    add_floats(std::size_t{max_tokens} * kWidth);
    add_floats(kWidth);
    add_floats(kWidth);
    for (int count = 0; count < 4; ++count) {
        add_dense(kWidth, kWidth);
    }
    add_floats(kWidth);
    add_floats(kWidth);
    add_dense(kWidth, header.inner);
    add_dense(header.inner, kWidth);
    add_floats(kWidth);
    add_floats(kWidth);
    writer.add_integers(ends);
    writer.add_text(texts);
    return std::move(writer).finished();
}

}  // namespace holdfast::search::encoder
