# holdfast_add_module(NAME <module> SOURCES <file>... [PUBLIC_LINKS <target>...]
#                     [PRIVATE_LINKS <target>...] [ASIO])
#
# Adds the static library holdfast_<module>, also known as holdfast::<module>, for
# src/<room>/<module>. SOURCES lists the .cpp and the .hpp files. Headers are included as
# "<module>/<file>.hpp", because each room is an include root; lint checks that each of them compiles
# alone. ASIO is for modules whose sources mostly include Asio.
function(holdfast_add_module)
    cmake_parse_arguments(PARSE_ARGV 0 arg "ASIO" "NAME" "SOURCES;PUBLIC_LINKS;PRIVATE_LINKS")
    holdfast_check_arguments(holdfast_add_module NAME SOURCES)

    set(target "holdfast_${arg_NAME}")
    set(headers ${arg_SOURCES})
    set(sources ${arg_SOURCES})
    list(FILTER headers INCLUDE REGEX "\\.hpp$")
    list(FILTER sources EXCLUDE REGEX "\\.hpp$")

    get_filename_component(room "${CMAKE_CURRENT_SOURCE_DIR}" DIRECTORY)
    add_library(${target} STATIC ${sources})
    add_library(holdfast::${arg_NAME} ALIAS ${target})
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${room}"
                                    FILES ${headers})
    target_link_libraries(
        ${target}
        PUBLIC ${arg_PUBLIC_LINKS}
        PRIVATE ${arg_PRIVATE_LINKS})
    holdfast_use_warnings(${target})
    holdfast_optimise(${target})
    if(arg_ASIO)
        holdfast_use_precompiled(${target} asio)
    else()
        holdfast_use_precompiled(${target} std)
    endif()
    holdfast_use_unity(${target})
endfunction()

# holdfast_use_unity(<target>)
#
# Compiles the sources of the target in batches: headers take most of the time of a compilation, and
# a batch reads them once. Names in anonymous namespaces must differ within a target.
function(holdfast_use_unity target)
    if(HOLDFAST_UNITY_BATCH GREATER 0)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE
                                                                 ${HOLDFAST_UNITY_BATCH})
    endif()
endfunction()

# For the functions of this project: fails on unknown and missing arguments.
# Expects the result of cmake_parse_arguments with the prefix "arg" in the caller.
macro(holdfast_check_arguments function_name)
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "${function_name}: unknown arguments: ${arg_UNPARSED_ARGUMENTS}.")
    endif()
    foreach(required ${ARGN})
        if(NOT arg_${required})
            message(FATAL_ERROR "${function_name}: ${required} is missing.")
        endif()
    endforeach()
endmacro()
