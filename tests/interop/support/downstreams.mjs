// The public MCP servers from npm, as entries of the gateway's config.

import { freePort } from './processes.mjs';
import { packageFile } from './gateway.mjs';

const START_ATTEMPTS = 3;

function script(name) {
    return packageFile('@modelcontextprotocol', name, 'dist', 'index.js');
}

function child(name, args = [], env = {}) {
    return { command: process.execPath, args: [script(name), ...args], env };
}

// The server accepts only a fixed port, which another program may take before the server binds it.
async function startEverything(scope, mode, listening) {
    for (let attempt = 1; ; ++attempt) {
        const port = await freePort();
        const program = scope.start([process.execPath, script('server-everything'), mode], {
            environment: { PORT: String(port) },
        });
        try {
            await program.waitForOutput(listening);
            return port;
        } catch (failure) {
            if (attempt === START_ATTEMPTS) {
                throw failure;
            }
        }
    }
}

/** `server-everything` in one of its modes: "stdio", "sse" or "http". */
export async function everything(scope, mode) {
    if (mode === 'stdio') {
        return child('server-everything', ['stdio']);
    }
    if (mode === 'sse') {
        const port = await startEverything(scope, 'sse', /running on port/);
        return { type: 'sse', url: `http://127.0.0.1:${port}/sse` };
    }
    const port = await startEverything(scope, 'streamableHttp', /listening on port/);
    return { type: 'http', url: `http://127.0.0.1:${port}/mcp` };
}

export const everythingModes = ['stdio', 'sse', 'http'];

/** May read and write below `directory`. */
export function filesystem(directory) {
    return child('server-filesystem', [directory]);
}

/** Stores its graph in `file`. */
export function memory(file) {
    return child('server-memory', [], { MEMORY_FILE_PATH: file });
}

export function sequentialThinking() {
    return child('server-sequential-thinking');
}
