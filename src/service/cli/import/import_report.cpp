#include "cli/import/import_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "cli/output/text_table.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::cli {
namespace {

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
        case ImportFate::left_out:
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
        case ImportFate::left_out:
            break;
    }
    return "left out";
}

std::string server_line(const ImportedServer& server) {
    std::string words = fate_text(server);
    std::string_view separator = server.fate == ImportFate::left_out ? ": " : "; ";
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

std::string json_of(const ImportedServer& server) {
    std::string notes;
    for (const std::string& note : server.notes) {
        notes += (notes.empty() ? "" : ",") + jsonrpc::quoted_text(note);
    }
    return R"({"name":)" + jsonrpc::quoted_text(server.name) + R"(,"as":)" +
           (server.as.empty() ? "null" : jsonrpc::quoted_text(server.as)) + R"(,"fate":)" +
           jsonrpc::quoted_text(fate_name(server.fate)) + R"(,"notes":[)" + notes + "]}";
}

std::string json_of(const ImportedFile& file) {
    std::string servers;
    for (const ImportedServer& server : file.servers) {
        servers += (servers.empty() ? "" : ",") + json_of(server);
    }
    return R"({"client":)" + jsonrpc::quoted_text(name_of(file.file.client)) + R"(,"path":)" +
           jsonrpc::quoted_text(file.file.path) + R"(,"fault":)" +
           (file.fault.empty() ? "null" : jsonrpc::quoted_text(file.fault)) + R"(,"servers":[)" +
           servers + "]}";
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
    std::string files;
    for (const ImportedFile& file : report.plan.files) {
        files += (files.empty() ? "" : ",") + json_of(file);
    }
    std::string clients;
    for (const Client client : clients_of(report.plan)) {
        const ClientAdvice advice = advice_for(client, report.address);
        clients += (clients.empty() ? "" : ",") + jsonrpc::quoted_text(name_of(client)) +
                   R"(:{"where":)" + jsonrpc::quoted_text(advice.where) + R"(,"stdio":)" +
                   jsonrpc::quoted_text(advice.stdio) + R"(,"http":)" +
                   (advice.http.empty() ? "null" : jsonrpc::quoted_text(advice.http)) + "}";
    }
    return R"({"config":)" + jsonrpc::quoted_text(report.address.config_file) + R"(,"added":)" +
           std::to_string(report.plan.added.size()) + R"(,"written":)" +
           (report.is_written ? "true" : "false") + R"(,"files":[)" + files + R"(],"clients":{)" +
           clients + "}}\n";
}

}  // namespace holdfast::cli
