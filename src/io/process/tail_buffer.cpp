#include "process/tail_buffer.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace holdfast::process {

void TailBuffer::append(std::string_view bytes) {
    if (bytes.size() >= limit_bytes_) {
        dropped_bytes_ += ring_.size() + bytes.size() - limit_bytes_;
        ring_.assign(bytes.substr(bytes.size() - limit_bytes_));
        oldest_ = 0;
        return;
    }
    const std::size_t growth = std::min(bytes.size(), limit_bytes_ - ring_.size());
    ring_.append(bytes.substr(0, growth));
    bytes.remove_prefix(growth);
    dropped_bytes_ += bytes.size();
    while (!bytes.empty()) {
        const std::size_t count = std::min(bytes.size(), ring_.size() - oldest_);
        ring_.replace(oldest_, count, bytes.substr(0, count));
        oldest_ = (oldest_ + count) % ring_.size();
        bytes.remove_prefix(count);
    }
}

std::string TailBuffer::text() const {
    return ring_.substr(oldest_) + ring_.substr(0, oldest_);
}

std::vector<std::string> TailBuffer::last_lines(std::size_t count) const {
    const std::string all = text();
    std::string_view rest = all;
    if (rest.ends_with('\n')) {
        rest.remove_suffix(1);
    }
    std::vector<std::string> lines;
    while (lines.size() < count && !all.empty()) {
        const std::size_t end = rest.rfind('\n');
        std::string_view line = end == std::string_view::npos ? rest : rest.substr(end + 1);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines.push_back(base::with_valid_utf8(line));
        if (end == std::string_view::npos) {
            break;
        }
        rest = rest.substr(0, end);
    }
    std::ranges::reverse(lines);
    return lines;
}

}  // namespace holdfast::process
