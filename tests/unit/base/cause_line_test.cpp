#include "base/cause_line.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::base {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream stream{std::string{text}};
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

struct Case {
    std::string_view name;
    std::string_view errors;  // what the program wrote
    std::string_view cause;
};

constexpr Case kNode[] = {
    {"a missing module", R"(node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/srv/index.js'
    at Function._resolveFilename (node:internal/modules/cjs/loader:1225:15)
    at Function._load (node:internal/modules/cjs/loader:1055:27)
    at node:internal/main/run_main_module:36:49 {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v22.20.0
)",
     "Error: Cannot find module '/srv/index.js'"},
    {"a missing package of a module", R"(node:internal/modules/package_json_reader:255
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'hono' imported from /srv/dist/index.js
    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:255:9)
    at packageResolve (node:internal/modules/esm/resolve:767:81) {
  code: 'ERR_MODULE_NOT_FOUND'
}

Node.js v22.20.0
)",
     "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'hono' imported from /srv/dist/index.js"},
    {"a syntax error", R"(file:///srv/server.mjs:3
const x = ;
          ^

SyntaxError: Unexpected token ';'
    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)

Node.js v22.20.0
)",
     "SyntaxError: Unexpected token ';'"},
    {"a missing variable", R"(/srv/dist/index.js:12
    throw new Error("STRIPE_SECRET_KEY environment variable is required");
    ^

Error: STRIPE_SECRET_KEY environment variable is required
    at Object.<anonymous> (/srv/dist/index.js:12:11)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v20.19.2
)",
     "Error: STRIPE_SECRET_KEY environment variable is required"},
    {"a port that is in use", R"(node:events:497
      throw er; // Unhandled 'error' event
      ^

Error: listen EADDRINUSE: address already in use :::3000
    at Server.setupListenHandle [as _listen2] (node:net:1940:16)
Emitted 'error' event on Server instance at:
    at emitErrorNT (node:net:1919:8) {
  code: 'EADDRINUSE',
  errno: -98,
  syscall: 'listen',
  address: '::',
  port: 3000
}

Node.js v22.20.0
)",
     "Error: listen EADDRINUSE: address already in use :::3000"},
    {"an inner cause", R"(TypeError: fetch failed
    at node:internal/deps/undici/undici:13510:13
    at async main (file:///srv/index.js:4:15) {
  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432
      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1636:16) {
    errno: -111,
    code: 'ECONNREFUSED',
    syscall: 'connect'
  }
}
)",
     "[cause]: Error: connect ECONNREFUSED 127.0.0.1:5432"},
    {"a message of the server's own", R"((node:4711) ExperimentalWarning: SQLite is experimental
(Use `node --trace-warnings ...` to show where the warning was created)
Please set GITHUB_PERSONAL_ACCESS_TOKEN, which is not set
)",
     "Please set GITHUB_PERSONAL_ACCESS_TOKEN, which is not set"},
    {"a rejected promise",
     R"([UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block. The promise rejected with the reason "no token".] {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v22.20.0
)",
     R"([UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block. The promise rejected with the reason "no token".] {)"},
    {"out of memory", R"(
<--- Last few GCs --->

[11:0x5] 4000 ms: Mark-Compact 500.2 (512.3) -> 499.8 (512.8) MB, 300 / 0 ms

FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xe13fde node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
)",
     "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"},
    {"Deno",
     R"(error: Uncaught (in promise) NotFound: No such file or directory (os error 2): readfile 'x.json'
const text = await Deno.readTextFile("x.json");
                        ^
    at async Object.readTextFile (ext:deno_fs/30_fs.js:799:24)
    at async file:///srv/main.ts:1:14
)",
     "error: Uncaught (in promise) NotFound: No such file or directory (os error 2): readfile "
     "'x.json'"},
    {"Bun", R"(1 | import { Server } from "missing-package";
                          ^
error: Cannot find package 'missing-package' from '/srv/index.ts'

Bun v1.2.4 (Linux x64)
)",
     "error: Cannot find package 'missing-package' from '/srv/index.ts'"},
};

