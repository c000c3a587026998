# Writes the version and the commit of this build into OUTPUT, from TEMPLATE. The commit is "unknown"
# if SOURCE_DIR is not the top of a git checkout, and ends in "-dirty" if tracked files have changed.

set(HOLDFAST_VERSION "${VERSION}")
set(HOLDFAST_COMMIT "unknown")

find_program(GIT git)
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
    execute_process(
        COMMAND "${GIT}" -C "${SOURCE_DIR}" rev-parse --short=10 HEAD
        OUTPUT_VARIABLE commit
        OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_QUIET
        RESULT_VARIABLE status)
    if(status EQUAL 0)
        set(HOLDFAST_COMMIT "${commit}")
        execute_process(
            COMMAND "${GIT}" -C "${SOURCE_DIR}" status --porcelain --untracked-files=no
            OUTPUT_VARIABLE changes
            ERROR_QUIET)
        if(changes)
            string(APPEND HOLDFAST_COMMIT "-dirty")
        endif()
    endif()
endif()

configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
