#include "schema/compile/unicode_property.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace holdfast::schema {
namespace {

using Alias = std::pair<std::string_view, std::string_view>;

// The long names of general categories. RE2 accepts the short ones.
constexpr std::array kCategories{
    Alias{"Letter", "L"},
    Alias{"Cased_Letter", ""},
    Alias{"Uppercase_Letter", "Lu"},
    Alias{"Lowercase_Letter", "Ll"},
    Alias{"Titlecase_Letter", "Lt"},
    Alias{"Modifier_Letter", "Lm"},
    Alias{"Other_Letter", "Lo"},
    Alias{"Mark", "M"},
    Alias{"Combining_Mark", "M"},
    Alias{"Nonspacing_Mark", "Mn"},
    Alias{"Spacing_Mark", "Mc"},
    Alias{"Enclosing_Mark", "Me"},
    Alias{"Number", "N"},
    Alias{"Decimal_Number", "Nd"},
    Alias{"digit", "Nd"},
    Alias{"Letter_Number", "Nl"},
    Alias{"Other_Number", "No"},
    Alias{"Punctuation", "P"},
    Alias{"punct", "P"},
    Alias{"Connector_Punctuation", "Pc"},
    Alias{"Dash_Punctuation", "Pd"},
    Alias{"Open_Punctuation", "Ps"},
    Alias{"Close_Punctuation", "Pe"},
    Alias{"Initial_Punctuation", "Pi"},
    Alias{"Final_Punctuation", "Pf"},
    Alias{"Other_Punctuation", "Po"},
    Alias{"Symbol", "S"},
    Alias{"Math_Symbol", "Sm"},
    Alias{"Currency_Symbol", "Sc"},
    Alias{"Modifier_Symbol", "Sk"},
    Alias{"Other_Symbol", "So"},
    Alias{"Separator", "Z"},
    Alias{"Space_Separator", "Zs"},
    Alias{"Line_Separator", "Zl"},
    Alias{"Paragraph_Separator", "Zp"},
    Alias{"Control", "Cc"},
    Alias{"cntrl", "Cc"},
    Alias{"Format", "Cf"},
    Alias{"Private_Use", "Co"},
};

bool is_plain_name(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               letter == '_';
    });
}

}  // namespace

std::string re2_property(std::string_view property) {
    for (const std::string_view prefix : {"General_Category=", "gc=", "Script=", "sc="}) {
        if (property.starts_with(prefix)) {
            property.remove_prefix(prefix.size());
            break;
        }
    }
    const auto* const found = std::ranges::find(kCategories, property, &Alias::first);
    if (found != kCategories.end()) {
        return std::string{found->second};
    }
    // Short categories and scripts have the same name in RE2, which rejects unknown names itself.
    return is_plain_name(property) ? std::string{property} : std::string{};
}

}  // namespace holdfast::schema
