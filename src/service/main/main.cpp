#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <ostream>
#include <system_error>
#include <tuple>

#include "cli/command_line.hpp"
#include "cli/exit_code.hpp"
#include "platform/log_buffer.hpp"
#include "platform/output_buffer.hpp"
#include "process/guardian.hpp"

namespace {

using holdfast::platform::OutputBuffer;

/// The exit code of a command, once all of its output is written. A command whose output is lost
/// has failed. A reader that closes its pipe has read what it wanted.
int final_exit_code(int exit_code, std::ostream& out, const OutputBuffer& buffer) {
    out.flush();
    const int error = buffer.error();
    if (error == 0 || error == EPIPE) {
        return exit_code;
    }
    std::cerr << "holdfast: cannot write to standard output: "
              << std::generic_category().message(error) << "\n";
    return exit_code == holdfast::cli::kExitSuccess ? holdfast::cli::kExitFailure : exit_code;
}

/// A closed standard descriptor would be given to the next file or socket that is opened, and the
/// output would end there. Such a number is taken for good; writing to it still fails.
void reserve_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) < 0) {
            std::ignore = ::open("/dev/null", O_RDONLY);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    holdfast::process::run_guardian_if_asked(argc, argv);
    reserve_standard_descriptors();
    holdfast::platform::LogBuffer log{STDERR_FILENO};
    std::streambuf* const usual = std::cerr.rdbuf(&log);
    OutputBuffer buffer{STDOUT_FILENO};
    std::ostream out{&buffer};
    const int exit_code =
        final_exit_code(holdfast::cli::run_command_line(argc, argv, out, std::cerr), out, buffer);
    std::cerr.rdbuf(usual);  // the library flushes it at the end of the program
    return exit_code;
}
