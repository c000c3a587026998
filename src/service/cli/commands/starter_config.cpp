#include "cli/commands/starter_config.hpp"

#include "jsonrpc/json_text.hpp"

namespace holdfast::cli {
namespace {

void replace_all(std::string& text, std::string_view mark, std::string_view value) {
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size())) {
        text.replace(at, mark.size(), value);
    }
}

}  // namespace

std::string starter_config(const std::string& program, const std::string& file) {
    std::string text{starter_config_template()};
    const std::string quoted = jsonrpc::quoted_text(program);
    replace_all(text, "@HOLDFAST@", jsonrpc::between_quotes(quoted));
    // The path is part of a comment, which a line break would end.
    const std::string shown = jsonrpc::quoted_text(file);
    replace_all(text, "@CONFIG@", jsonrpc::between_quotes(shown));
    return text;
}

}  // namespace holdfast::cli