constexpr Case kNpm[] = {
    {"an unknown package", R"(npm error code E404
npm error 404 Not Found - GET https://packages.example/@nope%2fserver - Not found
npm error 404
npm error 404  '@nope/server@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-11-19T03_00_00_000Z-debug-0.log
)",
     "npm error 404 Not Found - GET https://packages.example/@nope%2fserver - Not found"},
    {"an unknown version", R"(npm error code ETARGET
npm error notarget No matching version found for left-pad@99.0.0.
npm error notarget In most cases you or one of your dependencies are requesting
npm error notarget a package version that doesn't exist.
)",
     "npm error notarget No matching version found for left-pad@99.0.0."},
    {"a race in the cache", R"(npm warn deprecated whatwg-encoding@3.1.1: Use @exodus/bytes instead
npm error code ENOTEMPTY
npm error syscall rename
npm error path /home/me/.npm/_npx/53c4795544aaa350/node_modules/zod
npm error dest /home/me/.npm/_npx/53c4795544aaa350/node_modules/.zod-1w5Z
npm error errno -39
npm error ENOTEMPTY: directory not empty, rename '/home/me/.npm/_npx/53c4795544aaa350/node_modules/zod'
)",
     "npm error ENOTEMPTY: directory not empty, rename "
     "'/home/me/.npm/_npx/53c4795544aaa350/node_modules/zod'"},
    {"a package without a program",
     "npm error could not determine executable to run\n"
     "npm error A complete log of this run can be found in: /x\n",
     "npm error could not determine executable to run"},
    {"no network", R"(npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error errno ENOTFOUND
npm error network request to https://packages.example/x failed, reason: getaddrinfo ENOTFOUND packages.example
npm error network This is a problem related to network connectivity.
)",
     "npm error network request to https://packages.example/x failed, reason: getaddrinfo "
     "ENOTFOUND packages.example"},
    {"an older npm",
     "npm ERR! code EACCES\nnpm ERR! syscall mkdir\nnpm ERR! path /home/me/.npm\n"
     "npm ERR! errno -13\n"
     "npm ERR! Your cache folder contains root-owned files\n",
     "npm ERR! Your cache folder contains root-owned files"},
    {"nothing but a code", "npm error code 127\nnpm error path /srv\n", "npm error code 127"},
    {"notices after the failure of the server", R"(Error: API key is missing
    at main (/srv/index.js:5:9)
npm notice
npm notice New major version of npm available! 10.9.3 -> 11.6.2
npm notice
)",
     "Error: API key is missing"},
};

constexpr Case kPython[] = {
    {"a missing module", R"(Traceback (most recent call last):
  File "/srv/server.py", line 3, in <module>
    from mcp.server.fastmcp import FastMCP
ModuleNotFoundError: No module named 'mcp'
)",
     "ModuleNotFoundError: No module named 'mcp'"},
    {"a missing variable", R"(Traceback (most recent call last):
  File "/srv/server.py", line 9, in <module>
    TOKEN = os.environ["API_TOKEN"]
            ~~~~~~~~~~^^^^^^^^^^^^^
  File "<frozen os>", line 685, in __getitem__
KeyError: 'API_TOKEN'
)",
     "KeyError: 'API_TOKEN'"},
    {"a chain of exceptions", R"(Traceback (most recent call last):
  File "/srv/a.py", line 5, in load
    return json.load(f)
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/a.py", line 8, in <module>
    load()
RuntimeError: the settings file is damaged
)",
     "RuntimeError: the settings file is damaged"},
    {"a group of exceptions", R"(  + Exception Group Traceback (most recent call last):
  |   File "/srv/server.py", line 12, in main
  |     async with create_task_group() as tg:
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/server.py", line 20, in run
    |     raise ValueError("API_KEY is empty")
    | ValueError: API_KEY is empty
    +------------------------------------
)",
     "ValueError: API_KEY is empty"},
    {"settings that are incomplete", R"(Traceback (most recent call last):
  File "/srv/server.py", line 4, in <module>
    settings = Settings()
pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings
api_key
  Field required [type=missing, input_value={}, input_type=dict]
    For further information visit https://errors.example/2.11/v/missing
)",
     "pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings"},
    {"a syntax error", R"(  File "/srv/server.py", line 1
    print "x"
    ^^^^^^^^^
SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?
)",
     "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?"},
    {"a missing file",
     "/usr/bin/python3: can't open file '/srv/server.py': [Errno 2] No such file "
     "or directory\n",
     "/usr/bin/python3: can't open file '/srv/server.py': [Errno 2] No such file or directory"},
    {"arguments",
     "usage: server.py [-h] --token TOKEN\n"
     "server.py: error: the following arguments are required: --token\n",
     "server.py: error: the following arguments are required: --token"},
    {"an interrupt",
     "Traceback (most recent call last):\n"
     "  File \"/srv/server.py\", line 9, in <module>\n"
     "    time.sleep(9)\n"
     "KeyboardInterrupt\n",
     "KeyboardInterrupt"},
};

