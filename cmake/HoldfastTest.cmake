# Each test has a kind, and a build contains the kinds in HOLDFAST_TEST_KINDS:
#
#   unit        no threads, no I/O, no waiting; many of them, each in milliseconds
#   threaded    starts threads, and is therefore also run under the thread sanitizer
#   integration real processes and sockets on this machine; waits with deadlines
#   end_to_end  runs the real binary

include(GoogleTest)

if(HOLDFAST_BUILD_TESTS)
    enable_testing()
endif()

# holdfast_add_test(NAME <target> KIND unit|threaded|integration|end_to_end SOURCES <file>...
#                   [LIBRARIES <target>...] [INCLUDES <folder>...] [ENVIRONMENT <name>=<value>]
#                   [TIMEOUT <seconds>] [CUSTOM_MAIN] [SEPARATE])
#
# Adds a GoogleTest executable, and each of its cases to CTest as "<preset>.<suite>.<case>" with the
# kind as its label. Does nothing if this build does not contain the kind, so the caller needs no
# condition. Further commands for the target need one: if(TARGET <target>). INCLUDES names folders of
# the repository whose headers the sources include. With CUSTOM_MAIN one of the sources has main().
# With SEPARATE each source is compiled alone: their helpers share names.
function(holdfast_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "CUSTOM_MAIN;SEPARATE" "NAME;KIND;TIMEOUT;ENVIRONMENT"
                          "SOURCES;LIBRARIES;INCLUDES")
    holdfast_check_arguments(holdfast_add_test NAME KIND SOURCES)
    if(NOT arg_KIND MATCHES "^(unit|threaded|integration|end_to_end)$")
        message(FATAL_ERROR "holdfast_add_test: KIND \"${arg_KIND}\" of ${arg_NAME} is not one of "
                            "unit, threaded, integration, end_to_end.")
    endif()
    foreach(source ${arg_SOURCES})
        get_filename_component(source "${source}" ABSOLUTE)
        holdfast_record_test("source ${arg_NAME} ${source}")
    endforeach()
    holdfast_wants_test_kind(${arg_KIND} wanted)
    if(NOT wanted)
        return()
    endif()
    holdfast_test_timeout(${arg_KIND} timeout)
    if(arg_TIMEOUT)
        set(timeout ${arg_TIMEOUT})
    endif()

    find_package(GTest REQUIRED GLOBAL)
    add_executable(${arg_NAME} ${arg_SOURCES})
    list(TRANSFORM arg_INCLUDES PREPEND "${PROJECT_SOURCE_DIR}/")
    list(TRANSFORM arg_INCLUDES REPLACE "/\\.$" "")
    target_include_directories(${arg_NAME} PRIVATE ${arg_INCLUDES})
    target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} GTest::gtest)
    if(NOT arg_CUSTOM_MAIN)
        target_link_libraries(${arg_NAME} PRIVATE GTest::gtest_main)
    endif()
    holdfast_use_precompiled(${arg_NAME} test)
    if(NOT arg_SEPARATE)
        holdfast_use_unity(${arg_NAME})
    endif()
    holdfast_use_warnings(${arg_NAME})

    holdfast_test_prefix(prefix)
    # A parameter is named by its suite; its printed value may contain addresses.
    gtest_discover_tests(
        ${arg_NAME}
        NO_PRETTY_VALUES
        TEST_PREFIX "${prefix}"
        PROPERTIES LABELS ${arg_KIND} TIMEOUT ${timeout} ENVIRONMENT "${arg_ENVIRONMENT}"
        DISCOVERY_TIMEOUT 60)
endfunction()

# holdfast_add_script_test(NAME <name> KIND <kind> COMMAND <command> [<argument>...]
#                          [ENVIRONMENT <name>=<value>...] [TIMEOUT <seconds>] [RUN_SERIAL] [FULL])
#
# Adds a command to CTest that passes when it exits with 0, named like the other tests. With
# RUN_SERIAL no other test runs at the same time. With FULL only ./dev test --full runs it.
function(holdfast_add_script_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "RUN_SERIAL;FULL" "NAME;KIND;TIMEOUT"
                          "COMMAND;ENVIRONMENT")
    holdfast_check_arguments(holdfast_add_script_test NAME KIND COMMAND)
    holdfast_record_test("script ${arg_NAME}")
    holdfast_wants_test_kind(${arg_KIND} wanted)
    if(NOT wanted)
        return()
    endif()
    holdfast_test_prefix(prefix)
    holdfast_test_timeout(${arg_KIND} timeout)
    if(arg_TIMEOUT)
        set(timeout ${arg_TIMEOUT})
    endif()
    set(labels ${arg_KIND})
    if(arg_FULL)
        list(APPEND labels full)
    endif()
    add_test(NAME "${prefix}${arg_NAME}" COMMAND ${arg_COMMAND})
    set_tests_properties(
        "${prefix}${arg_NAME}"
        PROPERTIES LABELS "${labels}"
                   TIMEOUT ${timeout}
                   RUN_SERIAL ${arg_RUN_SERIAL}
                   ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()

# Records tests of every kind, including those that this build does not contain: documents name them,
# and tests/docs/known_tests looks the names up in <build>/recorded_tests.txt. A line is
# "source <target> <file>" or "script <name>".
function(holdfast_record_test line)
    set_property(GLOBAL APPEND_STRING PROPERTY HOLDFAST_RECORDED_TESTS "${line}\n")
endfunction()

function(holdfast_write_recorded_tests)
    get_property(lines GLOBAL PROPERTY HOLDFAST_RECORDED_TESTS)
    file(WRITE "${PROJECT_BINARY_DIR}/recorded_tests.txt" "${lines}")
endfunction()

if(HOLDFAST_BUILD_TESTS)
    cmake_language(DEFER DIRECTORY "${PROJECT_SOURCE_DIR}" CALL holdfast_write_recorded_tests)
endif()

function(holdfast_wants_test_kind kind result)
    set(wanted FALSE)
    if(HOLDFAST_BUILD_TESTS AND kind IN_LIST HOLDFAST_TEST_KINDS)
        set(wanted TRUE)
    endif()
    set(${result} ${wanted} PARENT_SCOPE)
endfunction()

# Generous, because sanitizers and a busy machine slow a test down tenfold: a timeout is only for a
# test that hangs.
function(holdfast_test_timeout kind result)
    if(kind STREQUAL "unit")
        set(${result} 60 PARENT_SCOPE)
    else()
        set(${result} 120 PARENT_SCOPE)
    endif()
endfunction()

function(holdfast_test_prefix result)
    set(prefix "")
    if(HOLDFAST_PRESET_NAME)
        set(prefix "${HOLDFAST_PRESET_NAME}.")
    endif()
    set(${result} "${prefix}" PARENT_SCOPE)
endfunction()
