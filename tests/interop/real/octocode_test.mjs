// The preset `octocode` with the real package: the circuit of each tool, what counts as a failure,
// retries, and a circuit that opens and closes again. GitHub is a server on loopback.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { agentKinds, connectAgent } from '../support/agents.mjs';
import { startGateway } from '../support/gateway.mjs';
import { untilListed } from '../support/household.mjs';
import { until } from '../support/process_tree.mjs';
import { Scope } from '../support/processes.mjs';
import { GithubApi } from './github_api.mjs';
import { octocodeServer } from './servers.mjs';

const LIMIT_MS = 180_000;
// octocode-mcp repeats a failed request to GitHub by itself for longer than this.
const QUERY_LIMIT_MS = 3_000;
// Built-in tools.
const WITH_ID = { 'dev.holdfast/callId': true };
const BUILT_IN = ['explain_call', 'gateway_status'];
const OPEN_SECONDS = 10;
const REPOSITORY = { owner: 'holdfast', repo: 'shop' };

/** The circuit of every tool of octocode-mcp 19.1.0, and a query that the tool accepts. */
const toolsIn = (repository) => ({
    ghSearch: ['github:search', { operation: 'code', keywords: ['priceOf'], ...REPOSITORY }],
    ghGetFileContent: ['github:content', { ...REPOSITORY, path: 'store.js', fullContent: true }],
    ghSearchHistory: ['github:pulls', { operation: 'issues', ...REPOSITORY }],
    ghGetHistoryItem: ['github:pulls', { operation: 'issue', number: 1, ...REPOSITORY }],
    npmSearch: ['package', { packageName: 'left-pad' }],
    localSearch: ['local', { operation: 'files', path: repository }],
    localAnalyzeGraph: ['local', { operation: 'cycles', path: repository }],
    localGetFileContent: ['local', { path: join(repository, 'store.js'), fullContent: true }],
    lspGetSemantics: [
        'lsp:navigation',
        { uri: join(repository, 'store.js'), type: 'documentSymbols' },
    ],
});

