#include <unistd.h>

#include <iostream>

#include "cli/command_line.hpp"
#include "platform/log_buffer.hpp"

int main(int argc, char** argv) {
    holdfast::platform::LogBuffer log{STDERR_FILENO};
    std::streambuf* const usual = std::cerr.rdbuf(&log);
    const int exit_code = holdfast::cli::run_command_line(argc, argv, std::cout, std::cerr);
    std::cerr.rdbuf(usual);  // the library flushes it at the end of the program
    return exit_code;
}
