# Writes the text of the file INPUT into the C++ source OUTPUT, as the return value of the function
# holdfast::cli::NAME, which HEADER declares.

file(READ "${INPUT}" text)
file(
    WRITE "${OUTPUT}"
    "#include \"${HEADER}\"\n\n"
    "namespace holdfast::cli {\n\n"
    "std::string_view ${NAME}() noexcept {\n    return R\"file(${text})file\";\n}\n\n"
    "}  // namespace holdfast::cli\n")
