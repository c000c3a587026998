#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast::schema {

/// The vocabularies that a dialect may lack, as bits.
enum Vocabulary : std::uint8_t {
    kCore = 1,
    kApplicator = 2,
    kValidation = 4,
    kUnevaluated = 8,
    kAllVocabularies = 0xff,
};

/// The vocabulary that a URI of 2020-12 enables; no bits if it only annotates.
struct VocabularyMatch {
    bool is_known = false;
    std::uint8_t bits = 0;
};
[[nodiscard]] VocabularyMatch find_vocabulary(std::string_view uri);

/// Where the value of a keyword holds subschemas.
enum class Children : std::uint8_t {
    none,
    schema,
    list,            ///< An array of schemas.
    map,             ///< An object of schemas.
    schema_or_list,  ///< `items`: the list is the form of draft 7.
    lenient_map,     ///< `dependencies` of draft 7: schemas among lists of names.
};

[[nodiscard]] Children children_of(std::string_view keyword);

}  // namespace holdfast::schema
