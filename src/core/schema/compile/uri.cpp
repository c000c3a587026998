#include "schema/compile/uri.hpp"

#include <charconv>
#include <cstddef>

namespace holdfast::schema {
namespace {

struct Parts {
    std::string_view scheme;     // With its colon.
    std::string_view authority;  // With its two slashes.
    std::string_view path;
    std::string_view query;     // With its question mark.
    std::string_view fragment;  // With its hash.
};

bool is_scheme(std::string_view text) {
    if (text.empty()) {
        return false;
    }
    return text.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
               "0123456789+-.") == std::string_view::npos;
}

std::string_view cut_from(std::string_view& text, std::size_t position) {
    if (position == std::string_view::npos) {
        return {};
    }
    const std::string_view tail = text.substr(position);
    text = text.substr(0, position);
    return tail;
}

Parts parse(std::string_view uri) {
    Parts parts;
    parts.fragment = cut_from(uri, uri.find('#'));
    parts.query = cut_from(uri, uri.find('?'));
    const std::size_t colon = uri.find(':');
    if (colon != std::string_view::npos && is_scheme(uri.substr(0, colon))) {
        parts.scheme = uri.substr(0, colon + 1);
        uri.remove_prefix(colon + 1);
    }
    if (uri.starts_with("//")) {
        std::string_view rest = uri;
        parts.path = cut_from(rest, rest.find('/', 2));
        parts.authority = rest;
    } else {
        parts.path = uri;
    }
    return parts;
}

std::string without_dot_segments(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const std::size_t slash = path.find('/', path.front() == '/' ? 1 : 0);
        const std::string_view segment = path.substr(0, slash);
        path.remove_prefix(segment.size());
        const bool is_last = path.empty();
        if (segment == "/." || segment == ".") {
            out += is_last && segment.size() == 2 ? "/" : "";
        } else if (segment == "/.." || segment == "..") {
            out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
            out += is_last && segment.size() == 3 ? "/" : "";
        } else {
            out += segment;
        }
    }
    return out;
}

std::string merged_path(const Parts& base, std::string_view path) {
    if (path.starts_with('/')) {
        return without_dot_segments(path);
    }
    std::string merged;
    if (!base.authority.empty() && base.path.empty()) {
        merged = "/";
    } else if (const std::size_t slash = base.path.rfind('/'); slash != std::string_view::npos) {
        merged = base.path.substr(0, slash + 1);
    }
    const bool is_rooted = merged.starts_with('/');
    merged += path;
    std::string result = without_dot_segments(merged);
    if (!is_rooted && result.starts_with('/')) {
        result.erase(0, 1);  // "./a" next to a relative base stays relative.
    }
    return result;
}

std::string joined(std::string_view scheme, std::string_view authority, std::string_view path,
                   std::string_view tail) {
    std::string out;
    out.reserve(scheme.size() + authority.size() + path.size() + tail.size());
    out += scheme;
    out += authority;
    out += path;
    out += tail;
    return out;
}

}  // namespace

std::string resolve_uri(std::string_view base, std::string_view reference) {
    const Parts from = parse(base);
    const Parts to = parse(reference);
    const std::string tail = joined(to.query, to.fragment, {}, {});
    if (!to.scheme.empty()) {
        const bool is_hierarchical = !to.authority.empty();
        return joined(to.scheme, to.authority,
                      is_hierarchical ? without_dot_segments(to.path) : std::string{to.path}, tail);
    }
    if (!to.authority.empty()) {
        return joined(from.scheme, to.authority, without_dot_segments(to.path), tail);
    }
    if (to.path.empty()) {
        const std::string_view query = to.query.empty() ? from.query : to.query;
        return joined(from.scheme, from.authority, from.path, joined(query, to.fragment, {}, {}));
    }
    return joined(from.scheme, from.authority, merged_path(from, to.path), tail);
}

SplitUri split_fragment(std::string_view uri) {
    const std::size_t hash = uri.find('#');
    if (hash == std::string_view::npos) {
        return {.document = uri, .fragment = {}};
    }
    return {.document = uri.substr(0, hash), .fragment = uri.substr(hash + 1)};
}

std::string percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned byte = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            out += static_cast<char>(byte);
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

}  // namespace holdfast::schema
