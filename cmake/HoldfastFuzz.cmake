# holdfast_add_fuzz_target(NAME <target> SOURCES <file>... CORPUS <directory> LIBRARIES <target>...)
#
# Adds a libFuzzer executable, for the fuzz preset. CORPUS is the directory under fuzz/corpus that it
# starts from; a unit test replays the same files.
function(holdfast_add_fuzz_target)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;CORPUS" "SOURCES;LIBRARIES")
    holdfast_check_arguments(holdfast_add_fuzz_target NAME CORPUS SOURCES LIBRARIES)
    if(NOT IS_DIRECTORY "${PROJECT_SOURCE_DIR}/fuzz/corpus/${arg_CORPUS}")
        message(FATAL_ERROR "holdfast_add_fuzz_target: there is no fuzz/corpus/${arg_CORPUS}.")
    endif()
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES})
    target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
    holdfast_use_warnings(${arg_NAME})
endfunction()
