#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::net {

/// Bytes that a slow peer has not accepted yet. The user of the queue limits its size.
///
/// Thread-safety: none.
class OutputQueue final {
public:
    /// Appends the bytes without the first `skipped_bytes`; does nothing if none are left.
    void push(std::string bytes, std::size_t skipped_bytes = 0);
    /// The next bytes to write; they do not move until they are consumed.
    [[nodiscard]] std::string_view front() const;
    void consume(std::size_t size_bytes);
    void clear();

    [[nodiscard]] bool is_empty() const noexcept { return size_bytes_ == 0; }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

private:
    // Created when first needed: most connections never have a slow reader.
    std::unique_ptr<std::deque<std::string>> items_;
    std::size_t offset_ = 0;  // written bytes of the first item
    std::size_t size_bytes_ = 0;
};

}  // namespace holdfast::net
