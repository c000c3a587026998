#include "config/package_runner.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::config {
namespace {

struct Case {
    std::vector<std::string> command;
    std::string program;  // empty = it runs no package
    std::string package = {};
};

TEST(PackageRunnerTest, FindsTheProgramAndItsPackage) {
    const std::vector<Case> cases{
        {{"npx", "-y", "@scope/server@1.2", "/data"}, "npx", "@scope/server@1.2"},
        {{"/usr/local/bin/npx", "server"}, "npx", "server"},
        {{"npx", "--yes", "-p", "@scope/tools", "tool"}, "npx", "@scope/tools"},
        {{"npx", "--package=@scope/tools", "tool"}, "npx", "@scope/tools"},
        {{"npx", "--cache", "/tmp/c", "server"}, "npx", "server"},
        {{"npx"}, "npx", ""},
        {{"npx", "-p"}, "npx", ""},
        {{"npm", "exec", "--yes", "--", "server", "--port", "1"}, "npm", "server"},
        {{"npm", "x", "server"}, "npm", "server"},
        {{"npm", "run", "start"}, ""},
        {{"bunx", "server"}, "bunx", "server"},
        {{"bun", "x", "server"}, "bun", "server"},
        {{"bun", "run", "index.ts"}, ""},
        {{"pnpm", "dlx", "server@2"}, "pnpm", "server@2"},
        {{"pnpm", "start"}, ""},
        {{"yarn", "dlx", "-q", "server"}, "yarn", "server"},
        {{"uvx", "mcp-server-git", "--repository", "/r"}, "uvx", "mcp-server-git"},
        {{"uvx", "--python", "3.12", "--with", "mcp<2", "server"}, "uvx", "server"},
        {{"uvx", "--from", "git+https://example.org/x", "x"}, "uvx", "git+https://example.org/x"},
        {{"uv", "tool", "run", "server"}, "uv", "server"},
        {{"uv", "run", "--directory", "/srv", "server.py"}, "uv", "server.py"},
        {{"uv", "sync"}, ""},
        {{"pipx", "run", "--spec", "pkg==1", "server"}, "pipx", "pkg==1"},
        {{"docker", "run", "-i", "--rm", "-e", "TOKEN", "mcp/github", "stdio"},
         "docker",
         "mcp/github"},
        {{"docker", "run", "--rm", "-i", "--mount", "type=bind,src=/a,dst=/b", "mcp/files:1"},
         "docker",
         "mcp/files:1"},
        {{"docker", "run", "-i", "--network=host", "mcp/time"}, "docker", "mcp/time"},
        {{"docker", "container", "run", "-it", "mcp/time"}, "docker", "mcp/time"},
        {{"docker", "exec", "-i", "box", "server"}, ""},
        {{"podman", "run", "--rm", "-i", "mcp/time"}, "podman", "mcp/time"},
        {{"node", "npx"}, ""},
        {{"python3", "-m", "server"}, ""},
        {{""}, ""},
    };
    for (const Case& one : cases) {
        StdioTarget target{.command = one.command.front()};
        target.args.assign(one.command.begin() + 1, one.command.end());
        const auto found = package_runner_of(target);
        std::string shown;
        for (const std::string& word : one.command) {
            shown += word + " ";
        }

        EXPECT_EQ(found.value_or(PackageRunner{}),
                  (PackageRunner{.program = one.program, .package = one.package}))
            << shown;
    }
}

}  // namespace
}  // namespace holdfast::config
