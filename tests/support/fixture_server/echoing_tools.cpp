#include <boost/json/serialize.hpp>

#include "support/fixture_server/server.hpp"
#include "support/fixture_server/session.hpp"
#include "support/fixture_server/tool.hpp"

namespace holdfast::fixture {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxBigBytes = std::size_t{256} * 1024 * 1024;

Outcome echo(Call& call) {
    const json::value* text = call.arguments().if_contains("text");
    if (text == nullptr || !text->is_string()) {
        return failed_result("Argument \"text\" must be a string.");
    }
    return text_result(text->get_string());
}

Outcome echo_arguments(Call& call) {
    return text_result(call.arguments_text());
}

Outcome raw_result(Call&) {
    // Numbers that no parser writes back unchanged, keys that only look different, unnecessary
    // escapes, and unknown members.
    return Answer{.result = R"({"content":[{"type":"text","text":"a\/b \u00e9 é"}],)"
                            R"("structuredContent":{"numbers":[1.0e+2,1E400,-0,0.1000,)"
                            R"(12345678901234567890123],"a":1,"\u0061":2,"path":"c:\/d"},)"
                            R"( "x-unknown" : { "keep" : [ ] } ,"isError":false})"};
}

Outcome big(Call& call) {
    const std::size_t size_bytes = number_in(call.arguments(), "bytes", 1024);
    if (size_bytes > kMaxBigBytes) {
        return failed_result("That is too much.");
    }
    constexpr std::string_view kPattern = "SG9sZGZhc3QhIEhvbGRmYXN0ISBIb2xkZmFzdCEg";
    std::string text;
    text.reserve(size_bytes + kPattern.size());
    while (text.size() < size_bytes) {
        text += kPattern;
    }
    text.resize(size_bytes);
    return text_result(text);
}

Outcome counter(Call& call) {
    return text_result(std::to_string(++call.session().counter));
}

Outcome who_am_i(Call& call) {
    return text_result(json::serialize(json::object{
        {"era", call.is_modern() ? "modern" : "legacy"},
        {"protocolVersion", call.protocol_version()},
        {"clientInfo", call.client_identity()},
        {"capabilities", call.client_capabilities()},
        {"logLevel", call.is_modern() ? "" : call.session().log_level},
        {"_meta", call.meta()},
        {"server", call.server().name()},
    }));
}

Outcome shown_credential(Call& call) {
    return text_result(call.session().authorization);
}

Outcome bench_echo(Call&) {
    return Answer{.result = std::string{FixtureServer::kBenchResult}};
}

}  // namespace

std::vector<Tool> echoing_tools() {
    return {
        make_tool("echo", {"Returns the text.", R"("text":{"type":"string"})", R"("text")"}, echo),
        make_tool("echo_arguments", {"Returns the bytes of its arguments."}, echo_arguments),
        make_tool("raw_result", {"Returns JSON that is written in odd ways."}, raw_result),
        make_tool("big", {"Returns the given amount of text.", R"("bytes":{"type":"integer"})"},
                  big),
        make_tool("counter", {"Counts the calls of a session."}, counter),
        make_tool("whoami", {"Returns what the server knows of the client."}, who_am_i),
        make_tool("shown_credential", {"Returns the credential that the request was sent with."},
                  shown_credential),
        make_tool("bench_echo", {"Answers as fast as possible."}, bench_echo),
    };
}

}  // namespace holdfast::fixture
