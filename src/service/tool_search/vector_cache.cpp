#include "tool_search/vector_cache.hpp"

#include <utility>
#include <vector>

#include "platform/crypto.hpp"

namespace holdfast::tool_search {
namespace {

constexpr std::string_view kMagic = "HFVECTOR";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 24;
constexpr std::size_t kDigestBytes = 64;
constexpr std::size_t kKeyBytes = 16;
constexpr std::size_t kMaxFileBytes = std::size_t{1024} * 1024 * 1024;

template <class T>
T number_at(std::string_view bytes, std::size_t position) {
    T number{};
    bytes.copy(reinterpret_cast<char*>(&number), sizeof number, position);
    return number;
}

template <class T>
void append_number(T number, std::string& bytes) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::array<char, kKeyBytes> key_of(std::string_view text) {
    const std::string digest = platform::sha256_text(text);
    std::array<char, kKeyBytes> key{};
    for (std::size_t index = 0; index < kKeyBytes; ++index) {
        const std::string_view pair = std::string_view{digest}.substr(2 * index, 2);
        const auto value_of = [](char digit) {
            return digit <= '9' ? digit - '0' : digit - 'a' + 10;
        };
        key[index] = static_cast<char>(value_of(pair[0]) * 16 + value_of(pair[1]));
    }
    return key;
}

/// Returns the records of a file; nothing unless it is complete.
std::optional<std::string_view> checked_records(std::string_view bytes) {
    if (bytes.size() < kHeaderBytes + kDigestBytes || !bytes.starts_with(kMagic) ||
        number_at<std::uint32_t>(bytes, 8) != kVersion) {
        return std::nullopt;
    }
    const std::string_view signed_part = bytes.substr(0, bytes.size() - kDigestBytes);
    const std::uint64_t record_bytes =
        kKeyBytes + 2 * std::uint64_t{number_at<std::uint32_t>(bytes, 12)};
    const std::string_view records = signed_part.substr(kHeaderBytes);
    const auto count = number_at<std::uint64_t>(bytes, 16);
    if (count > records.size() || count * record_bytes != records.size() ||
        platform::sha256_text(signed_part) != bytes.substr(signed_part.size())) {
        return std::nullopt;
    }
    return records;
}

}  // namespace

VectorCache::VectorCache(const std::string& folder, std::string_view model_name,
                         const VectorCacheOptions& options)
    : path_(folder + "/vectors/" + platform::sha256_text(model_name).substr(0, 16) + ".hfvectors"),
      options_(options) {
    read_file();
}

std::shared_ptr<const search::Embedding> VectorCache::find(std::string_view text) const {
    const auto found = by_key_.find(key_of(text));
    return found == by_key_.end() ? nullptr : found->second;
}

void VectorCache::add(std::string_view text, std::shared_ptr<const search::Embedding> embedding) {
    // A server may change its dimension; older embeddings are then useless.
    if (!can_take(*embedding)) {
        by_key_.clear();
        order_.clear();
    }
    has_news_ = insert(key_of(text), std::move(embedding)) || has_news_;
}

std::optional<platform::FileFault> VectorCache::save() {
    if (!has_news_) {
        return std::nullopt;
    }
    read_file();
    if (auto fault = platform::replace_atomically(path_, file_content())) {
        return fault;
    }
    has_news_ = false;
    return std::nullopt;
}

void VectorCache::read_file() {
    const auto bytes = platform::private_file_content(path_, kMaxFileBytes);
    const auto records = bytes ? checked_records(*bytes) : std::nullopt;
    if (!records) {
        return;
    }
    const std::size_t dimension = number_at<std::uint32_t>(*bytes, 12);
    std::string_view rest = *records;
    while (!rest.empty()) {
        Key key{};
        rest.copy(key.data(), key.size());
        std::vector<std::int16_t> steps(dimension);
        rest.copy(reinterpret_cast<char*>(steps.data()), 2 * dimension, kKeyBytes);
        rest.remove_prefix(kKeyBytes + 2 * dimension);
        insert(key, std::make_shared<const search::Embedding>(std::move(steps)));
    }
}

bool VectorCache::can_take(const search::Embedding& embedding) const {
    return by_key_.empty() || by_key_.begin()->second->dimension() == embedding.dimension();
}

bool VectorCache::insert(const Key& key, std::shared_ptr<const search::Embedding> embedding) {
    // Ignores a file of another process with another dimension.
    if (!can_take(*embedding)) {
        return false;
    }
    const auto [place, is_new] = by_key_.try_emplace(key);
    if (!is_new) {
        return false;
    }
    place->second = std::move(embedding);
    order_.push_back(key);
    if (by_key_.size() > options_.max_entries) {
        by_key_.erase(order_.front());
        order_.pop_front();
    }
    return true;
}

std::string VectorCache::file_content() const {
    const std::size_t dimension = by_key_.empty() ? 0 : by_key_.begin()->second->dimension();
    std::string bytes{kMagic};
    append_number(kVersion, bytes);
    append_number(static_cast<std::uint32_t>(dimension), bytes);
    append_number(std::uint64_t{by_key_.size()}, bytes);
    for (const Key& key : order_) {
        const search::Embedding& embedding = *by_key_.at(key);
        bytes.append(key.data(), key.size());
        bytes.append(reinterpret_cast<const char*>(embedding.steps().data()), 2 * dimension);
    }
    bytes += platform::sha256_text(bytes);
    return bytes;
}

}  // namespace holdfast::tool_search
