// Two popular servers behind one gateway with their presets: listed, called, killed during a call,
// and restarted. The other server and the agent's session continue meanwhile.

import assert from 'node:assert/strict';
import { join } from 'node:path';

import { agentKinds } from '../support/agents.mjs';
import { describeEveryAgent, untilListed } from '../support/household.mjs';
import { cpuTicks, pidRunning, pidsRunning, until } from '../support/process_tree.mjs';
import { LONG_STATEMENT, realServers } from './servers.mjs';

const LIMIT_MS = 180_000;

const GRAPH_TOOLS = ['list_repos', 'query', 'cypher', 'context', 'impact', 'rename', 'trace'];
const CODE_TOOLS = ['localSearch', 'localGetFileContent', 'lspGetSemantics', 'ghSearch'];
const ALL_TOOLS = [
    ...GRAPH_TOOLS.map((name) => `graph__${name}`),
    ...CODE_TOOLS.map((name) => `code__${name}`),
];

const BUSY_TICKS = 20;

function failureOf(result) {
    assert.equal(result.isError, true, JSON.stringify(result));
    return result._meta['dev.holdfast/failure'];
}

async function expectGraph(agent) {
    const context = await agent.callForText('graph__context', { name: 'loadOrder' });
    assert.match(context, /"uid": "Function:till.js:checkout"/);
    assert.match(context, /"uid": "Function:store.js:priceOf"/);
    const statement = 'MATCH (a:Function)-[:CodeRelation]->(b:Function) RETURN a.name, b.name';
    const rows = await agent.callForText('graph__cypher', { statement });
    assert.match(rows, /\| checkout \| loadOrder \|/);
    assert.match(rows, /"row_count": 2/);
}

async function expectCode(agent, repository) {
    const search = { path: repository, operation: 'text', searchText: 'priceOf' };
    const found = await agent.call('code__localSearch', { queries: [search] });
    const { data } = found.structuredContent.results[0];
    assert.deepEqual(data.files.map((file) => file.path), ['store.js']);
    assert.equal(data.stats.matchedLines, 2);
    const file = { path: join(repository, 'till.js'), fullContent: true };
    const text = await agent.callForText('code__localGetFileContent', { queries: [file] });
    assert.match(text, /return `pay \$\{loadOrder\(id\)\.total\}`;/);
}

function expectKilled(failure) {
    assert.equal(failure.code, 'CONNECTION_LOST', JSON.stringify(failure));
    assert.equal(failure.sideEffects, 'none'); // a read
    assert.match(failure.message, /was ended by signal 9/);
}

/** Waits until another process than `dead` runs the script and the tool answers. */
async function untilBack(agent, script, dead, tool, args) {
    await until(`${script} is started again`, async () => {
        const pids = await pidsRunning(script);
        return pids.length === 1 && pids[0] !== dead;
    });
    await until(`${tool} answers again`, async () => {
        const result = await agent.call(tool, args);
        if (result.isError) {
            expectKilled(failureOf(result));
        }
        return !result.isError;
    });
}

// One agent per transport and era; the other tests here cover all kinds.
const kinds = agentKinds.filter(({ name }) =>
    ['SDK v1 over stdio', 'SDK v1 over WebSocket', 'SDK v2 auto over HTTP'].includes(name),
);
const options = { kinds, prepare: realServers, limitMs: LIMIT_MS };

describeEveryAgent('gitnexus and octocode-mcp', options, {
    'are listed': async (agent) => {
        const tools = await untilListed(agent, ALL_TOOLS);
        const rename = tools.find((tool) => tool.name === 'graph__rename');
        assert.equal(rename.annotations.destructiveHint, true);
    },

    'answer': async (agent, { repository }) => {
        await expectGraph(agent);
        await expectCode(agent, repository);
    },

    'have their arguments checked': async (agent) => {
        const failure = failureOf(await agent.call('code__localSearch', { query: 'priceOf' }));
        assert.equal(failure.code, 'INVALID_ARGUMENTS');
    },

    'gitnexus may be killed while it works': async (agent, { scripts, repository }) => {
        const pid = await pidRunning(scripts.graph);
        const before = await cpuTicks(pid);
        const call = agent.call('graph__cypher', { statement: LONG_STATEMENT });
        await until('gitnexus works', async () => (await cpuTicks(pid)) > before + BUSY_TICKS);

        process.kill(pid, 'SIGKILL');

        expectKilled(failureOf(await call));
        await expectCode(agent, repository);
        await untilBack(agent, scripts.graph, pid, 'graph__list_repos', {});
        await expectGraph(agent);
    },

    'octocode-mcp may be killed while it hangs': async (agent, { scripts, repository }) => {
        const pid = await pidRunning(scripts.code);
        process.kill(pid, 'SIGSTOP');
        const search = { path: repository, operation: 'text', searchText: 'loadOrder' };
        const call = agent.call('code__localSearch', { queries: [search] });
        await expectGraph(agent);

        process.kill(pid, 'SIGKILL');

        expectKilled(failureOf(await call));
        await expectGraph(agent);
        await untilBack(agent, scripts.code, pid, 'code__localSearch', { queries: [search] });
        await expectCode(agent, repository);
    },

    'are still listed': async (agent) => {
        await untilListed(agent, ALL_TOOLS);
    },
});
