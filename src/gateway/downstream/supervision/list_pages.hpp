#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

#include "downstream/answer.hpp"
#include "downstream/listing.hpp"
#include "jsonrpc/message_reader.hpp"

namespace holdfast::downstream {

/// Returns `tools/list` and so on.
[[nodiscard]] std::string_view method_of(ListKind kind) noexcept;

struct ListLimits {
    std::size_t max_pages = 1'000;
    std::size_t max_entries = 100'000;
};

/// Assembles one list from its pages. Repairs or skips invalid entries, skips duplicate keys, and
/// notes both as faults of the listing. Ends at the last page, at a repeated cursor, or at a limit.
///
/// Thread-safety: none.
class ListPages final {
public:
    ListPages(ListKind kind, const ListLimits& limits);

    enum class Step { ask_again, complete, malformed };
    /// Requires an answer that is not an error.
    [[nodiscard]] Step add(const Answer& page);

    /// The `params` of the next request, as `Request::params_members`.
    [[nodiscard]] std::string params_members() const;

    /// Returns the result. Call once.
    [[nodiscard]] Listing take();

private:
    [[nodiscard]] bool add_entries(std::string_view array);
    void add_entry(const jsonrpc::PaddedText& text, std::string_view entry);
    void add_hints(const jsonrpc::ObjectView& page);

    const ListLimits limits_;
    jsonrpc::MessageReader reader_;
    Listing listing_;
    std::unordered_set<std::string> keys_;
    std::unordered_set<std::string> cursors_;  // as written
    std::string next_cursor_;                  // as written, with quotes; may be empty
    std::size_t pages_ = 0;
    std::size_t position_ = 0;  // of the current entry, from 1
};

}  // namespace holdfast::downstream
