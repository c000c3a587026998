# The options of a build. The presets set them for everyday work; the defaults are for a user who
# builds the library alone, or as a part of another project.

option(HOLDFAST_BUILD_GATEWAY
       "Build the gateway; OFF builds only the library under resilience/" ON)

option(HOLDFAST_BUILD_ASIO "Build holdfast::resilience_asio (needs Boost 1.81)"
       ${HOLDFAST_BUILD_GATEWAY})

if(PROJECT_IS_TOP_LEVEL AND HOLDFAST_BUILD_GATEWAY)
    set(holdfast_tests_default ON)
else()
    set(holdfast_tests_default OFF)
endif()
option(HOLDFAST_BUILD_TESTS "Build the tests (needs GoogleTest)" ${holdfast_tests_default})
unset(holdfast_tests_default)

option(HOLDFAST_BUILD_BENCHMARKS "Build the benchmarks (needs Google Benchmark)" OFF)
option(HOLDFAST_WARNINGS_AS_ERRORS "Stop at a warning; for our own compiler, not for others'" OFF)
option(HOLDFAST_COVERAGE "Instrument for source-based coverage (clang)" OFF)
option(HOLDFAST_LINK_TIME_OPTIMISATION
       "Optimise the gateway as a whole when it is linked (clang, lld)" OFF)
option(HOLDFAST_RECORD_PROFILE
       "Count which ways the programs take, for HOLDFAST_PROFILE (clang)" OFF)
set(HOLDFAST_PROFILE "" CACHE FILEPATH "Optimise for the ways that were counted in this file (clang)")
set(HOLDFAST_UNITY_BATCH 0
    CACHE STRING "Compile this many sources of a target at a time; 0 = each alone")
option(HOLDFAST_RELOCATABLE_PATHS
       "Record paths relative to the repository, so that checkouts share cached objects" OFF)

set(HOLDFAST_TEST_KINDS "unit;threaded;integration"
    CACHE STRING "Kinds of tests to build: any of unit, threaded, integration, end_to_end")
set(HOLDFAST_SANITIZERS ""
    CACHE STRING "Sanitizers for every target, such as address;undefined")
set(HOLDFAST_PRESET_NAME ""
    CACHE STRING "Stands before the name of every test, to tell the builds apart")

foreach(kind IN LISTS HOLDFAST_TEST_KINDS)
    if(NOT kind MATCHES "^(unit|threaded|integration|end_to_end)$")
        message(FATAL_ERROR "HOLDFAST_TEST_KINDS: \"${kind}\" is not one of unit, threaded, "
                            "integration, end_to_end.")
    endif()
endforeach()
