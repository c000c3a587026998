# The language, the sanitizers of the chosen build and the warnings for our own targets.

# The default of CMake would be neither fast nor easy to debug.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Without a timestamp, a precompiled header has the same bytes each time it is built.
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

if(HOLDFAST_RELOCATABLE_PATHS)
    # The compiler sees absolute paths, or paths relative to the build directory when a cache has
    # shortened them. Both become relative to the repository, in messages and in debug information.
    file(RELATIVE_PATH holdfast_way_up "${CMAKE_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
    add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
    if(holdfast_way_up)
        string(REGEX REPLACE "/$" "" holdfast_way_up "${holdfast_way_up}")
        add_compile_options("-ffile-prefix-map=${holdfast_way_up}/=")
    endif()
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        add_compile_options("-ffile-compilation-dir=.")
    endif()
    unset(holdfast_way_up)
endif()

if(HOLDFAST_SANITIZERS)
    list(JOIN HOLDFAST_SANITIZERS "," holdfast_sanitizers)
    add_compile_options("-fsanitize=${holdfast_sanitizers}" -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options("-fsanitize=${holdfast_sanitizers}")
    unset(holdfast_sanitizers)
endif()

if(HOLDFAST_COVERAGE)
    add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
    add_link_options(-fprofile-instr-generate)
endif()

add_library(holdfast_warnings INTERFACE)
target_compile_options(
    holdfast_warnings
    INTERFACE -Wall
              -Wextra
              -Wpedantic
              -Wshadow
              -Wconversion
              -Wsign-conversion
              -Wold-style-cast
              -Wnon-virtual-dtor
              -Woverloaded-virtual)
if(HOLDFAST_WARNINGS_AS_ERRORS)
    target_compile_options(holdfast_warnings INTERFACE -Werror)
endif()

# holdfast_use_warnings(<target>...)
#
# Compiles our own targets with the project's warnings. Neither targets that link to them nor users
# of an installed library get the flags.
function(holdfast_use_warnings)
    foreach(target IN LISTS ARGN)
        target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:holdfast_warnings>")
    endforeach()
endfunction()
