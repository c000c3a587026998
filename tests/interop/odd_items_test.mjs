// List items of one server that official clients reject. They validate a list as a whole, so one
// such item would hide the items of every other server, too.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { agentKinds, connectAgent } from './support/agents.mjs';
import { fixtureChild, startGateway } from './support/gateway.mjs';
import { run, Scope, withScope } from './support/processes.mjs';

const LIMIT_MS = 60_000;
const LIST_LIMIT_MS = 30_000;
const LIST_PAUSE_MS = 50;
const OBJECT = { type: 'object' };
const GOOD_TOOL = 'good__echo';
const GOOD_PROMPT = 'good__test_simple_prompt';
const GOOD_RESOURCE = 'test://static-text';
const GOOD_TEMPLATE = 'test://template/{id}/data';

const tool = (members) => ({ tools: [{ name: 'odd', inputSchema: OBJECT, ...members }] });
const schema = (inputSchema) => tool({ inputSchema });
const prompt = (members) => ({ prompts: [{ name: 'odd', ...members }] });
const resource = (members) => ({ resources: [{ uri: 'odd://it', name: 'odd', ...members }] });
const annotated = (annotations) => resource({ annotations });

/** The lists of the odd server, by what is odd about their one item. */
const SHAPES = {
    'a schema with $schema alone': schema({ $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    'an empty schema': schema({}),
    'a schema of arrays': schema({ type: 'array' }),
    'a schema of objects and null': schema({ type: ['object', 'null'] }),
    'a schema with anyOf and no type': schema({ anyOf: [{ required: ['a'] }] }),
    'a schema with type null': schema({ type: null }),
    'properties null': schema({ ...OBJECT, properties: null }),
    'properties as a list': schema({ ...OBJECT, properties: [] }),
    'required null': schema({ ...OBJECT, required: null }),
    'required as a string': schema({ ...OBJECT, required: 'a' }),
    'required with numbers': schema({ ...OBJECT, required: [1] }),
    'a property that is true': schema({ ...OBJECT, properties: { a: true } }),
    'a property that is null': schema({ ...OBJECT, properties: { a: null } }),
    '$schema as a number': schema({ ...OBJECT, $schema: 7 }),
    'no schema': schema(undefined),
    'a tool without a name': tool({ name: undefined }),
    'openWorldHint null': tool({ annotations: { openWorldHint: null } }),
    'title null': tool({ title: null }),
    'description as a number': tool({ description: 7 }),
    'annotations null': tool({ annotations: null }),
    'readOnlyHint as a string': tool({ annotations: { readOnlyHint: 'yes' } }),
    'a title of annotations as a number': tool({ annotations: { title: 7 } }),
    'icons as an object': tool({ icons: {} }),
    'an icon without source': tool({ icons: [{}] }),
    'sizes of an icon as a string': tool({ icons: [{ src: 'data:,', sizes: '1x1' }] }),
    'an unknown theme of an icon': tool({ icons: [{ src: 'data:,', theme: 'blue' }] }),
    '_meta null': tool({ _meta: null }),
    '_meta as a list': tool({ _meta: [] }),
    'outputSchema null': tool({ outputSchema: null }),
    'required of outputSchema as a string': tool({ outputSchema: { ...OBJECT, required: 'a' } }),
    'execution null': tool({ execution: null }),
    'arguments null': prompt({ arguments: null }),
    'an argument without a name': prompt({ arguments: [{ required: true }] }),
    'required of an argument as a string': prompt({ arguments: [{ name: 'a', required: 'true' }] }),
    'a resource without a name': resource({ name: undefined }),
    'mimeType null': resource({ mimeType: null }),
    'size as a string': resource({ size: '5' }),
    'a priority above 1': annotated({ priority: 5 }),
    'an invalid audience': annotated({ audience: ['model'] }),
    'a time without a zone': annotated({ lastModified: '2025-01-12T15:00:00' }),
    'a resource with _meta null': resource({ _meta: null }),
    'a template without a name': { resourceTemplates: [{ uriTemplate: 'odd://{it}' }] },
};

// No repair helps these.
const DROPPED = ['a schema of arrays', 'no schema', 'a tool without a name'];

const LISTS = {
    'tools/list': 'tools',
    'prompts/list': 'prompts',
    'resources/list': 'resources',
    'resources/templates/list': 'resourceTemplates',
};
const CAPABILITIES = { tools: {}, prompts: {}, resources: {} };
const IDENTITY = { name: 'odd', version: '1' };

function result(lists, method) {
    switch (method) {
        case 'initialize':
            return {
                protocolVersion: '2025-11-25',
                capabilities: CAPABILITIES,
                serverInfo: IDENTITY,
            };
        case 'server/discover':
            return { supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES };
        default: {
            const key = LISTS[method];
            return key && { [key]: lists[key] ?? [] };
        }
    }
}

// Answers for the server of that index; each has its own URIs.
function answer(index, { id, method, params }) {
    const lists = Object.values(SHAPES)[index];
    const plain = result(lists, method);
    if (plain === undefined) {
        return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    }
    const isModern = params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
    const modern = {
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': IDENTITY },
    };
    return { jsonrpc: '2.0', id, result: isModern ? { ...modern, ...plain } : plain };
}

// One server per shape, in both eras and without sessions. They list what no SDK would let them
// list. Returns the URL of the server with that index.
async function startOddServers(scope) {
    const server = createServer((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (text) => (body += text));
        request.on('end', () => {
            const index = Number(request.url.slice(1));
            const message = request.method === 'POST' ? JSON.parse(body) : {};
            if (message.id === undefined) {
                response.writeHead(request.method === 'POST' ? 202 : 405).end();
                return;
            }
            const text = JSON.stringify(answer(index, message));
            response
                .writeHead(200, { 'Content-Type': 'application/json' })
                .end(text.replaceAll('odd://', `odd://${index}/`));
        });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    scope.defer(() => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
    });
    return (index) => `http://127.0.0.1:${server.address().port}/${index}`;
}

const KINDS = agentKinds.filter(({ name }) =>
    ['SDK v1 over HTTP', 'SDK v2 legacy over HTTP', 'SDK v2 pinned over HTTP'].includes(name),
);

/** The lists as the client of the SDK accepts them, by method. */
async function acceptedLists({ client }) {
    return {
        'tools/list': (await client.listTools()).tools,
        'prompts/list': (await client.listPrompts()).prompts,
        'resources/list': (await client.listResources()).resources,
        'resources/templates/list': (await client.listResourceTemplates()).resourceTemplates,
    };
}

/** How many items of a list come from the odd servers. */
function countOdd(items) {
    return items.filter((item) =>
        /^odd(_\d+__odd$|:)/.test(item.uri ?? item.uriTemplate ?? item.name),
    ).length;
}

// How many items there should be, by method.
function expectedCounts() {
    const counts = Object.fromEntries(Object.keys(LISTS).map((method) => [method, 0]));
    for (const [shape, lists] of Object.entries(SHAPES)) {
        for (const [method, key] of Object.entries(LISTS)) {
            counts[method] += lists[key] && !DROPPED.includes(shape) ? 1 : 0;
        }
    }
    return counts;
}

// Polls without the checks of the SDK, because servers are still starting.
async function untilAllListed(agent) {
    const deadline = Date.now() + LIST_LIMIT_MS;
    for (const [method, expected] of Object.entries(expectedCounts())) {
        for (;;) {
            const items = await agent.list(method, LISTS[method]);
            const has = countOdd(items);
            if (has >= expected && items.length > has) {
                break;
            }
            assert.ok(Date.now() < deadline, `${method} has ${has} of ${expected} odd items`);
            await new Promise((resolve) => setTimeout(resolve, LIST_PAUSE_MS));
        }
    }
}

test('there are 42 shapes', () => {
    assert.equal(Object.keys(SHAPES).length, 42);
    assert.equal(KINDS.length, 3);
});

describe('official clients without the gateway', () => {
    Object.keys(SHAPES).forEach((shape, index) => {
        test(`at least one rejects ${shape}`, { timeout: LIMIT_MS }, () =>
            withScope(async (scope) => {
                const urlOf = await startOddServers(scope);
                let rejected = 0;
                for (const kind of KINDS) {
                    const agent = await connectAgent(scope, kind, { url: urlOf(index) });
                    rejected += await acceptedLists(agent).then(
                        () => 0,
                        () => 1,
                    );
                }
                assert.ok(rejected > 0);
            }),
        );
    });
});

describe('items of other servers next to 42 odd ones', () => {
    const scope = new Scope();
    let gateway;
    before(
        async () => {
            const urlOf = await startOddServers(scope);
            const servers = { good: fixtureChild('legacy') };
            Object.keys(SHAPES).forEach((_, index) => {
                servers[`odd_${index}`] = { type: 'http', url: urlOf(index) };
            });
            const sections = { admin: { http: '127.0.0.1:0' }, surface: { mode: 'all' } };
            gateway = await startGateway(scope, servers, sections);
        },
        { timeout: LIMIT_MS },
    );
    after(() => scope.close(), { timeout: LIMIT_MS });

    for (const kind of KINDS) {
        test(`arrive at ${kind.name}`, { timeout: LIMIT_MS }, async () => {
            const agent = await connectAgent(scope, kind, gateway);
            await untilAllListed(agent);

            const lists = await acceptedLists(agent);

            const has = (method, name) =>
                lists[method].some((item) => [item.name, item.uri, item.uriTemplate].includes(name));
            assert.ok(has('tools/list', GOOD_TOOL));
            assert.ok(has('prompts/list', GOOD_PROMPT));
            assert.ok(has('resources/list', GOOD_RESOURCE));
            assert.ok(has('resources/templates/list', GOOD_TEMPLATE));
        });
    }

    test('leave the odd ones named in the status', { timeout: LIMIT_MS }, async () => {
        const answer = await fetch(new URL('/api/status', await gateway.pageUrl()));
        const { downstream_servers: servers } = await answer.json();
        const reasonOf = (wanted) => servers[wanted].reason;

        const index = Object.keys(SHAPES).indexOf('title null');
        assert.equal(
            reasonOf(`odd_${index}`),
            'tools/list: tool "odd": "title" is not a string (removed).',
        );
        assert.equal(reasonOf('good'), '');
    });

    test('are not the reason for a warning, and every odd one is', { timeout: LIMIT_MS }, async () => {
        for (const index of Object.keys(SHAPES).keys()) {
            const isSilent = Object.keys(SHAPES)[index] === 'execution null';
            if (!isSilent) {
                const line = new RegExp(`warn server "odd_${index}": \\S+ has invalid entries: `);
                await gateway.program.waitForOutput(line);
            }
        }
        assert.doesNotMatch(gateway.program.errors, /server "good": .* has invalid entries/);
    });
});

test('check names tools that are skipped or repaired', { timeout: LIMIT_MS }, () =>
    withScope(async (scope) => {
        const urlOf = await startOddServers(scope);
        const servers = {};
        for (const shape of ['no schema', 'a tool without a name', 'icons as an object']) {
            servers[`odd_${Object.keys(servers).length}`] = {
                type: 'http',
                url: urlOf(Object.keys(SHAPES).indexOf(shape)),
            };
        }
        const directory = await scope.directory();
        const config = join(directory, 'config.json');
        await writeFile(config, JSON.stringify({ mcpServers: servers }));
        const environment = Object.fromEntries(
            ['CACHE_HOME', 'CONFIG_HOME', 'DATA_HOME', 'RUNTIME_DIR'].map((name) => [
                `XDG_${name}`,
                directory,
            ]),
        );

        const { code, output } = await run(
            [process.env.HOLDFAST_BINARY, 'check', '--config', config],
            { limitMs: LIMIT_MS, environment },
        );

        assert.equal(code, 0, output);
        assert.match(output, /tool "odd" is not listed: "inputSchema" is missing/);
        assert.match(output, /tool 1 is not listed: it has no "name"/);
        assert.match(output, /tool "odd": "icons" is not an array \(removed\)/);
    }),
);