constexpr Case kUv[] = {
    {"an unknown package", R"(  × No solution found when resolving tool dependencies:
  ╰─▶ Because mcp-server-nope was not found in the package registry and you
      require mcp-server-nope, we can conclude that your requirements are
      unsatisfiable.
)",
     "Because mcp-server-nope was not found in the package registry and you"},
    {"a missing interpreter",
     "error: No interpreter found for Python 3.15 in managed "
     "installations or search path\n",
     "error: No interpreter found for Python 3.15 in managed installations or search path"},
    {"an installed server that fails", R"(Downloading cryptography (4.2MiB)
 Downloaded cryptography
Installed 35 packages in 20ms
Traceback (most recent call last):
  File "/home/me/.cache/uv/archive-v0/x/bin/server", line 12, in <module>
    sys.exit(main())
ValueError: NOTION_TOKEN environment variable must be set
)",
     "ValueError: NOTION_TOKEN environment variable must be set"},
    {"another program name",
     "Installed 2 packages in 3ms\n"
     "An executable named `server` is not provided by package `tools`.\n",
     "An executable named `server` is not provided by package `tools`."},
};

constexpr Case kOthers[] = {
    {"Go: a panic", R"(panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x47b2d6]

goroutine 1 [running]:
main.main()
	/srv/main.go:12 +0x1d
exit status 2
)",
     "panic: runtime error: invalid memory address or nil pointer dereference"},
    {"Go: a fatal log",
     "2026/11/19 03:10:00 failed to connect: dial tcp 127.0.0.1:5432: connect: "
     "connection refused\nexit status 1\n",
     "2026/11/19 03:10:00 failed to connect: dial tcp 127.0.0.1:5432: connect: connection refused"},
    {"Go: a structured log",
     "time=\"2026-11-19T03:10:00Z\" level=info msg=\"starting\"\n"
     "time=\"2026-11-19T03:10:01Z\" level=fatal msg=\"no token\"\n",
     "time=\"2026-11-19T03:10:01Z\" level=fatal msg=\"no token\""},
    {"Go: an option", "Error: unknown flag: --stdio\nUsage:\n  server [flags]\n",
     "Error: unknown flag: --stdio"},
    {"Rust: a panic", R"(
thread 'main' panicked at src/main.rs:5:43:
called `Result::unwrap()` on an `Err` value: NotPresent
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
)",
     "thread 'main' panicked at src/main.rs:5:43: called `Result::unwrap()` on an `Err` value: "
     "NotPresent"},
    {"Rust: a backtrace", R"(thread 'main' panicked at src/main.rs:9:5:
no database
stack backtrace:
   0: rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:697:5
   1: core::panicking::panic_fmt
   2: server::main
             at ./src/main.rs:9:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
)",
     "thread 'main' panicked at src/main.rs:9:5: no database"},
    {"Rust: arguments", R"(error: the following required arguments were not provided:
  --token <TOKEN>

Usage: server --token <TOKEN>

For more information, try '--help'.
)",
     "error: the following required arguments were not provided: --token <TOKEN>"},
    {"Java: an exception", R"(Exception in thread "main" java.lang.RuntimeException: cannot start
	at com.example.Server.main(Server.java:12)
Caused by: java.net.ConnectException: Connection refused
	at java.base/sun.nio.ch.Net.pollConnect(Native Method)
	... 12 more
)",
     "Caused by: java.net.ConnectException: Connection refused"},
    {"Java: a missing archive", "Error: Unable to access jarfile server.jar\n",
     "Error: Unable to access jarfile server.jar"},
    {".NET",
     "Unhandled exception. System.IO.FileNotFoundException: Could not find file "
     "'/srv/x.json'.\n   at System.IO.Strategies.FileStreamHelpers.Init()\n",
     "Unhandled exception. System.IO.FileNotFoundException: Could not find file '/srv/x.json'."},
    {"Ruby",
     "server.rb:1:in `require': cannot load such file -- mcp (LoadError)\n"
     "\tfrom server.rb:1:in `<main>'\n",
     "server.rb:1:in `require': cannot load such file -- mcp (LoadError)"},
    {"PHP",
     "PHP Fatal error:  Uncaught Exception: no key in /srv/server.php:3\nStack trace:\n"
     "#0 {main}\n  thrown in /srv/server.php on line 3\n",
     "PHP Fatal error:  Uncaught Exception: no key in /srv/server.php:3"},
    {"docker: no daemon",
     "docker: Cannot connect to the Docker daemon at "
     "unix:///var/run/docker.sock. Is the docker daemon running?\n\n"
     "Run 'docker run --help' for more information\n",
     "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker "
     "daemon running?"},
    {"docker: an unknown image",
     "Unable to find image 'mcp/nope:latest' locally\n"
     "docker: Error response from daemon: pull access denied for "
     "mcp/nope, repository does not exist\n\n"
     "Run 'docker run --help' for more information\n",
     "docker: Error response from daemon: pull access denied for mcp/nope, repository does not "
     "exist"},
    {"shell: a missing program", "sh: 1: mcp-server: not found\n", "sh: 1: mcp-server: not found"},
    {"shell: bash", "/bin/bash: line 1: mcp-server: command not found\n",
     "/bin/bash: line 1: mcp-server: command not found"},
    {"env", "env: 'node': No such file or directory\n", "env: 'node': No such file or directory"},
    {"shell: permission", "sh: 1: ./server: Permission denied\n",
     "sh: 1: ./server: Permission denied"},
    {"git", "fatal: not a git repository (or any of the parent directories): .git\n",
     "fatal: not a git repository (or any of the parent directories): .git"},
    {"colours", "\x1b[31merror:\x1b[0m no config\n    \x1b[90mat x (y.js:1:1)\x1b[0m\n",
     "error: no config"},
    {"only a greeting", "Server running on stdio\n", "Server running on stdio"},
    {"only frames", "    at a (b.js:1:1)\n    at c (d.js:2:2)\n\n", ""},
    {"nothing", "", ""},
};

