// old_kernel_program <command> [<argument>...]: runs the command as on a kernel without
// `pidfd_open` and `close_range`, with descriptor 9 open that it must not pass on.

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "support/old_kernel.hpp"

int main(int argument_count, char** arguments) {
    constexpr int kForeignDescriptor = 9;
    if (argument_count < 2 || !holdfast::test::act_as_on_an_old_kernel() ||
        ::dup2(STDERR_FILENO, kForeignDescriptor) == -1) {
        return 2;
    }
    ::execv(arguments[1], arguments + 1);
    std::perror("old_kernel_program");
    return 2;
}
