# holdfast_add_benchmark(NAME <target> SOURCES <file>... [LIBRARIES <target>...])
#
# Adds a Google Benchmark executable. `./dev bench <name>` finds it when the target is called
# <name>_bench. Does nothing unless HOLDFAST_BUILD_BENCHMARKS is on.
function(holdfast_add_benchmark)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;LIBRARIES")
    holdfast_check_arguments(holdfast_add_benchmark NAME SOURCES)
    if(NOT HOLDFAST_BUILD_BENCHMARKS)
        return()
    endif()

    find_package(benchmark REQUIRED)
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} benchmark::benchmark
                                              benchmark::benchmark_main)
    holdfast_use_warnings(${arg_NAME})
endfunction()
