#include "schema/compile/pattern_cache.hpp"

#include <memory>
#include <utility>

#include "schema/compile/ecma_pattern.hpp"

namespace holdfast::schema {

const PatternCache::Outcome& PatternCache::add(std::string_view pattern) {
    const auto found = known_.find(pattern);
    if (found != known_.end()) {
        return found->second;
    }
    return known_.emplace(pattern, make(pattern)).first->second;
}

PatternCache::Outcome PatternCache::make(std::string_view pattern) {
    if (pattern.size() > limits_.max_pattern_bytes) {
        return "the pattern is longer than " + std::to_string(limits_.max_pattern_bytes) + " bytes";
    }
    if (program_.patterns.size() >= limits_.max_patterns) {
        return "there are more than " + std::to_string(limits_.max_patterns) + " patterns";
    }
    auto translated = to_re2_syntax(pattern);
    if (!translated) {
        return std::move(translated).error().reason;
    }
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(static_cast<std::int64_t>(limits_.pattern_memory_bytes));
    auto compiled = std::make_unique<re2::RE2>(*translated, options);
    if (!compiled->ok()) {
        return "the pattern is not understood: " + compiled->error();
    }
    program_.patterns.push_back(std::move(compiled));
    return static_cast<std::uint32_t>(program_.patterns.size() - 1);
}

}  // namespace holdfast::schema
