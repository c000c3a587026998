// The programs under test: the gateway, and the fixture server for the conformance runners.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// build/interop/suite/support, whose packages are in build/interop/node_modules.
export const interopDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const suiteDirectory = join(interopDirectory, 'suite');

const releaseDirectory = join(interopDirectory, '..', 'release');
const gatewayBinary = process.env.HOLDFAST_BINARY || join(releaseDirectory, 'holdfast');

/** The path of a file of an npm package. */
export function packageFile(...parts) {
    return join(interopDirectory, 'node_modules', ...parts);
}

function fixtureBinary() {
    const path = process.env.HOLDFAST_FIXTURE_SERVER;
    assert.ok(path, 'HOLDFAST_FIXTURE_SERVER must name the fixture server; CTest sets it.');
    return path;
}

/** The config entry of a fixture server that the gateway starts itself. */
export function fixtureChild(era, ...more) {
    return { command: fixtureBinary(), args: ['--era', era, '--stdio', ...more] };
}

/** Starts the fixture server on HTTP and returns its URL. */
export async function startFixture(scope, era, ...more) {
    const command = [fixtureBinary(), '--http', '127.0.0.1:0', '--era', era, ...more];
    const program = scope.start(command);
    const [, url] = await program.waitForOutput(/^fixture: listening on (http:\S+)$/m);
    return url;
}

// By default tests see all tools of the servers and no built-in ones.
const ALL_OF_SERVERS = { admin: false, surface: { mode: 'all' } };

async function prepare(scope, servers, sections = ALL_OF_SERVERS) {
    const directory = await scope.directory();
    const config = join(directory, 'config.json');
    await writeFile(config, JSON.stringify({ mcpServers: servers, ...sections }, null, 2));
    // Isolates the gateway of a test from the files and sockets of other tests and of the user.
    const environment = {
        XDG_CACHE_HOME: join(directory, 'cache'),
        XDG_CONFIG_HOME: join(directory, 'config'),
        XDG_DATA_HOME: join(directory, 'data'),
        XDG_RUNTIME_DIR: directory,
    };
    return { environment, command: [gatewayBinary, 'serve', '--config', config] };
}

async function pageUrlOf(program) {
    const [, url] = await program.waitForOutput(/ info status page at (http:\S+)$/m);
    return url;
}

/**
 * Starts the gateway in front of `servers` on HTTP and WebSocket: {program, url, webSocketUrl,
 * pageUrl}; the last one is a function, because the page needs `admin.http` among the sections.
 * `sections` are the other sections of its config, `options` additional options of `serve`,
 * `input` as for a program.
 */
export async function startGateway(scope, servers, sections, options = [], { input } = {}) {
    const { command, environment } = await prepare(scope, servers, sections);
    const program = scope.start([...command, '--http', '127.0.0.1:0', ...options], {
        environment,
        input,
    });
    const [, url] = await program.waitForOutput(/ info listening on (http:\S+)$/m);
    const webSocketUrl = url.replace(/^http:/, 'ws:').replace(/\/mcp$/, '/ws');
    return { program, url, webSocketUrl, pageUrl: () => pageUrlOf(program) };
}

/** How an agent starts the gateway for `servers` as its own child: {command, environment}. */
export async function gatewayChild(scope, servers) {
    const { command, environment } = await prepare(scope, servers);
    return { command: [...command, '--stdio'], environment };
}
