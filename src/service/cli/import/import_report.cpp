#include "cli/import/import_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/json_writer.hpp"

namespace holdfast::cli {
namespace {

using jsonrpc::JsonWriter;

constexpr std::size_t kMaxLineBytes = 300;
constexpr std::array<Client, 4> kAllClients = {Client::claude_desktop, Client::claude_code,
                                               Client::cursor, Client::vscode};

/// The clients whose configs were read; all if nothing was read.
std::vector<Client> clients_of(const ImportPlan& plan) {
    std::vector<Client> clients;
    for (const Client client : kAllClients) {
        const bool is_read = std::ranges::any_of(
            plan.files, [client](const ImportedFile& file) { return file.file.client == client; });
        if (is_read || plan.files.empty()) {
            clients.push_back(client);
        }
    }
    return clients;
}

std::string fate_text(const ImportedServer& server) {
    switch (server.fate) {
        case ImportFate::taken:
            return server.as == server.name
                       ? "added"
                       : "added as " + server.as + ": another server has its name";
        case ImportFate::known:
            return server.as == server.name ? "already there" : "already there as " + server.as;
        case ImportFate::skipped:
            break;
    }
    return "skipped";
}

std::string_view fate_name(ImportFate fate) {
    switch (fate) {
        case ImportFate::taken:
            return "taken";
        case ImportFate::known:
            return "known";
        case ImportFate::skipped:
            break;
    }
    return "skipped";
}

std::string server_line(const ImportedServer& server) {
    std::string words = fate_text(server);
    std::string_view separator = server.fate == ImportFate::skipped ? ": " : "; ";
    for (const std::string& note : server.notes) {
        words += std::string{separator} + note;
        separator = "; ";
    }
    return base::shown_line(words, kMaxLineBytes);
}

std::string files_text(const ImportPlan& plan) {
    std::string text;
    for (const ImportedFile& file : plan.files) {
        text += std::string{title_of(file.file.client)} + ", " + file.file.path + "\n";
        if (!file.fault.empty()) {
            text += "  cannot be read: " + base::shown_line(file.fault, kMaxLineBytes) + "\n";
        }
        TextTable table;
        for (const ImportedServer& server : file.servers) {
            table.add({"  " + base::shown_line(server.name, kMaxLineBytes), server_line(server)});
        }
        text += table.text();
    }
    return text;
}

std::string advice_text(const ImportReport& report) {
    std::string text = "\nHow to connect these clients to Holdfast; their files are not changed:\n";
    for (const Client client : clients_of(report.plan)) {
        const ClientAdvice advice = advice_for(client, report.address);
        text += "\n" + std::string{title_of(client)} + ", in " + advice.where + ":\n  " +
                advice.stdio + "\n";
        if (!advice.http.empty()) {
            text += "or, while \"holdfast serve\" is running:\n  " + advice.http + "\n";
        }
    }
    return text;
}

void write(JsonWriter& writer, const ImportedServer& server) {
    writer.begin_object();
    writer.key("name").text(server.name);
    writer.key("as").text_or_null(server.as);
    writer.key("fate").text(fate_name(server.fate));
    writer.key("notes").texts(server.notes);
    writer.end_object();
}

void write(JsonWriter& writer, const ImportedFile& file) {
    writer.begin_object();
    writer.key("client").text(name_of(file.file.client));
    writer.key("path").text(file.file.path);
    writer.key("fault").text_or_null(file.fault);
    writer.key("servers").begin_array();
    for (const ImportedServer& server : file.servers) {
        write(writer, server);
    }
    writer.end_array().end_object();
}

}  // namespace

std::string report_text(const ImportReport& report) {
    const std::size_t count = report.plan.added.size();
    std::string text = files_text(report.plan) + "\n";
    if (count == 0) {
        text += "nothing to add to " + report.address.config_file + "\n";
    } else {
        text += (report.is_written ? "added " : "would add ") + std::to_string(count) +
                (count == 1 ? " server to " : " servers to ") + report.address.config_file + "\n";
    }
    return text + advice_text(report);
}

std::string report_json(const ImportReport& report) {
    JsonWriter writer;
    writer.begin_object();
    writer.key("config").text(report.address.config_file);
    writer.key("added").number(report.plan.added.size());
    writer.key("written").boolean(report.is_written);
    writer.key("files").begin_array();
    for (const ImportedFile& file : report.plan.files) {
        write(writer, file);
    }
    writer.end_array().key("clients").begin_object();
    for (const Client client : clients_of(report.plan)) {
        const ClientAdvice advice = advice_for(client, report.address);
        writer.key(name_of(client)).begin_object();
        writer.key("where").text(advice.where);
        writer.key("stdio").text(advice.stdio);
        writer.key("http").text_or_null(advice.http);
        writer.end_object();
    }
    writer.end_object().end_object();
    return writer.take() + '\n';
}

}  // namespace holdfast::cli
