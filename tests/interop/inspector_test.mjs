// The command line of the MCP Inspector as an agent: legacy and modern over HTTP, and over stdio.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { household } from './support/household.mjs';
import { gatewayChild, packageFile, startGateway } from './support/gateway.mjs';
import { run, Scope } from './support/processes.mjs';

const LIMIT_MS = 60_000;
const TOOL_ERROR = 5;
const START_LIMIT_MS = 20_000;

const inspector = packageFile(
    '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

describe('Inspector CLI', () => {
    const scope = new Scope();
    let config;

    before(
        async () => {
            const { servers } = await household(scope);
            const { url } = await startGateway(scope, servers);
            const child = await gatewayChild(scope, servers);
            const [command, ...args] = child.command;
            config = join(await scope.directory(), 'inspector.json');
            const http = { type: 'streamable-http', url };
            const mcpServers = {
                'legacy-http': { ...http, protocolEra: 'legacy' },
                'modern-http': { ...http, protocolEra: 'modern' },
                'legacy-stdio': { command, args, env: child.environment, protocolEra: 'legacy' },
                'modern-stdio': { command, args, env: child.environment, protocolEra: 'modern' },
            };
            await writeFile(config, JSON.stringify({ mcpServers }));
        },
        { timeout: LIMIT_MS },
    );
    after(() => scope.close(), { timeout: LIMIT_MS });

    // Runs the inspector once: {code, result}.
    async function inspect(server, ...options) {
        const target = ['--cli', '--config', config, '--server', server];
        const command = [process.execPath, inspector, ...target, ...options, '--format', 'json'];
        const { code, output, errors } = await run(command, { limitMs: LIMIT_MS });
        assert.ok(output.trim().startsWith('{'), `${code}: ${output}${errors}`);
        return { code, ...JSON.parse(output) };
    }

    // Repeats the request while a new gateway has not connected to all its servers.
    async function listTools(server) {
        const deadline = Date.now() + START_LIMIT_MS;
        for (;;) {
            const { code, result } = await inspect(server, '--method', 'tools/list');
            assert.equal(code, 0);
            const names = result.tools.map(({ name }) => name);
            if (names.includes('thinking__sequentialthinking') || Date.now() > deadline) {
                return names;
            }
        }
    }

    function callTool(server, name, args) {
        const json = JSON.stringify(args);
        const call = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', json];
        return inspect(server, ...call);
    }

    for (const server of ['legacy-http', 'modern-http', 'legacy-stdio', 'modern-stdio']) {
        test(`${server}: lists tools`, { timeout: 2 * LIMIT_MS }, async () => {
            const names = await listTools(server);

            assert.ok(names.includes('everything__echo'), names.join(' '));
            assert.ok(names.includes('memory__read_graph'), names.join(' '));
        });

        test(`${server}: calls a tool`, { timeout: LIMIT_MS }, async () => {
            const { code, result } = await callTool(server, 'everything__get-sum', { a: 1, b: 2 });

            assert.equal(code, 0);
            assert.equal(result.content[0].text, 'The sum of 1 and 2 is 3.');
        });

        test(`${server}: sees the failure of a tool`, { timeout: LIMIT_MS }, async () => {
            const { code, result } = await callTool(server, 'files__read_text_file', {
                path: '/no/such/file',
            });

            assert.equal(code, TOOL_ERROR);
            assert.equal(result.isError, true);
        });
    }
});
