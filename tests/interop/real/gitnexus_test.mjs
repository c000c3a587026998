// The preset `gitnexus` with the real package on stdio: names, tiers, a timeout, the circuit, a
// kill during a call, and recovery.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { agentKinds, connectAgent } from '../support/agents.mjs';
import { startGateway } from '../support/gateway.mjs';
import { untilListed } from '../support/household.mjs';
import { cpuTicks, pidRunning, pidsRunning, until } from '../support/process_tree.mjs';
import { Scope } from '../support/processes.mjs';
import { gitnexusServer, LONG_STATEMENT } from './servers.mjs';

const LIMIT_MS = 180_000;
const BUSY_TICKS = 20;
const QUICK_SECONDS = 60;
const HEAVY_SECONDS = 4;
const FAILURES_TO_OPEN = 5;
const OPEN_SECONDS = 10;

/** The tier of tools of gitnexus 1.6.12, and arguments that they accept. */
const TIERS = {
    list_repos: [QUICK_SECONDS, {}],
    context: [QUICK_SECONDS, { name: 'loadOrder' }],
    cypher: [HEAVY_SECONDS, { statement: 'MATCH (a:Function) RETURN a.name' }],
    impact: [HEAVY_SECONDS, { target: 'priceOf', direction: 'upstream' }],
};
const OTHER_TOOLS = ['query', 'rename', 'trace'];

const WITH_ID = { 'dev.holdfast/callId': true };

describe('gitnexus under its preset', () => {
    const scope = new Scope();
    let agent;
    let gateway;
    let script;

    const failureOf = (result) => result._meta?.['dev.holdfast/failure'];
    const compute = () => agent.call('cypher', { statement: LONG_STATEMENT });

    async function recordOf(result) {
        const id = result._meta['dev.holdfast/callId'];
        const response = await fetch(new URL(`/api/calls/${id}`, await gateway.pageUrl()));
        assert.equal(response.status, 200);
        return response.json();
    }

    async function killWorkingServer() {
        const pid = await pidRunning(script);
        const before = await cpuTicks(pid);
        const call = compute();
        await until('gitnexus works', async () => (await cpuTicks(pid)) > before + BUSY_TICKS);
        process.kill(pid, 'SIGKILL');
        return { pid, result: await call };
    }

    /** Runs `use` while the server is stopped. */
    async function whileStopped(use) {
        const pid = await pidRunning(script);
        process.kill(pid, 'SIGSTOP');
        try {
            await use();
        } finally {
            process.kill(pid, 'SIGCONT');
        }
    }

    async function untilBack(dead) {
        await until('gitnexus is started again', async () => {
            const pids = await pidsRunning(script);
            return pids.length === 1 && pids[0] !== dead;
        });
        await until('a tool answers again', async () => !(await agent.call('list_repos')).isError);
    }

    before(
        async () => {
            process.env.GITNEXUS_TIMEOUT_HEAVY = String(HEAVY_SECONDS);
            const server = await gitnexusServer(scope);
            ({ script } = server);
            gateway = await startGateway(
                scope,
                { graph: { ...server.entry, circuits: { graph: { open: `${OPEN_SECONDS}s` } } } },
                { surface: { mode: 'all' }, admin: { http: '127.0.0.1:0' } },
            );
            const kind = agentKinds.find(({ name }) => name === 'SDK v1 over HTTP');
            agent = await connectAgent(scope, kind, gateway);
        },
        { timeout: LIMIT_MS },
    );
    after(() => scope.close(), { timeout: LIMIT_MS });

    test('its tools have their tiers', { timeout: LIMIT_MS }, async () => {
        await untilListed(agent, [...Object.keys(TIERS), ...OTHER_TOOLS]);
        for (const [tool, [seconds, args]] of Object.entries(TIERS)) {
            const result = await agent.call(tool, args, {}, WITH_ID);
            assert.ok(!result.isError, `${tool}: ${JSON.stringify(result)}`);
            const record = await recordOf(result);
            assert.equal(record.circuit, 'graph', tool);
            assert.equal(record.attempts.length, 1, tool);
            assert.match(JSON.stringify(record.policy_values), new RegExp(`"${seconds}s"|"1m"`), tool);
        }
    });

    test('a kill during a call is a lost connection', { timeout: LIMIT_MS }, async () => {
        const { pid, result } = await killWorkingServer();

        const failure = failureOf(result);
        assert.equal(failure.code, 'CONNECTION_LOST', JSON.stringify(failure));
        assert.doesNotMatch(gateway.program.errors, /attempt 2/, 'calls are not retried');
        assert.match(failure.message, /was ended by signal 9/);
        await untilBack(pid);
        const context = await agent.callForText('context', { name: 'loadOrder' });
        assert.match(context, /"uid": "Function:till.js:checkout"/);
    });

    test('a heavy call ends at its time limit', { timeout: LIMIT_MS }, async () => {
        await whileStopped(async () => {
            const began = Date.now();
            const failure = failureOf(await agent.call('cypher', TIERS.cypher[1]));

            assert.equal(failure.code, 'TIMEOUT', JSON.stringify(failure));
            assert.ok(Date.now() - began >= HEAVY_SECONDS * 1_000);
            assert.match(failure.message, new RegExp(`${HEAVY_SECONDS} s`));
        });
        // It continues where it was stopped: a timeout does not end the server.
        const rows = await agent.callForText('cypher', TIERS.cypher[1]);
        assert.match(rows, /priceOf/);
    });

    test('failures in a row open the circuit', { timeout: LIMIT_MS }, async () => {
        await whileStopped(async () => {
            for (let i = 0; i < FAILURES_TO_OPEN; ++i) {
                const failure = failureOf(await agent.call('cypher', TIERS.cypher[1]));
                assert.equal(failure.code, 'TIMEOUT', `call ${i}`);
            }
        });

        const refused = await agent.call('list_repos');

        assert.equal(failureOf(refused).code, 'CIRCUIT_OPEN');
        assert.ok(failureOf(refused).retryAfter >= 1);
        assert.ok(failureOf(refused).retryAfter <= OPEN_SECONDS);
        assert.match(
            refused.content[0].text,
            /^Circuit breaker open due to repeated failures\. Will retry in \d+ seconds\. Consider checking browser connection or graph status\./,
        );
        await gateway.program.waitForOutput(/circuit "graph" open.* after 5 failures/);
    });

    test('one success closes the circuit', { timeout: LIMIT_MS }, async () => {
        await until('a test call gets through', async () => {
            const result = await agent.call('list_repos');
            return !result.isError;
        });
        assert.ok(!(await agent.call('context', { name: 'loadOrder' })).isError);
    });
});
