#include "schema/violation.hpp"

namespace holdfast::schema {

std::string to_text(const Violation& violation) {
    std::string text = violation.instance.empty() ? "the value" : violation.instance;
    text += ": expected " + violation.expected + ", got " + violation.got;
    if (!violation.advice.empty()) {
        text += "; " + violation.advice;
    }
    return text;
}

std::string to_text(const Report& report) {
    switch (report.verdict) {
        case Verdict::valid:
            return "the value fits the schema";
        case Verdict::too_complex:
            return "the schema is too complex to check this value within the limits";
        case Verdict::invalid:
            break;
    }
    std::string text;
    for (const Violation& violation : report.violations) {
        if (!text.empty()) {
            text += '\n';
        }
        text += to_text(violation);
    }
    if (report.truncated) {
        text += "\nand more";
    }
    return text;
}

}  // namespace holdfast::schema
