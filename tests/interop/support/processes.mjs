// Programs that the tests start. Their output shows when they listen; they are stopped by process
// id within a limit and never left running. Everything here is bounded in time and memory.

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 10_000;
const KEPT_OUTPUT_CHARACTERS = 256 * 1024;

const running = new Set();
const directories = new Set();
process.on('exit', () => {
    for (const program of running) {
        program.child.kill('SIGKILL');
    }
    for (const path of directories) {
        rmSync(path, { recursive: true, force: true });
    }
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.once(signal, () => process.exit(1));
}

/** A started program. `errors` and `output` are the last parts of its output so far. */
export class Program {
    output = '';
    errors = '';

    /** `options.input` is "ignore" or "pipe"; `options.environment` extends this process's. */
    constructor(command, options = {}) {
        this.command = command;
        this.child = spawn(command[0], command.slice(1), {
            cwd: options.directory,
            env: { ...process.env, ...options.environment },
            stdio: [options.input ?? 'ignore', 'pipe', 'pipe'],
        });
        this.child.stdout.setEncoding('utf8').on('data', (text) => this.#keep('output', text));
        this.child.stderr.setEncoding('utf8').on('data', (text) => this.#keep('errors', text));
        running.add(this);
        this.exited = new Promise((resolve) => {
            this.child.once('error', (error) => resolve({ error }));
            this.child.once('close', (code, signal) => resolve({ code, signal }));
        });
        this.exited.then((end) => {
            this.end = end;
            running.delete(this);
            this.#wake();
        });
    }

    /** Waits for `pattern` in the program's output; fails if it ends or takes too long. */
    async waitForOutput(pattern, limitMs = START_LIMIT_MS) {
        const deadline = Date.now() + limitMs;
        for (;;) {
            const match = pattern.exec(this.errors) ?? pattern.exec(this.output);
            if (match) {
                return match;
            }
            if (this.end || Date.now() >= deadline) {
                const state = this.end ? 'ended' : `did not within ${limitMs} ms`;
                throw new Error(`${this.describe()} should write ${pattern}, and ${state}.`);
            }
            await this.#moreOutput(deadline - Date.now());
        }
    }

    /** Returns {code, signal} of its exit. Kills it if it takes longer than the limit. */
    async waitForExit(limitMs) {
        let timer;
        const late = new Promise((resolve) => {
            timer = setTimeout(() => resolve(undefined), limitMs);
        });
        const end = await Promise.race([this.exited, late]);
        clearTimeout(timer);
        if (end === undefined) {
            this.child.kill('SIGKILL');
            await this.exited;
            throw new Error(`${this.describe()} should have ended within ${limitMs} ms.`);
        }
        if (end.error) {
            throw new Error(`${this.command[0]} cannot be started: ${end.error.message}`);
        }
        return end;
    }

    /** Asks it to end; fails if it has not ended within the limit. */
    async stop(signal = 'SIGTERM') {
        if (this.end) {
            return this.end;
        }
        this.child.kill(signal);
        return this.waitForExit(STOP_LIMIT_MS);
    }

    describe() {
        const end = this.end ? ` (ended with ${JSON.stringify(this.end)})` : '';
        return `"${this.command.join(' ')}"${end}\n${this.errors}${this.output}\n`;
    }

    #wake() {
        this.wake?.();
    }

    #moreOutput(limitMs) {
        return new Promise((resolve) => {
            const timer = setTimeout(resolve, limitMs);
            this.wake = () => {
                clearTimeout(timer);
                resolve();
            };
        });
    }

    #keep(stream, text) {
        this[stream] = (this[stream] + text).slice(-KEPT_OUTPUT_CHARACTERS);
        this.#wake();
    }
}

/** Runs a program to its end: {code, output, errors}. */
export async function run(command, { limitMs, ...options }) {
    const program = new Program(command, options);
    const { code, signal } = await program.waitForExit(limitMs);
    return { code: code ?? signal, output: program.output, errors: program.errors };
}

/** Returns a port that was just free, for programs that cannot report a port of their choice. */
export function freePort() {
    return new Promise((resolve, reject) => {
        const server = createServer();
        server.once('error', reject);
        server.listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

/**
 * The resources of a test; `close()` releases them in reverse order, even if one step fails.
 */
export class Scope {
    #undo = [];

    /** Starts a program that is stopped with the scope. */
    start(command, options) {
        const program = new Program(command, options);
        this.defer(() => program.stop());
        return program;
    }

    async directory() {
        const path = await mkdtemp(join(tmpdir(), 'holdfast-interop-'));
        directories.add(path);
        this.defer(async () => {
            await rm(path, { recursive: true, force: true });
            directories.delete(path);
        });
        return path;
    }

    defer(undo) {
        this.#undo.push(undo);
    }

    async close() {
        const failures = [];
        for (const undo of this.#undo.splice(0).reverse()) {
            await Promise.resolve()
                .then(undo)
                .catch((failure) => failures.push(failure));
        }
        if (failures.length > 0) {
            throw failures[0];
        }
    }
}

/** Runs `use(scope)` and always closes the scope. */
export async function withScope(use) {
    const scope = new Scope();
    try {
        return await use(scope);
    } finally {
        await scope.close();
    }
}
