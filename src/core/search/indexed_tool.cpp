#include "search/indexed_tool.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::search {
namespace {

class TermCollector {
public:
    TermCollector(TermReader& reader, const DocumentOptions& options)
        : reader_(reader), options_(options) {}

    /// Adds at most `max_terms` terms, each like the sample except for its id. Returns their
    /// number.
    std::size_t add(std::string_view text, const TermWeight& sample, std::size_t max_terms) {
        TextLimits limits = options_.text_limits;
        limits.max_terms = std::min(limits.max_terms, max_terms);
        const std::vector<std::string> terms = reader_.terms(text, limits);
        for (const std::string& term : terms) {
            terms_.push_back(sample);
            terms_.back().term = term_id(term);
        }
        return terms.size();
    }

    void add_parameters(const std::vector<ToolParameter>& parameters) {
        const std::size_t count = std::min(parameters.size(), options_.max_parameters);
        const TermWeight sample{.weight = options_.weights.parameters};
        std::size_t left = options_.max_parameter_terms;
        for (std::size_t index = 0; index < count; ++index) {
            left -= add(parameters[index].name, sample, left);
            left -= add(parameters[index].description, sample, left);
        }
    }

    /// Returns each term once, with the sum of its weights.
    std::vector<TermWeight> merged() && {
        std::ranges::sort(terms_, {}, &TermWeight::term);
        std::vector<TermWeight> merged;
        merged.reserve(terms_.size());
        for (const TermWeight& term : terms_) {
            if (!merged.empty() && merged.back().term == term.term) {
                TermWeight& known = merged.back();
                known.weight += term.weight;
                known.is_in_name = known.is_in_name || term.is_in_name;
            } else {
                merged.push_back(term);
            }
        }
        merged.shrink_to_fit();
        return merged;
    }

private:
    TermReader& reader_;
    const DocumentOptions& options_;
    std::vector<TermWeight> terms_;
};

}  // namespace

TermId term_id(std::string_view term) noexcept {
    // FNV-1a.
    TermId hash = 0xCBF29CE484222325U;
    for (const char byte : term) {
        hash ^= static_cast<unsigned char>(byte);
        hash *= 0x100000001B3U;
    }
    return hash;
}

std::shared_ptr<const IndexedTool> make_indexed_tool(ToolDocument document, TermReader& reader,
                                                     const DocumentOptions& options) {
    const FieldWeights& weights = options.weights;
    const std::size_t max_terms = options.text_limits.max_terms;
    TermCollector collector{reader, options};
    collector.add(document.name, {.weight = weights.name, .is_in_name = true}, max_terms);
    collector.add(document.description, {.weight = weights.description}, max_terms);
    collector.add(document.server, {.weight = weights.server}, max_terms);
    collector.add_parameters(document.parameters);

    auto tool = std::make_shared<IndexedTool>();
    tool->document = std::move(document);
    tool->terms = std::move(collector).merged();
    for (const TermWeight& term : tool->terms) {
        tool->length += term.weight;
        tool->name_terms += term.is_in_name ? 1U : 0U;
    }
    return tool;
}

}  // namespace holdfast::search
