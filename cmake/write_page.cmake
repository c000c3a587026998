# Writes every file of FOLDER, the page of the dashboard, into the C++ source OUTPUT, each with its
# name, its type and its unchanged bytes. FILES (separated by commas) lists the required files; fails if
# one is missing or has an unknown type.

cmake_minimum_required(VERSION 3.25) # for IN_LIST, which a script needs to enable

string(REPLACE "," ";" FILES "${FILES}")
list(LENGTH FILES count)
set(entries "")
foreach(name IN LISTS FILES)
    if(NOT EXISTS "${FOLDER}/${name}")
        message(FATAL_ERROR "web/${name} is not there; the page is not whole without it.")
    endif()
    if(name MATCHES "\\.html$")
        set(type "text/html; charset=utf-8")
    elseif(name MATCHES "\\.js$")
        set(type "text/javascript; charset=utf-8")
    elseif(name MATCHES "\\.css$")
        set(type "text/css; charset=utf-8")
    elseif(name MATCHES "\\.svg$")
        set(type "image/svg+xml")
    else()
        message(FATAL_ERROR "web/${name}: its type is not known; add it to write_page.cmake.")
    endif()
    if(name MATCHES "\\.(html|js)$")
        file(READ "${FOLDER}/${name}" text)
        string(REGEX MATCHALL "(src=\"|href=\"|from '\\./|import '\\./)[a-z0-9_.]+\\.(js|css|svg)" uses "${text}")
        foreach(use IN LISTS uses)
            string(REGEX REPLACE "^(src=\"|href=\"|from '\\./|import '\\./)" "" used "${use}")
            if(NOT used IN_LIST FILES)
                message(FATAL_ERROR "web/${name} uses web/${used}, which is not there.")
            endif()
        endforeach()
    endif()
    # As numbers, because a string literal must not be as long as a file.
    file(READ "${FOLDER}/${name}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(MAKE_C_IDENTIFIER "${name}" identifier)
    string(APPEND arrays "constexpr char k_${identifier}[] = {${bytes}'\\0'};\n")
    string(APPEND entries "    {.name = \"${name}\",\n     .content_type = \"${type}\",\n"
           "     .bytes = {k_${identifier}, sizeof(k_${identifier}) - 1}},\n")
endforeach()

file(
    WRITE "${OUTPUT}"
    "#include \"admin/page.hpp\"\n\n#include <array>\n\n"
    "namespace holdfast::admin {\nnamespace {\n\n${arrays}\n"
    "constexpr std::array<PageFile, ${count}> kFiles = {{\n${entries}}};\n\n"
    "}  // namespace\n\n"
    "std::span<const PageFile> page_files() {\n    return kFiles;\n}\n\n"
    "}  // namespace holdfast::admin\n")
