#include "search/sentence_encoder.hpp"

#include <utility>

#include "search/encoder/forward_pass.hpp"

namespace holdfast::search::encoder {

SentenceEncoder::SentenceEncoder(ModelView model, const Kernels& kernels,
                                 const EncoderOptions& options)
    : model_(std::move(model)),
      kernels_(kernels),
      options_(options),
      word_piece_(model_),
      model_name_("all-MiniLM-L6-v2/" + std::to_string(model_.checksum)) {}

Embeddings SentenceEncoder::embed(std::span<const std::string> texts,
                                  const StopSignal& should_stop) const {
    ForwardPass pass{model_, kernels_};
    std::vector<Embedding> embeddings;
    embeddings.reserve(texts.size());
    std::vector<std::vector<TokenId>> batch;
    std::size_t token_count = 0;
    const auto run_batch = [&] {
        const auto means = pass.run(batch, should_stop);
        if (!means) {
            return false;
        }
        for (const std::vector<float>& mean : *means) {
            embeddings.emplace_back(std::span<const float>{mean});
        }
        batch.clear();
        token_count = 0;
        return true;
    };
    const EmbedError too_late{.code = EmbedErrc::too_late, .message = "embedding took too long"};
    for (const std::string& text : texts) {
        std::vector<TokenId> tokens = word_piece_.tokens(text);
        if (!batch.empty() && token_count + tokens.size() > options_.max_tokens_per_pass &&
            !run_batch()) {
            return too_late;
        }
        token_count += tokens.size();
        batch.push_back(std::move(tokens));
    }
    if (!batch.empty() && !run_batch()) {
        return too_late;
    }
    return embeddings;
}

}  // namespace holdfast::search::encoder
