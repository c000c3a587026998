// conformance_adapter.mjs <url>
//
// The client under test for the conformance runner: a gateway with the runner's server as its only
// downstream, and an agent that plays the scenario.

import assert from 'node:assert/strict';

import { agentKinds, ALL_EARS, startAgent } from './support/agents.mjs';
import { untilListed } from './support/household.mjs';
import { withScope } from './support/processes.mjs';

const CONNECT_MS = 2000;

const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const revision = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

// Returns the defaults of a requested schema, as a user who changes nothing would.
function defaultsOf({ requestedSchema }) {
    const withDefault = Object.entries(requestedSchema.properties).filter(
        ([, property]) => property.default !== undefined,
    );
    return Object.fromEntries(withDefault.map(([name, property]) => [name, property.default]));
}

// Returns a value that matches a simple schema.
function exampleOf({ type }) {
    const examples = { string: 'value', integer: 1, number: 1.5, boolean: true };
    return examples[type] ?? null;
}

function exampleArguments({ inputSchema }) {
    const properties = Object.entries(inputSchema.properties ?? {});
    return Object.fromEntries(properties.map(([name, schema]) => [name, exampleOf(schema)]));
}

// These servers list nothing, so nothing shows that the gateway has connected; the wait is
// therefore generous.
function letConnect() {
    return new Promise((resolve) => setTimeout(resolve, CONNECT_MS));
}

async function callEveryTool(agent) {
    for (const tool of await agent.list('tools/list', 'tools')) {
        await agent.call(tool.name, exampleArguments(tool));
    }
}

async function useEverything(agent) {
    await callEveryTool(agent);
    for (const { uri } of await agent.list('resources/list', 'resources')) {
        await agent.request('resources/read', { uri });
    }
    for (const { name } of await agent.list('prompts/list', 'prompts')) {
        await agent.request('prompts/get', { name });
    }
}

const steps = {
    initialize: { act: letConnect },
    tools_call: {
        tool: 'add_numbers',
        async act(agent) {
            assert.match(await agent.callForText('add_numbers', { a: 5, b: 3 }), /8/);
        },
    },
    'elicitation-sep1034-client-defaults': {
        tool: 'test_client_elicitation_defaults',
        act: (agent) => agent.callForText('test_client_elicitation_defaults'),
    },
    'sse-retry': {
        tool: 'test_reconnection',
        act: (agent) => agent.callForText('test_reconnection'),
    },
    'request-metadata': { act: letConnect },
    'http-standard-headers': { tool: 'test_headers', act: useEverything },
    'http-custom-headers': {
        tool: 'test_custom_headers',
        async act(agent) {
            for (const { name, arguments: args } of context.toolCalls) {
                await agent.call(name, args);
            }
        },
    },
    'http-invalid-tool-headers': {
        tool: 'valid_tool',
        async act(agent) {
            const tools = await agent.list('tools/list', 'tools');
            assert.deepEqual(
                tools.map(({ name }) => name),
                ['valid_tool'],
            );
            await callEveryTool(agent);
        },
    },
    'sep-2322-client-request-state': {
        tool: 'test_mrtr_echo_state',
        async act(agent) {
            await Promise.all([
                agent.callForText('test_mrtr_echo_state'),
                agent.callForText('test_mrtr_unrelated'),
            ]);
            await agent.callForText('test_mrtr_no_state');
            await agent.callForText('test_mrtr_no_result_type');
        },
    },
    'json-schema-ref-no-deref': { tool: 'lookup_user', async act() {} },
};

/** The agent speaks the era of the scenario, with the newest SDK. */
function agentOfScenario() {
    const era = revision === '2026-07-28' ? 'modern' : 'legacy';
    return agentKinds.find(
        (kind) => kind.sdk === 2 && kind.era === era && kind.transport === 'http',
    );
}

const { tool, act } = steps[scenario] ?? assert.fail(`there are no steps for "${scenario}"`);
await withScope(async (scope) => {
    const servers = { mock: { type: 'http', url: process.argv.at(-1) } };
    const agent = await startAgent(scope, agentOfScenario(), servers, ALL_EARS);
    agent.answers = {
        'elicitation/create': (params) => ({ action: 'accept', content: defaultsOf(params) }),
    };
    await untilListed(agent, tool ? [tool] : []);
    await act(agent);
});
