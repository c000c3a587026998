// Agents that only know the HTTP+SSE transport of the revision 2024-11-05.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';

import { ALL_EARS, connectAgentOver } from './support/agents.mjs';
import { fixtureChild, startGateway } from './support/gateway.mjs';
import { Scope } from './support/processes.mjs';

const LIMIT_MS = 60_000;
const KIND = { name: 'SDK v1 over HTTP+SSE', sdk: 1, era: 'legacy', transport: 'sse' };
// On a shared session a server could not ask an agent shortly after a call of another.
const SERVERS = { box: { ...fixtureChild('legacy'), session: 'per-agent' } };
const TOKENS = { ada: 'a-long-token-of-ada', bob: 'a-long-token-of-bob' };
const MESSAGE = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

function sections(agents) {
    return { admin: false, surface: { mode: 'all' }, agents };
}

function at(gateway, path) {
    return new URL(path, gateway.url);
}

function agentOf(scope, gateway, principal) {
    const headers = { Authorization: `Bearer ${TOKENS[principal]}` };
    const transport = new SSEClientTransport(at(gateway, '/sse'), { requestInit: { headers } });
    return connectAgentOver(scope, KIND, transport, ALL_EARS);
}

/** Opens a stream and returns it with the address for messages. */
async function openStream(gateway, principal) {
    const stream = await fetch(at(gateway, '/sse'), {
        headers: { Accept: 'text/event-stream', Authorization: `Bearer ${TOKENS[principal]}` },
    });
    assert.equal(stream.status, 200);
    assert.match(stream.headers.get('content-type'), /^text\/event-stream/);
    const reader = stream.body.getReader();
    let text = '';
    while (!text.includes('\n\n')) {
        text += new TextDecoder().decode((await reader.read()).value);
    }
    const [, endpoint] = text.match(/^event: endpoint\ndata: (\S+)\n/);
    return { reader, endpoint: at(gateway, endpoint) };
}

function post(endpoint, principal) {
    return fetch(endpoint, {
        method: 'POST',
        headers: {
            'Content-Type': 'application/json',
            Authorization: `Bearer ${TOKENS[principal]}`,
        },
        body: MESSAGE,
    });
}

describe('agents over HTTP+SSE', { timeout: LIMIT_MS }, () => {
    const scope = new Scope();
    let gateway;
    before(async () => {
        gateway = await startGateway(scope, SERVERS, sections({ tokens: TOKENS, sse: true }));
    });
    after(() => scope.close());

    test('use tools, and get progress and logs', async () => {
        const agent = await agentOf(scope, gateway, 'ada');
        const tools = await agent.list('tools/list', 'tools');
        assert.ok(tools.some((tool) => tool.name === 'test_simple_text'));

        const text = await agent.callForText('test_simple_text');
        assert.match(text, /simple text/);

        const seen = [];
        await agent.call('test_tool_with_progress', {}, { onprogress: (step) => seen.push(step) });
        assert.ok(seen.length >= 1);

        await agent.request('logging/setLevel', { level: 'debug' });
        await agent.call('test_tool_with_logging');
        await agent.notification(({ method }) => method === 'notifications/message');
    });

    test('are asked by servers', async () => {
        const agent = await agentOf(scope, gateway, 'ada');
        agent.answers['elicitation/create'] = () => ({
            action: 'accept',
            content: { username: 'ada', email: 'ada@example.org' },
        });

        const text = await agent.callForText('test_elicitation', { message: 'Who?' });

        assert.match(text, /accept/);
        assert.equal(agent.questions.length, 1);
    });

    test('have their own sessions', async () => {
        const { reader, endpoint } = await openStream(gateway, 'ada');
        const unknown = new URL(endpoint);
        unknown.searchParams.set('sessionId', 'unknown');

        assert.equal((await post(endpoint, 'ada')).status, 202);
        assert.equal((await post(endpoint, 'bob')).status, 404);
        assert.equal((await post(unknown, 'ada')).status, 404);

        await reader.cancel();
        let status = 202;
        for (let tries = 0; status === 202 && tries < 200; ++tries) {
            ({ status } = await post(endpoint, 'ada'));
        }
        assert.equal(status, 404);
    });

    test('need a token and the right method', async () => {
        assert.equal((await fetch(at(gateway, '/sse'))).status, 401);
        const headers = { Authorization: `Bearer ${TOKENS.ada}` };
        const wrong = await fetch(at(gateway, '/sse'), { method: 'POST', headers, body: MESSAGE });
        assert.equal(wrong.status, 405);
        assert.equal(wrong.headers.get('allow'), 'GET');
        assert.equal((await fetch(at(gateway, '/messages'), { headers })).status, 405);
    });
});

test('the transport is off by default', { timeout: LIMIT_MS }, async () => {
    const scope = new Scope();
    try {
        const gateway = await startGateway(scope, SERVERS, sections({}));
        assert.equal((await fetch(at(gateway, '/sse'))).status, 404);
        const message = await fetch(at(gateway, '/messages?sessionId=x'), { method: 'POST' });
        assert.equal(message.status, 404);
    } finally {
        await scope.close();
    }
});
