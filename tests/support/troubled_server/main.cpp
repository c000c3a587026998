// An MCP server that handles each call as a test has scripted it, usually by misbehaving.
//
//   troubled_server FOLDER --stdio | --http

#include <unistd.h>

#include <string_view>

#include "support/troubled_server/serving.hpp"

namespace {

constexpr unsigned kLifetimeSeconds = 300;  // then it ends, in case a test forgets it

}  // namespace

int main(int argument_count, char** arguments) {
    if (argument_count != 3) {
        return 2;
    }
    ::alarm(kLifetimeSeconds);
    static holdfast::troubled::Script script{arguments[1]};
    script.note_start();
    if (script.refuses_to_start()) {
        return 4;
    }
    if (std::string_view{arguments[2]} == "--http") {
        holdfast::troubled::serve_http(script);
    }
    holdfast::troubled::serve_streams(script);
    return 0;
}
