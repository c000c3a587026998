#include "process/child_options.hpp"

namespace holdfast::process {

std::string program_text(const ChildSpec& spec) {
    return spec.arguments.empty() ? "the program" : "the program \"" + spec.arguments.front() + '"';
}

}  // namespace holdfast::process
