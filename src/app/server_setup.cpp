#include "app/server_setup.hpp"

#include <string_view>
#include <variant>
#include <vector>

#include "rest/node_json.hpp"

namespace holdfast::app {
namespace {

/// Each part has its length before it, so that no two setups can be mistaken for each other.
class Parts final {
public:
    Parts& add(std::string_view text) {
        text_.append(std::to_string(text.size())).append(":").append(text);
        return *this;
    }
    template <class Number>
        requires std::is_arithmetic_v<Number>
    Parts& add(Number number) {
        return add(std::string_view{std::to_string(number)});
    }
    Parts& add(resilience::Duration duration) { return add(duration.count()); }
    Parts& add(const std::vector<std::string>& texts) {
        add(texts.size());
        for (const std::string& text : texts) {
            add(std::string_view{text});
        }
        return *this;
    }
    Parts& add(const std::vector<config::NamedText>& texts) {
        add(texts.size());
        for (const config::NamedText& text : texts) {
            add(std::string_view{text.name}).add(std::string_view{text.value});
        }
        return *this;
    }

    [[nodiscard]] std::string text() && { return std::move(text_); }

private:
    std::string text_;
};

struct TargetWriter {
    Parts& parts;

    void operator()(const config::StdioTarget& target) const {
        parts.add(std::string_view{target.command}).add(target.args).add(target.env);
        parts.add(std::string_view{target.cwd});
    }
    void operator()(const config::HttpTarget& target) const {
        parts.add(std::string_view{target.url}).add(target.headers);
        parts.add(static_cast<int>(target.hint));
    }
    void operator()(const config::WebSocketTarget& target) const {
        parts.add(std::string_view{target.url}).add(target.headers);
    }
    void operator()(const config::WebSocketListenTarget& target) const {
        parts.add(std::string_view{target.path}).add(std::string_view{target.token});
        parts.add(target.origins);
    }
    void operator()(const config::RestTarget& target) const {
        parts.add(std::string_view{rest::json_of(target.entry)});
    }
};

void add_credentials(Parts& parts, const Credentials& credentials) {
    parts.add(credentials.variables).add(credentials.agent_headers);
    parts.add(credentials.headers.size());
    for (const downstream::Credential& credential : credentials.headers) {
        parts.add(std::string_view{credential.header}).add(std::string_view{credential.prefix});
        parts.add(credential.is_required ? 1 : 0).add(std::string_view{credential.missing});
        parts.add(credential.sources.size());
        for (const downstream::CredentialSource& source : credential.sources) {
            parts.add(std::string_view{source.agent_header}).add(std::string_view{source.value});
        }
    }
}

/// The tools may come from a document beside the config.
void add_tools(Parts& parts, const rest::RestApi& api) {
    parts.add(api.tools.size());
    for (const rest::RestTool& tool : api.tools) {
        parts.add(std::string_view{tool.name}).add(std::string_view{tool.title});
        parts.add(std::string_view{tool.description}).add(std::string_view{tool.method});
        parts.add(std::string_view{tool.input_schema});
    }
}

}  // namespace

std::string setup_text(const config::ServerConfig& server, const ServerPlan& plan,
                       const config::ReconnectOptions& reconnect, const config::Limits& limits,
                       policy::JunkRule junk) {
    Parts parts;
    parts.add(server.target.index());
    std::visit(TargetWriter{parts}, server.target);
    parts.add(server.session ? static_cast<int>(*server.session) : -1);
    parts.add(std::string_view{server.preset.name}).add(std::string_view{plan.fault});
    add_credentials(parts, plan.credentials);
    if (plan.rest) {
        add_tools(parts, *plan.rest);
    }
    parts.add(reconnect.delay).add(reconnect.multiplier).add(reconnect.max_delay);
    parts.add(reconnect.jitter).add(reconnect.attempts);
    parts.add(limits.downstream_message_bytes).add(limits.stderr_bytes);
    parts.add(static_cast<int>(junk));
    return std::move(parts).text();
}

}  // namespace holdfast::app
