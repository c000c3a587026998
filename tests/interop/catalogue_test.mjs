// The catalogue of six servers behind one gateway: names, descriptions, pages, rejected requests.

import assert from 'node:assert/strict';

import { household, describeEveryAgent, untilListed } from './support/household.mjs';

const INVALID_PARAMS = -32602;

const ONE_TOOL_OF_EACH = [
    'everything__echo',
    'everything_sse__echo',
    'everything_http__echo',
    'files__read_text_file',
    'memory__create_entities',
    'thinking__sequentialthinking',
];

const MEMORY_TOOLS = [
    'memory__add_observations',
    'memory__create_entities',
    'memory__create_relations',
    'memory__delete_entities',
    'memory__delete_observations',
    'memory__delete_relations',
    'memory__open_nodes',
    'memory__read_graph',
    'memory__search_nodes',
];

function names(items) {
    return items.map((item) => item.name);
}

function checkNames(items) {
    assert.equal(new Set(names(items)).size, items.length, 'a name is listed twice');
    for (const { name, description } of items) {
        assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
        assert.ok(description, `${name} has no description`);
    }
}

describeEveryAgent('six servers', { prepare: household }, {
    async 'negotiates the newest revision of its era'(agent) {
        const expected = agent.kind.era === 'modern' ? '2026-07-28' : '2025-11-25';

        assert.equal(agent.revision, expected);
    },

    async 'lists the tools of all servers under the names of their servers'(agent) {
        const tools = await untilListed(agent, [...ONE_TOOL_OF_EACH, ...MEMORY_TOOLS]);

        checkNames(tools);
        const ofMemory = names(tools).filter((name) => name.startsWith('memory__'));
        assert.deepEqual(ofMemory.sort(), MEMORY_TOOLS);
        const perMode = ['everything', 'everything_sse', 'everything_http'].map((server) =>
            names(tools)
                .filter((name) => name.startsWith(`${server}__`))
                .map((name) => name.slice(server.length + 2))
                .sort(),
        );
        assert.deepEqual(perMode[1], perMode[0]);
        assert.deepEqual(perMode[2], perMode[0]);
        assert.ok(tools.every((tool) => tool.inputSchema.type === 'object'));
        console.log(`${agent.kind.name}: ${tools.length} tools`);
    },

    async 'lists tools in the same order every time'(agent) {
        await untilListed(agent, ONE_TOOL_OF_EACH);

        const first = names(await agent.list('tools/list', 'tools'));
        const second = names(await agent.list('tools/list', 'tools'));

        assert.deepEqual(second, first);
    },

    async 'refuses a cursor that it has not given'(agent) {
        await assert.rejects(agent.request('tools/list', { cursor: 'no such page' }), {
            code: INVALID_PARAMS,
        });
    },

    async 'refuses an unknown tool and names the nearest'(agent) {
        await untilListed(agent, ONE_TOOL_OF_EACH);

        await assert.rejects(agent.call('memory__read_grahp'), (error) => {
            assert.equal(error.code, INVALID_PARAMS);
            assert.match(error.message, /memory__read_graph/);
            return true;
        });
    },
});
