#pragma once

#include <span>
#include <string_view>

namespace holdfast::admin {

/// A file of the page, embedded in the binary.
struct PageFile {
    std::string_view name = {};  ///< For example `index.html`.
    std::string_view content_type = {};
    std::string_view bytes = {};
};

[[nodiscard]] std::span<const PageFile> page_files();

}  // namespace holdfast::admin
