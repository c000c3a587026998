#include "policy/degrade.hpp"

namespace holdfast::policy {

std::string_view degrade_text(const DegradeRules& rules, const DegradeCase& failure) {
    for (const std::string_view key : {failure.error_class, failure.code, kOtherFailure}) {
        const auto found = rules.texts.find(key);
        if (found == rules.texts.end()) {
            continue;
        }
        const DegradeText& texts = found->second;
        const bool is_uncertain = failure.may_have_effect && !texts.uncertain.empty();
        const std::string& write = is_uncertain ? texts.uncertain : texts.write;
        const std::string& text = failure.is_read ? texts.read : write;
        if (!text.empty()) {
            return text;
        }
    }
    return {};
}

}  // namespace holdfast::policy
