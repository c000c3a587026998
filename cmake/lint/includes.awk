# Reads C++ files named relative to the repository and prints, for each .cpp file, one line with the
# file and all files of the repository that it includes directly or through others.

function resolve(from, name,    i, directory, candidate) {
    directory = from
    sub(/[^\/]*$/, "", directory)
    candidate = directory name
    if (candidate in exists) return candidate
    for (i = 1; i <= root_count; ++i) {
        candidate = root[i] name
        if (candidate in exists) return candidate
    }
    return ""
}

function visit(file,    i, target) {
    if (file in seen) return
    seen[file] = 1
    line = line " " file
    for (i = 1; i <= include_count[file]; ++i) {
        target = resolve(file, includes[file, i])
        if (target != "") visit(target)
    }
}

BEGIN {
    root_count = split("src/core/ src/io/ src/gateway/ src/service/ resilience/include/ resilience/src/ resilience/ tests/ ", root, " ")
    for (i = 1; i < ARGC; ++i) exists[ARGV[i]] = 1
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
    name = $0
    sub(/^[^<"]*[<"]/, "", name)
    sub(/[>"].*/, "", name)
    includes[FILENAME, ++include_count[FILENAME]] = name
}
END {
    for (i = 1; i < ARGC; ++i) {
        if (ARGV[i] !~ /\.cpp$/) continue
        split("", seen)
        line = ""
        visit(ARGV[i])
        print substr(line, 2)
    }
}
