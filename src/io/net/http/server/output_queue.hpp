#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::net {

/// Bytes that a peer was too slow to take. How many may wait is for its user to decide.
///
/// Thread-safety: none.
class OutputQueue final {
public:
    /// Without its first `skipped_bytes`; nothing if that is all of it.
    void push(std::string bytes, std::size_t skipped_bytes = 0);
    /// What to write next; stays where it is until it is consumed.
    [[nodiscard]] std::string_view front() const;
    void consume(std::size_t size_bytes);
    void clear();

    [[nodiscard]] bool is_empty() const noexcept { return size_bytes_ == 0; }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

private:
    // Made when first needed: most connections never have a slow reader.
    std::unique_ptr<std::deque<std::string>> items_;
    std::size_t offset_ = 0;  // bytes of the first item that are written
    std::size_t size_bytes_ = 0;
};

}  // namespace holdfast::net