describe('octocode-mcp under its preset', () => {
    const scope = new Scope();
    let agent;
    let github;
    let gateway;
    let repository;
    let tools;

    let calls = 0;

    const call = (tool, query = tools[tool][1]) => agent.call(tool, { queries: [query] }, {}, WITH_ID);
    /** A query that octocode-mcp has not cached. */
    const callAfresh = (tool) => {
        calls += 1;
        return call(tool, { ...tools[tool][1], repo: `shop${calls}` });
    };
    const search = () => callAfresh('ghSearch');
    const failureOf = (result) => result._meta?.['dev.holdfast/failure'];

    /** Returns the gateway's record of the call of a result. */
    async function recordOf(result) {
        const id = result._meta['dev.holdfast/callId'] ?? failureOf(result).callId;
        const url = new URL(`/api/calls/${id}`, await gateway.pageUrl());
        const response = await fetch(url);
        assert.equal(response.status, 200, `${url}`);
        return response.json();
    }

    async function circuitOf(name) {
        const response = await fetch(new URL('/api/status', await gateway.pageUrl()));
        const { circuits } = await response.json();
        return circuits.find((circuit) => circuit.name === `code/${name}`);
    }

    before(
        async () => {
            github = await GithubApi.start(scope);
            const server = await octocodeServer(scope);
            ({ repository } = server);
            tools = toolsIn(repository);
            const code = {
                ...server.entry,
                env: {
                    ...server.entry.env,
                    GITHUB_API_URL: github.url,
                    GITHUB_TOKEN: `ghp_${'a'.repeat(36)}`,
                    OCTOCODE_BULK_QUERY_TIMEOUT_MS: String(QUERY_LIMIT_MS),
                },
                circuits: { 'github:search': { open: `${OPEN_SECONDS}s` } },
            };
            gateway = await startGateway(
                scope,
                { code },
                { surface: { mode: 'all' }, admin: { http: '127.0.0.1:0' } },
            );
            const kind = agentKinds.find(({ name }) => name === 'SDK v1 over HTTP');
            agent = await connectAgent(scope, kind, gateway);
        },
        { timeout: LIMIT_MS },
    );
    after(() => scope.close(), { timeout: LIMIT_MS });

    test('every tool of the package is known and on its circuit', { timeout: LIMIT_MS }, async () => {
        const listed = await untilListed(agent, Object.keys(tools));
        const names = listed.map(({ name }) => name).filter((name) => !BUILT_IN.includes(name));
        assert.deepEqual(names.sort(), Object.keys(tools).sort());
        for (const [tool, [circuit]] of Object.entries(tools)) {
            const result = await call(tool);
            assert.notEqual(failureOf(result)?.code, 'INVALID_ARGUMENTS', JSON.stringify(result));
            const record = await recordOf(result);
            assert.equal(record.circuit, `code/${circuit}`, tool);
            assert.ok(!['code', 'code/github', 'code/lsp'].includes(record.circuit), tool);
        }
    });

    test('five missing files do not open "local"', { timeout: LIMIT_MS }, async () => {
        const missing = { path: join(repository, 'missing.js'), fullContent: true };
        for (let i = 0; i < 5; ++i) {
            const result = await call('localGetFileContent', missing);
            assert.equal(result.isError, true);
            assert.match(result.content[0].text, /File not found/);
            assert.equal((await recordOf(result)).attempts.length, 1);
        }
        assert.equal((await circuitOf('local')).failure_count, 0);
        assert.ok(!(await call('localGetFileContent')).isError);
    });

    for (const [mode, text] of [
        ['missing', /not found/],
        ['forbidden', /insufficient permissions/],
    ]) {
        test(`GitHub answers "${mode}": nothing opens`, { timeout: LIMIT_MS }, async () => {
            github.mode = mode;
            for (const tool of ['ghGetFileContent', 'ghSearch', 'ghSearchHistory']) {
                for (let i = 0; i < 4; ++i) {
                    const result = await callAfresh(tool);
                    assert.equal(result.isError, true);
                    assert.match(result.content[0].text, text);
                    assert.equal(failureOf(result), undefined, 'the answer is passed on as it is');
                    assert.equal((await recordOf(result)).attempts.length, 1);
                }
            }
            for (const circuit of ['github:search', 'github:content', 'github:pulls']) {
                assert.equal((await circuitOf(circuit)).failure_count, 0, circuit);
            }
        });
    }

    test('a short outage of GitHub is bridged by a retry', { timeout: LIMIT_MS }, async () => {
        github.mode = 'down';
        const pending = search();
        await gateway.program.waitForOutput(/"ghSearch".*attempt 2 of 3/);
        github.mode = 'ok';

        const result = await pending;

        assert.ok(!result.isError, JSON.stringify(result));
        const { attempts } = await recordOf(result);
        assert.equal(attempts.length, 2, JSON.stringify(attempts));
        assert.equal((await circuitOf('github:search')).failure_count, 0);
    });

    test('an outage opens "github:search" after two calls', { timeout: LIMIT_MS }, async () => {
        github.mode = 'down';
        for (let i = 0; i < 2; ++i) {
            const result = await search();
            assert.equal(result.isError, true);
            assert.match(result.content[0].text, /timed out after 3000ms/);
            assert.equal(failureOf(result), undefined, 'the last error is passed on as it is');
            assert.equal((await recordOf(result)).attempts.length, 3);
        }
        await gateway.program.waitForOutput(/"ghSearch".*attempt 3 of 3.*/);
        await gateway.program.waitForOutput(/circuit "code\/github:search" open.* after 2 failures/);
        const sent = github.requests;

        const refused = await search();

        assert.equal(failureOf(refused).code, 'CIRCUIT_OPEN');
        assert.ok(failureOf(refused).retryAfter >= 1 && failureOf(refused).retryAfter <= OPEN_SECONDS);
        assert.match(
            refused.content[0].text,
            /^Circuit breaker 'code\/github:search' is open\. Will retry in \d+ seconds\./,
        );
        assert.equal(github.requests, sent, 'nothing is sent while it is open');
        // The other circuits work.
        assert.ok(!(await call('localGetFileContent')).isError);
        github.mode = 'missing';
        assert.match((await callAfresh('ghGetFileContent')).content[0].text, /not found/);
    });

    test('"github:search" closes after one success', { timeout: LIMIT_MS }, async () => {
        github.mode = 'ok';
        await until('the circuit lets a call through', async () => !(await search()).isError);
        assert.equal((await circuitOf('github:search')).state, 'closed');
        assert.ok(!(await search()).isError);
    });
});
