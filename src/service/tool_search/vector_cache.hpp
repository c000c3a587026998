#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "platform/private_file.hpp"
#include "search/embedding.hpp"

namespace holdfast::tool_search {

struct VectorCacheOptions {
    std::size_t max_entries = 200'000;  ///< Beyond it the oldest are dropped.
};

/// A cache of embeddings by text, in one file per model, so that a text is embedded once for all
/// runs and all processes of a user.
///
///     "HFVECTOR"  version  dimension  count         8 + 4 + 4 + 8 bytes, little-endian
///     records     16 bytes of the text's SHA-256, then int16[dimension], the oldest first
///     digest      the SHA-256 of all above, in 64 hexadecimal digits
///
/// The file is replaced as a whole: concurrent writers may lose each other's latest entries, which
/// are then embedded again. A damaged file is ignored.
///
/// Thread-safety: none.
class VectorCache final {
public:
    /// Reads the model's file in this folder, if it exists.
    VectorCache(const std::string& folder, std::string_view model_name,
                const VectorCacheOptions& options = {});

    [[nodiscard]] std::shared_ptr<const search::Embedding> find(std::string_view text) const;
    /// An embedding of another dimension replaces all known ones.
    void add(std::string_view text, std::shared_ptr<const search::Embedding> embedding);

    /// Writes new embeddings, merged with those that other processes have written since. No effect
    /// without new ones.
    [[nodiscard]] std::optional<platform::FileFault> save();

    [[nodiscard]] std::size_t size() const noexcept { return by_key_.size(); }

private:
    using Key = std::array<char, 16>;
    void read_file();
    /// Whether the dimension matches all others.
    [[nodiscard]] bool can_take(const search::Embedding& embedding) const;
    /// Returns false if nothing was added.
    bool insert(const Key& key, std::shared_ptr<const search::Embedding> embedding);
    [[nodiscard]] std::string file_content() const;

    const std::string path_;
    const VectorCacheOptions options_;
    std::map<Key, std::shared_ptr<const search::Embedding>> by_key_;
    std::deque<Key> order_;  // the oldest first
    bool has_news_ = false;
};

}  // namespace holdfast::tool_search