template <std::size_t Size>
void expect_causes(const Case (&cases)[Size]) {
    for (const Case& one : cases) {
        const std::vector<std::string> lines = lines_of(one.errors);
        EXPECT_EQ(cause_line(lines), one.cause) << one.name;
    }
}

TEST(CauseLineTest, OfNodeIsTheMessageOfItsError) {
    expect_causes(kNode);
}

TEST(CauseLineTest, OfNpmIsItsComplaint) {
    expect_causes(kNpm);
}

TEST(CauseLineTest, OfPythonIsItsLastException) {
    expect_causes(kPython);
}

TEST(CauseLineTest, OfUvIsWhatFailedNotWhatWasInstalled) {
    expect_causes(kUv);
}

TEST(CauseLineTest, OfOtherProgramsStatesWhatFailed) {
    expect_causes(kOthers);
}

TEST(CauseLineTest, IsShortAndEndsAtACharacter) {
    std::string line = "Error: ";
    for (int i = 0; i < 200; ++i) {
        line += "ä";
    }

    const std::string cause = cause_line(std::vector{line});

    EXPECT_LE(cause.size(), 300U);
    EXPECT_GE(cause.size(), 298U);
    EXPECT_TRUE(cause.ends_with("ä"));
}

}  // namespace
}  // namespace holdfast::base
