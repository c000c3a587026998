#include "cli/output/line_cut.hpp"

#include <unistd.h>

namespace holdfast::cli {

LineCut line_cut_of_output() {
    return ::isatty(STDOUT_FILENO) != 0 ? LineCut::for_terminal : LineCut::none;
}

}  // namespace holdfast::cli
