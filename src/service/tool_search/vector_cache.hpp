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

/// Embeddings by their text, kept in a file for each model, so that a text is embedded once for all
/// runs and all processes of a user.
///
///     "HFVECTOR"  version  dimension  count         8 + 4 + 4 + 8 bytes, little-endian
///     records     16 bytes of the text's SHA-256, then int16[dimension], the oldest first
///     digest      the SHA-256 of all above, in 64 hexadecimal digits
///
/// The file is replaced as a whole: processes that write at the same time may lose each other's
/// latest entries, which are then embedded again. A file that is damaged counts as none.
///
/// Thread-safety: none.
class VectorCache final {
public:
    /// Reads the file for the model in this folder, if there is one.
    VectorCache(const std::string& folder, std::string_view model_name,
                const VectorCacheOptions& options = {});

    [[nodiscard]] std::shared_ptr<const search::Embedding> find(std::string_view text) const;
    /// One of another dimension takes the place of all that are known.
    void add(std::string_view text, std::shared_ptr<const search::Embedding> embedding);

    /// Writes what is new, together with what other processes have written since. Nothing to do
    /// when nothing is new.
    [[nodiscard]] std::optional<platform::FileFault> save();

    [[nodiscard]] std::size_t size() const noexcept { return by_key_.size(); }

private:
    using Key = std::array<char, 16>;
    void read_file();
    /// All have the same dimension, or the file could not be read.
    [[nodiscard]] bool can_take(const search::Embedding& embedding) const;
    /// False if nothing was added.
    bool insert(const Key& key, std::shared_ptr<const search::Embedding> embedding);
    [[nodiscard]] std::string file_content() const;

    const std::string path_;
    const VectorCacheOptions options_;
    std::map<Key, std::shared_ptr<const search::Embedding>> by_key_;
    std::deque<Key> order_;  // the oldest first
    bool has_news_ = false;
};

}  // namespace holdfast::tool_search
