#include "search/fitted_embedder.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text_cut.hpp"

namespace holdfast::search {

Embeddings FittedEmbedder::embed(std::span<const std::string> texts,
                                 const StopSignal& should_stop) const {
    std::vector<std::string> fitting;
    std::vector<std::size_t> places;
    fitting.reserve(texts.size());
    places.reserve(texts.size());
    std::size_t budget = options_.max_bytes;
    for (std::size_t place = 0; place < texts.size(); ++place) {
        const bool shares = place == 0 && texts.size() > 1;
        const std::size_t share = std::max(budget / 2, std::min(budget, options_.min_text_bytes));
        const std::size_t limit = std::min(shares ? share : budget, options_.max_text_bytes);
        if (limit < std::min(texts[place].size(), options_.min_text_bytes)) {
            continue;
        }
        fitting.emplace_back(base::beginning_of(texts[place], limit));
        places.push_back(place);
        budget -= fitting.back().size();
    }
    if (!texts.empty() && (places.empty() || places.front() != 0)) {
        return EmbedError{.code = EmbedErrc::too_late,
                          .message = "there is no time for embedding the query"};
    }
    auto embedded = embedder_.embed(fitting, should_stop);
    if (!embedded || embedded->size() != fitting.size()) {
        return embedded;
    }
    std::vector<Embedding> all(texts.size());
    for (std::size_t index = 0; index < places.size(); ++index) {
        all[places[index]] = std::move((*embedded)[index]);
    }
    return all;
}

}  // namespace holdfast::search
