// An agent that sees a few of a thousand tools: it finds one, calls it and gets its answer in two
// requests. The size of its list is printed next to that of the whole list.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { agentKinds, connectAgent } from './support/agents.mjs';
import { fixtureChild, startGateway } from './support/gateway.mjs';
import { Scope } from './support/processes.mjs';

const LIMIT_MS = 120_000;
const TOOLS = 1000;
const FIND_LIMIT_MS = 20_000;
const PAUSE_MS = 50;

const KINDS = agentKinds.filter((kind) => kind.sdk === 2 && kind.transport === 'http');

function bytesOf(tools) {
    return Buffer.byteLength(JSON.stringify(tools));
}

/** Returns the result once the tools have been indexed. */
async function untilFound(agent, query, name) {
    const deadline = Date.now() + FIND_LIMIT_MS;
    for (;;) {
        const result = await agent.call('find_tools', { query, limit: 3 });
        const found = result.structuredContent.tools[0];
        if (found?.name === name) {
            return result;
        }
        assert.ok(Date.now() < deadline, JSON.stringify(result));
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
}

describe('a thousand tools', () => {
    const scope = new Scope();
    const gateways = {};

    before(
        async () => {
            const servers = { zoo: fixtureChild('both', '--tools', String(TOOLS)) };
            for (const mode of ['all', 'search']) {
                gateways[mode] = await startGateway(scope, servers, {
                    admin: false,
                    surface: { mode },
                });
            }
        },
        { timeout: LIMIT_MS },
    );
    after(() => scope.close(), { timeout: LIMIT_MS });

    for (const kind of KINDS) {
        test(`are found, called and answered: ${kind.name}`, { timeout: LIMIT_MS }, async () => {
            const agent = await connectAgent(scope, kind, gateways.search);

            const listed = await agent.client.listTools();
            const found = await untilFound(agent, 'documents of workspace 777', 'tool_00777');
            const [tool] = found.structuredContent.tools;
            const direct = await agent.callForText(tool.name, { query: 'x' });
            const through = await agent.callForText('call_tool', {
                name: tool.name,
                arguments: { query: 'x' },
            });

            assert.deepEqual(
                listed.tools.map((one) => one.name),
                ['find_tools', 'call_tool', 'describe_tool'],
            );
            assert.equal(tool.name, 'tool_00777');
            assert.ok(found.content[0].text.includes('tool_00777'));
            assert.equal(direct, 'This is tool_00777.');
            assert.equal(through, direct);
        });
    }

    test('cost a small part of their list', { timeout: LIMIT_MS }, async () => {
        const [kind] = KINDS;
        const whole = await connectAgent(scope, kind, gateways.all);
        const searching = await connectAgent(scope, kind, gateways.search);

        const all = bytesOf(await whole.list('tools/list', 'tools'));
        const few = bytesOf(await searching.list('tools/list', 'tools'));

        console.log(`tools/list: ${all} bytes in the mode all, ${few} in the mode search`);
        assert.ok(few * 100 < all, `${few} of ${all} bytes`);
    });
});
