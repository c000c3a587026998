# Checks C++ files, named relative to the repository, against the rules that a compiler does not
# know. Prints "file:line: what is wrong" and exits with 1 if there was anything. The first file is
# the table of modules, arrows.txt.

function complain(message) {
    printf "%s:%d: %s\n", FILENAME, FNR, message
    found = 1
}

function has_word(text, word) {
    return text ~ ("(^|[^A-Za-z0-9_])" word "([^A-Za-z0-9_]|$)")
}

# The part of a line that is code: without comments and without the content of strings.
function code_of(line,    before, after) {
    if (in_comment) {
        if (!match(line, /\*\//)) return ""
        line = substr(line, RSTART + 2)
        in_comment = 0
    }
    gsub(/\\\\/, "", line)
    gsub(/\\"/, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    sub(/\/\/.*/, "", line)
    while (match(line, /\/\*/)) {
        before = substr(line, 1, RSTART - 1)
        after = substr(line, RSTART + 2)
        if (!match(after, /\*\//)) {
            in_comment = 1
            return before
        }
        line = before " " substr(after, RSTART + 2)
    }
    return line
}

function read_table(    i, word, name) {
    sub(/#.*/, "")
    if (NF == 0) return
    if ($1 == "tool") {
        separator = ($2 in tool_files) ? ", " : ""
        tool_files[$2] = tool_files[$2] separator $3
        return
    }
    name = $1
    sub(/:$/, "", name)
    known[name] = 1
    for (i = 2; i <= NF; ++i) {
        word = $i
        if (word == "pure") pure[name] = 1
        else if (word == "shell") shell[name] = 1
        else reach[name, word] = 1
    }
}

# Follows the arrows to the end: afterwards reach[a, b] says whether a may include b.
function close_table(    a, b, c) {
    for (a in known) {
        reach[a, a] = 1
        if (a != "resilience") reach[a, "base"] = 1
    }
    for (b in known)
        for (a in known)
            if ((a, b) in reach)
                for (c in known)
                    if ((b, c) in reach) reach[a, c] = 1
}

# Where the file belongs: module and area ("source" for what is shipped, else "test").
function start_file(    part, count) {
    in_comment = 0
    module = ""
    area = "test"
    asio = 0
    count = split(FILENAME, part, "/")
    if (part[1] == "src" && count > 2) {
        module = part[2]
        area = "source"
        if (!(module in known)) {
            complain("module \"" module "\" is not in cmake/lint/arrows.txt.")
            known[module] = 1
        }
    } else if (part[1] == "resilience") {
        module = "resilience"
        if (part[2] == "include" || part[2] == "src") area = "source"
        asio = FILENAME ~ /\/asio\//
    }
    is_header = FILENAME ~ /\.hpp$/
    has_once = 0
    last_file = FILENAME
}

function end_file() {
    if (last_file != "" && last_is_header && !last_has_once) {
        printf "%s:1: the header has no #pragma once.\n", last_file
        found = 1
    }
}

function check_include(line,    quoted, name, part, target, tool) {
    quoted = line ~ /#[ \t]*include[ \t]*"/
    name = line
    sub(/^[^<"]*[<"]/, "", name)
    sub(/[>"].*/, "", name)

    for (tool in tool_files)
        if (index(name, tool) == 1 && index(", " tool_files[tool] ", ", ", " FILENAME ", ") == 0)
            complain("<" name "> may be included in " tool_files[tool] " only.")
    if (area != "source") return

    split(name, part, "/")
    target = ""
    if (index(name, "holdfast/resilience/") == 1) target = "resilience"
    else if (quoted && (part[1] in known)) target = part[1]

    if (target != "" && target != module) {
        if (!((module, target) in reach))
            complain("\"" module "\" may not include \"" target "\"; see cmake/lint/arrows.txt.")
        if (name ~ /\/detail\//)
            complain("\"" name "\" is a detail of \"" target "\" and not for \"" module "\".")
    }

    if (module == "resilience" && target == "") {
        if (asio && name ~ /^boost\/(asio|system)/) return
        if (quoted ? name ~ /^boost\// : name !~ /^[a-z_0-9]+$/)
            complain("\"resilience\" has only itself and the standard library, not <" name ">.")
    }
    if (module == "resilience" && !asio && name ~ /^holdfast\/resilience\/asio\//)
        complain("only the Asio part of \"resilience\" may include <" name ">.")

    if ((module in pure) && !asio) {
        if (name ~ /^boost\/(asio|beast)/ || name ~ /^(netinet|arpa|net)\/.*\.h$/ ||
            name ~ /^(sys\/(socket|un|epoll|select)|netdb|poll)\.h$/ ||
            name ~ /^(thread|spdlog\/.*|syslog\.h)$/)
            complain("\"" module "\" is pure and may not include <" name ">.")
    }
}

function check_code(line, code) {
    if (code ~ /using[ \t]+namespace[ \t]+std[ \t]*;/)
        complain("\"using namespace std\" is not allowed.")
    else if (code ~ /^using[ \t]+namespace/ && code !~ /literals/)
        complain("\"using namespace\" belongs inside a function.")
    if (area != "source") return

    if (has_word(code, "throw") && line !~ /\/\/ start-up/)
        complain("\"throw\" needs a \"// start-up\" note saying why; return a Result instead.")
    if ((module in shell) || asio) return

    if (code ~ /_clock::now/)
        complain("clocks are read in net and app only; take the time as an argument.")
    if (has_word(code, "random_device"))
        complain("random_device is used in net and app only; take a seed.")
    if (has_word(code, "steady_timer"))
        complain("timers are set in net and app only.")
    if (code ~ /std::cout/ || has_word(code, "printf") || has_word(code, "puts"))
        complain("only net and app may print.")
}

FNR == 1 && NR > 1 { end_file() }
NR == FNR { read_table(); next }
FNR == 1 {
    if (!closed) { close_table(); closed = 1 }
    start_file()
    last_has_once = 0
    last_is_header = is_header
}
{
    if (has_word($0, "(TODO|FIXME|XXX)") && $0 !~ /(TODO|FIXME|XXX)\(#[0-9]+\)/)
        complain("a TODO names its issue: TODO(#12).")
}
FILENAME !~ /\.(hpp|cpp)$/ { next }
/^[ \t]*#[ \t]*pragma[ \t]+once/ { last_has_once = 1 }
!in_comment && /^[ \t]*#[ \t]*include[ \t]*[<"]/ { check_include($0); next }
{ check_code($0, code_of($0)) }
END {
    end_file()
    exit found
}
