#include "support/fixture_server/samples.hpp"
#include "support/fixture_server/tool.hpp"

namespace holdfast::fixture {
namespace {

std::string image_block() {
    return R"({"type":"image","data":")" + std::string{kPngBase64} + R"(","mimeType":"image/png"})";
}

Outcome simple_text(Call&) {
    return text_result("This is a simple text response for testing.");
}

Outcome image(Call&) {
    return content_result(image_block());
}

Outcome audio(Call&) {
    return content_result(R"({"type":"audio","data":")" + std::string{kWavBase64} +
                          R"(","mimeType":"audio/wav"})");
}

Outcome embedded_resource(Call&) {
    return content_result(
        R"({"type":"resource","resource":{"uri":"test://embedded-resource",)"
        R"("mimeType":"text/plain","text":"This is an embedded resource content."}})");
}

Outcome multiple_content_types(Call&) {
    return content_result(
        R"({"type":"text","text":"Multiple content types test:"},)" + image_block() +
        R"(,{"type":"resource","resource":{"uri":"test://mixed-content-resource",)"
        R"("mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}})");
}

Outcome error_handling(Call&) {
    return failed_result("This tool intentionally returns an error for testing");
}

Outcome structured(Call&) {
    return Answer{
        .result = R"({"content":[{"type":"text","text":"{\"celsius\":21.5,\"sky\":\"clear\"}"}],)"
                  R"("structuredContent":{"celsius":21.5,"sky":"clear"}})"};
}

Outcome take_any(Call& call) {
    return text_result("Received: " + call.arguments_text());
}

constexpr std::string_view kStructured =
    R"({"name":"structured","title":"Structured","description":"Returns structured content.",)"
    R"("inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{)"
    R"("celsius":{"type":"number"},"sky":{"type":"string"}},"required":["celsius","sky"]},)"
    R"("annotations":{"readOnlyHint":true,"idempotentHint":true}})";

constexpr std::string_view kJsonSchema2020 =
    R"({"name":"json_schema_2020_12_tool","description":"Tool with JSON Schema 2020-12 features",)"
    R"("inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",)"
    R"("$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{)"
    R"("street":{"type":"string"},"city":{"type":"string"}}}},"properties":{)"
    R"("name":{"type":"string"},"address":{"$ref":"#/$defs/address"},)"
    R"("contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},)"
    R"("email":{"type":"string"}},)"
    R"("allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],)"
    R"("if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},)"
    R"("then":{"required":["phone"]},"else":{"required":["email"]},)"
    R"("additionalProperties":false}})";

}  // namespace

std::vector<Tool> content_tools() {
    return {
        make_tool("test_simple_text", {"Returns one text block."}, simple_text),
        make_tool("test_image_content", {"Returns an image."}, image),
        make_tool("test_audio_content", {"Returns a sound."}, audio),
        make_tool("test_embedded_resource", {"Returns an embedded resource."}, embedded_resource),
        make_tool("test_multiple_content_types", {"Returns a text, an image and a resource."},
                  multiple_content_types),
        make_tool("test_error_handling", {"Runs and fails."}, error_handling),
        make_defined_tool("structured", kStructured, structured),
        make_defined_tool("json_schema_2020_12_tool", kJsonSchema2020, take_any),
        make_tool("test_x_mcp_header",
                  {"Repeats an argument in a header.",
                   R"("region":{"type":"string","x-mcp-header":"Region"},)"
                   R"("level":{"type":"integer","x-mcp-header":"Level"})"},
                  take_any),
    };
}

}  // namespace holdfast::fixture
