// Servers that npx and uvx install when they start for the first time, with empty caches: all get
// ready behind one gateway, at their first try, in about the time that they need one after another.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { interopDirectory, startGateway } from './support/gateway.mjs';
import { Scope } from './support/processes.mjs';

const LIMIT_MS = 1_500_000;
const ONE_START_MS = 240_000;
const POLL_MS = 200;
const MOST_TIMES_AS_LONG = 1.3;

const NPX_SERVERS = {
    everything: ['@modelcontextprotocol/server-everything@2026.8.31'],
    files: ['@modelcontextprotocol/server-filesystem@2026.8.31', '.'],
    memory: ['@modelcontextprotocol/server-memory@2026.8.31'],
    thinking: ['@modelcontextprotocol/server-sequential-thinking@2026.8.31'],
    context7: ['@upstash/context7-mcp@4.1.1'],
    fetch: ['@kazuph/mcp-fetch@1.6.3'],
    hello: ['mcp-hello-world@1.1.2'],
    code: ['mcp-server-code-runner@0.1.8'],
    eslint: ['@eslint/mcp@0.3.13'],
    pdf: ['@modelcontextprotocol/server-pdf@2.0.4', '--stdio'],
    clock: ['time-mcp@1.0.6'],
    chart: ['@antv/mcp-server-chart@0.9.10'],
    devtools: ['chrome-devtools-mcp@1.11.0'],
    playwright: ['@playwright/mcp@0.0.83'],
    kubernetes: ['mcp-server-kubernetes@4.1.7'],
    vault: ['@bitbonsai/mcpvault@0.16.0', '.'],
    vanilla: ['@modelcontextprotocol/server-basic-vanillajs@2.0.3', '--stdio'],
    map: ['@modelcontextprotocol/server-map@2.0.3', '--stdio'],
};
const UVX_SERVERS = {
    time: ['mcp-server-time'],
    git: ['mcp-server-git'],
    fetch: ['mcp-server-fetch'],
    calculator: ['mcp-server-calculator'],
};

/** Where this machine has its certificates, if not in the usual places. */
const CERTIFICATES = Object.fromEntries(
    ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
        .filter((name) => process.env[name])
        .map((name) => [name, process.env[name]]),
);

/** The entries of a config for these servers: {name: {command, args, env}}. */
function entriesOf(servers, command, options, env) {
    return Object.fromEntries(
        Object.entries(servers).map(([name, words]) => [
            name,
            { command, args: [...options, ...words], env: { ...CERTIFICATES, ...env } },
        ]),
    );
}

/** Starts a server as an agent would, waits for its handshake, and ends it. */
async function startAlone({ command, args, env }) {
    const child = spawn(command, args, {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: true,
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), ONE_START_MS);
    child.stdin.on('error', () => {});
    child.stdin.write(
        `${JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'initialize',
            params: {
                protocolVersion: '2025-06-18',
                capabilities: {},
                clientInfo: { name: 'plain', version: '1' },
            },
        })}\n`,
    );
    let output = '';
    for await (const chunk of child.stdout) {
        output += chunk;
        if (output.includes('"protocolVersion"')) {
            break;
        }
    }
    clearTimeout(timer);
    assert.match(output, /"protocolVersion"/, `${command} ${args.join(' ')} did not start`);
    try {
        process.kill(-child.pid, 'SIGTERM');
    } catch {
        // It has ended.
    }
    await ended;
}

async function secondsOneAfterAnother(entries) {
    const begun = Date.now();
    for (const entry of Object.values(entries)) {
        await startAlone(entry);
    }
    return (Date.now() - begun) / 1000;
}

/** Starts a gateway for these servers: {seconds until all are ready, servers of its status}. */
async function throughTheGateway(scope, entries) {
    const begun = Date.now();
    const sections = { admin: { http: '127.0.0.1:0' } };
    const gateway = await startGateway(scope, entries, sections);
    const page = await gateway.pageUrl();
    for (;;) {
        const response = await fetch(new URL('/api/status', page));
        const servers = (await response.json()).downstream_servers;
        const waiting = Object.entries(servers).filter(
            ([, one]) => one.status !== 'connected' || one.tool_count === 0,
        );
        if (waiting.length === 0) {
            return { seconds: (Date.now() - begun) / 1000, servers };
        }
        const failed = waiting.filter(([, one]) => one.failures_in_row > 0);
        assert.deepEqual(
            failed.map(([name, one]) => `${name}: ${one.reason} ${one.stderr.join(' | ')}`),
            [],
        );
        assert.ok(Date.now() - begun < LIMIT_MS, `not ready: ${waiting.map(([name]) => name)}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
}

function expectFirstTries(servers) {
    for (const [name, server] of Object.entries(servers)) {
        assert.equal(server.restarts, 0, name);
    }
}

function expectInTime(what, gateway, plain) {
    console.log(
        `${what}: ${plain.toFixed(1)} s one after another, ${gateway.toFixed(1)} s behind the gateway`,
    );
    assert.ok(
        gateway <= plain * MOST_TIMES_AS_LONG,
        `${gateway.toFixed(1)} s is more than ${MOST_TIMES_AS_LONG} times ${plain.toFixed(1)} s`,
    );
}

describe('first starts', { timeout: LIMIT_MS }, () => {
    const scope = new Scope();
    after(() => scope.close());

    test('npx installs every server once', { timeout: LIMIT_MS }, async () => {
        const home = await scope.directory();
        const entries = (cache) =>
            entriesOf(NPX_SERVERS, 'npx', ['-y'], {
                npm_config_cache: join(home, cache),
                npm_config_update_notifier: 'false',
                npm_config_logs_max: '100',
            });

        const plain = await secondsOneAfterAnother(entries('plain'));
        const { seconds, servers } = await throughTheGateway(scope, entries('cache'));

        expectFirstTries(servers);
        const count = Object.keys(NPX_SERVERS).length;
        assert.equal((await readdir(join(home, 'cache', '_npx'))).length, count);
        // Each run of npx writes one.
        const logs = await readdir(join(home, 'cache', '_logs'));
        assert.equal(logs.length, count, 'some server was started more than once');
        expectInTime(`${count} servers of npx`, seconds, plain);
    });

    describe('uvx', () => {
        const environment = join(interopDirectory, '..', 'uv');
        const uvx = join(environment, 'bin', 'uvx');

        before(async () => {
            if (!existsSync(uvx)) {
                await mkdir(environment, { recursive: true });
                execFileSync('python3', ['-m', 'venv', environment]);
                execFileSync(join(environment, 'bin', 'pip'), ['install', '--quiet', 'uv']);
            }
        });

        test('installs every server once', { timeout: LIMIT_MS }, async () => {
            const home = await scope.directory();
            const entries = (cache) =>
                entriesOf(UVX_SERVERS, uvx, [], { UV_CACHE_DIR: join(home, cache) });

            const plain = await secondsOneAfterAnother(entries('plain'));
            const { seconds, servers } = await throughTheGateway(scope, entries('cache'));

            expectFirstTries(servers);
            expectInTime(`${Object.keys(UVX_SERVERS).length} servers of uvx`, seconds, plain);
        });
    });
});
