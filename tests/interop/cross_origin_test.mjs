// Pages in a real browser that call the gateway by `fetch` from another origin.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { servePage, startBrowser } from './support/browser.mjs';
import { fixtureChild, startGateway } from './support/gateway.mjs';
import { Scope } from './support/processes.mjs';

const LIMIT_MS = 120_000;
const LIST_LIMIT_MS = 20_000;
const LIST_PAUSE_MS = 50;
const TOKEN = 'shown-by-the-page';
const EMPTY_PAGE = '<!doctype html><title>A page that calls</title>';

/**
 * Runs in the page: sends one request and returns what the browser lets the page see of the answer;
 * only the head if it `isEndless`.
 */
async function fetchInPage({ url, method, headers, body, isEndless }) {
    let response;
    try {
        response = await fetch(url, { method, headers, body });
    } catch (error) {
        return { failure: error.name };
    }
    const seen = { status: response.status, headers: Object.fromEntries(response.headers) };
    if (isEndless) {
        await response.body.cancel();
        return seen;
    }
    return { ...seen, text: await response.text() };
}

/** The same page under a foreign host name. */
function named(origin, name) {
    return origin.replace('127.0.0.1', `${name}.example`);
}

/** Returns the messages of an answer: its body, or the events of its stream. */
function messagesOf({ headers, text }) {
    if (headers['content-type'] !== 'text/event-stream') {
        return [JSON.parse(text)];
    }
    const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
    return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

describe('a page of another origin', () => {
    const scope = new Scope();
    let browser;
    let origin;
    let url;

    // No interception, because Playwright would then answer preflights itself.
    async function openTab(from = origin) {
        const tab = await browser.newPage();
        await tab.goto(from);
        return tab;
    }
    function send(tab, options) {
        const { method = 'POST', message, headers = {}, token = TOKEN, isEndless } = options;
        const all = { Accept: 'application/json, text/event-stream', ...headers };
        if (token) {
            all.Authorization = `Bearer ${token}`;
        }
        if (message) {
            all['Content-Type'] = 'application/json';
        }
        const body = message && JSON.stringify({ jsonrpc: '2.0', ...message });
        return tab.evaluate(fetchInPage, { url, method, headers: all, body, isEndless });
    }
    /** Sends a request and returns its result, which must exist. */
    async function result(tab, method, params, headers) {
        const answer = await send(tab, { message: { id: 1, method, params }, headers });
        const last = answer.text && messagesOf(answer).at(-1);
        assert.ok(last?.result, JSON.stringify(answer));
        return last.result;
    }
    /** Opens a session and returns the headers for its requests. */
    async function openSession(tab) {
        const params = {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'page', version: '1.0.0' },
        };
        const answer = await send(tab, { message: { id: 0, method: 'initialize', params } });
        assert.equal(answer.status, 200, JSON.stringify(answer));
        const headers = {
            'Mcp-Session-Id': answer.headers['mcp-session-id'],
            'MCP-Protocol-Version': '2025-11-25',
        };
        const message = { method: 'notifications/initialized' };
        assert.equal((await send(tab, { message, headers })).status, 202);
        return headers;
    }
    async function untilListed(tab, name, headers) {
        const deadline = Date.now() + LIST_LIMIT_MS;
        for (;;) {
            const { tools } = await result(tab, 'tools/list', {}, headers);
            if (tools.some((tool) => tool.name === name)) {
                return;
            }
            assert.ok(Date.now() < deadline, `tools/list still lacks ${name}`);
            await new Promise((resolve) => setTimeout(resolve, LIST_PAUSE_MS));
        }
    }

    before(
        async () => {
            origin = await servePage(scope, EMPTY_PAGE);
            const sections = {
                admin: false,
                surface: { mode: 'all' },
                agents: { tokens: { page: TOKEN }, pages: 'loopback', origins: [named(origin, 'ide')] },
            };
            const servers = { fixture: fixtureChild('legacy') };
            ({ url } = await startGateway(scope, servers, sections));
            browser = await startBrowser(scope);
        },
        { timeout: LIMIT_MS },
    );
    after(() => scope.close(), { timeout: LIMIT_MS });

    test('opens a session, lists, calls and ends it', { timeout: LIMIT_MS }, async () => {
        const tab = await openTab();
        const session = await openSession(tab);
        await untilListed(tab, 'echo', session);

        const params = { name: 'echo', arguments: { text: 'from a page' } };
        const { content } = await result(tab, 'tools/call', params, session);
        assert.equal(content[0].text, 'from a page');

        assert.equal((await send(tab, { method: 'DELETE', headers: session })).status, 200);
        const late = await send(tab, { message: { id: 2, method: 'ping' }, headers: session });
        assert.equal(late.status, 404);
        assert.match(late.text, /Session not found/);
        await tab.close();
    });

    test('reads streams', { timeout: LIMIT_MS }, async () => {
        const tab = await openTab();
        const session = await openSession(tab);
        await untilListed(tab, 'test_tool_with_progress', session);

        const params = { name: 'test_tool_with_progress', _meta: { progressToken: 'p' } };
        const message = { id: 3, method: 'tools/call', params };
        const answer = await send(tab, { message, headers: session });
        const steps = messagesOf(answer).map(({ params }) => params?.progress);
        assert.deepEqual(steps, [0, 50, 100, undefined]);

        const headers = { ...session, 'Last-Event-ID': '1-0' };
        const again = await send(tab, { method: 'GET', headers });
        assert.deepEqual(messagesOf(again), messagesOf(answer));
        const stream = await send(tab, { method: 'GET', headers: session, isEndless: true });
        assert.equal(stream.status, 200);
        assert.equal(stream.headers['content-type'], 'text/event-stream');
        await tab.close();
    });

    test('calls without a session, with headers of its own', { timeout: LIMIT_MS }, async () => {
        const tab = await openTab();
        await untilListed(tab, 'echo', await openSession(tab));
        const params = {
            name: 'echo',
            arguments: { text: 'modern' },
            _meta: {
                'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                'io.modelcontextprotocol/clientCapabilities': {},
            },
        };
        const headers = {
            'MCP-Protocol-Version': '2026-07-28',
            'Mcp-Method': 'tools/call',
            'Mcp-Name': 'echo',
            'Mcp-Param-Region': 'eu',
            traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        };

        const { content } = await result(tab, 'tools/call', params, headers);

        assert.equal(content[0].text, 'modern');
        await tab.close();
    });

    test('learns that its token is missing or wrong', { timeout: LIMIT_MS }, async () => {
        const tab = await openTab();
        for (const token of ['', 'not-the-token']) {
            const answer = await send(tab, { message: { id: 4, method: 'ping' }, token });
            assert.equal(answer.status, 401, JSON.stringify(answer));
            assert.equal(answer.headers['www-authenticate'], 'Bearer');
        }
        await tab.close();
    });

    test('needs a known origin', { timeout: LIMIT_MS }, async () => {
        const known = await openTab(named(origin, 'ide'));
        const stranger = await openTab(named(origin, 'stranger'));
        const session = await openSession(known);
        const ping = { message: { id: 5, method: 'ping' }, headers: session };

        assert.equal((await send(known, ping)).status, 200);
        assert.deepEqual(await send(stranger, ping), { failure: 'TypeError' });

        await known.close();
        await stranger.close();
    });
});
