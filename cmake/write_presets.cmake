# Writes the presets NAMES (separated by commas) of FOLDER into the C++ source OUTPUT, each with its
# name, its description and its unchanged text. Fails if one is not JSON.

string(REPLACE "," ";" NAMES "${NAMES}")
list(LENGTH NAMES count)
set(entries "")
foreach(name IN LISTS NAMES)
    file(READ "${FOLDER}/${name}.json" text)
    string(JSON description ERROR_VARIABLE fault GET "${text}" description)
    if(fault)
        message(FATAL_ERROR "presets/${name}.json: ${fault}")
    endif()
    string(APPEND entries "    {.name = \"${name}\",\n"
           "     .description = R\"preset(${description})preset\",\n"
           "     .text = R\"preset(${text})preset\"},\n")
endforeach()

file(
    WRITE "${OUTPUT}"
    "#include \"policy/presets.hpp\"\n\n#include <array>\n\n"
    "namespace holdfast::policy {\nnamespace {\n\n"
    "constexpr std::array<Preset, ${count}> kPresets = {{\n${entries}}};\n\n"
    "}  // namespace\n\n"
    "std::span<const Preset> presets() {\n    return kPresets;\n}\n\n"
    "}  // namespace holdfast::policy\n")
