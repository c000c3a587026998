#include <iostream>

#include "app/command_line.hpp"

int main(int argc, char** argv) {
    return holdfast::app::run_command_line(argc, argv, std::cout, std::cerr);
}
