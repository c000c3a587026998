// Stops under load: every call gets an answer or is refused, and a large answer arrives whole.
//
//   stop_test.mjs [<number of stops>]

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { HttpCaller, StdioCaller, WebSocketCaller } from './support/counted_load.mjs';
import { fixtureChild, startFixture, startGateway } from './support/gateway.mjs';
import { withScope } from './support/processes.mjs';

const STOPS = Number(process.argv[2] ?? 8);
const CALLS_AT_ONCE = 3; // on a channel
const LARGE_BYTES = 20_000_000;

const SECTIONS = { admin: false, surface: { mode: 'all' } };

/** Counts how calls ended; `problems` are those that must not happen. */
class Account {
    answered = 0;
    refused = 0;
    turnedAway = 0;
    problems = [];

    add(caller, { end, expected }) {
        const words = JSON.stringify(end);
        const result = end.answer?.result;
        if (!result?.isError && result?.content?.[0]?.text === expected) {
            ++this.answered;
        } else if (end.turnedAway) {
            ++this.turnedAway;
        } else if (/SHUTTING_DOWN/.test(words) && /retryAfter\\*":[1-9]/.test(words)) {
            ++this.refused;
        } else {
            this.problems.push(`${caller.name}: ${words}`);
        }
    }
}

async function bothServers(scope) {
    const url = await startFixture(scope, 'modern');
    return { one: { type: 'http', url }, two: fixtureChild('legacy') };
}

async function oneStop(servers, account, number) {
    await withScope(async (scope) => {
        const { program, url, webSocketUrl } = await startGateway(
            scope,
            servers,
            SECTIONS,
            ['--stdio', '--drain', '20s'],
            { input: 'pipe' },
        );
        const callers = [
            new HttpCaller(url, { isModern: true, keepsAlive: true }),
            new HttpCaller(url, { isModern: true, keepsAlive: true }),
            new HttpCaller(url, { isModern: true, keepsAlive: false }),
            new HttpCaller(url, { isModern: false, keepsAlive: true }),
            new HttpCaller(url, { isModern: false, keepsAlive: false }),
            new WebSocketCaller(webSocketUrl),
            new StdioCaller(program.child),
        ];
        scope.defer(() => callers.forEach((caller) => caller.close()));
        await Promise.all(callers.map((caller) => caller.open()));

        let counter = 0;
        const callOften = async (caller, index) => {
            for (;;) {
                const isLong = ++counter % 3 === 0;
                const text = `${number}.${index}.${counter}`;
                const server = counter % 2 === 0 ? 'one' : 'two';
                const tool = isLong
                    ? { name: `${server}__sleep`, args: { ms: 1 + (counter % 40) } }
                    : { name: `${server}__echo`, args: { text } };
                const end = await caller.call(tool);
                const expected = isLong ? `Slept ${tool.args.ms} ms.` : text;
                account.add(caller, { end, expected });
                if (end.turnedAway || end.lost) {
                    return;
                }
            }
        };
        // The first call waits for the servers.
        await callers[0].call({ name: 'one__echo', args: { text: 'ready' } });
        await callers[0].call({ name: 'two__echo', args: { text: 'ready' } });
        const lanes = callers.flatMap((caller) =>
            Array(caller instanceof HttpCaller ? 1 : CALLS_AT_ONCE).fill(caller),
        );
        const running = lanes.map(callOften);
        await pause(30 + ((number * 37) % 150));
        const end = await program.stop();
        assert.equal(end.code, 0, program.describe());
        await Promise.all(running);
    });
}

test(`${STOPS} stops under load lose no call`, async () => {
    const account = new Account();
    await withScope(async (scope) => {
        const servers = await bothServers(scope);
        for (let number = 1; number <= STOPS; ++number) {
            await oneStop(servers, account, number);
        }
    });
    console.log(
        `${STOPS} stops: ${account.answered} calls answered, ${account.refused} refused, ` +
            `${account.turnedAway} turned away, ${account.problems.length} lost or wrong`,
    );
    assert.deepEqual(account.problems.slice(0, 20), []);
    assert.ok(account.answered > STOPS * 10);
});

/** Reads the answer to `text` only after the gateway stops. */
function slowAnswer(url, text, headers) {
    const { hostname, port, pathname } = new URL(url);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setEncoding('latin1').pause();
    socket.write(
        `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n` +
            `Accept: application/json, text/event-stream\r\n${lines.join('')}` +
            `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    return {
        read: () =>
            new Promise((resolve, reject) => {
                let body = '';
                socket.on('data', (part) => (body += part));
                socket.once('end', () => resolve(body));
                socket.once('error', reject);
                socket.resume();
            }),
    };
}

const large = { name: 'one__big', args: { bytes: LARGE_BYTES } };

test('an answer of 20 MB that is being written arrives whole over HTTP', async () => {
    await withScope(async (scope) => {
        const servers = await bothServers(scope);
        const { program, url } = await startGateway(scope, servers, SECTIONS, ['--drain', '20s']);
        const caller = new HttpCaller(url, { isModern: true, keepsAlive: false });
        await caller.call({ name: 'one__echo', args: { text: 'ready' } });
        const body = JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: {
                name: large.name,
                arguments: large.args,
                _meta: {
                    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                    'io.modelcontextprotocol/clientCapabilities': {},
                },
            },
        });
        const answer = slowAnswer(url, body, {
            'MCP-Protocol-Version': '2026-07-28',
            'Mcp-Method': 'tools/call',
            'Mcp-Name': large.name,
        });
        await pause(1_500); // the answer fills the buffers of the system
        const stopped = program.stop();
        await pause(500);

        const text = await answer.read();

        assert.ok(text.length > LARGE_BYTES, `only ${text.length} bytes arrived`);
        assert.equal((await stopped).code, 0);
    });
});

test('an answer of 20 MB that is being written arrives whole on a WebSocket', async () => {
    await withScope(async (scope) => {
        const servers = await bothServers(scope);
        const { program, webSocketUrl } = await startGateway(scope, servers, SECTIONS, ['--drain', '20s']);
        const caller = new WebSocketCaller(webSocketUrl);
        await caller.open();
        await caller.call({ name: 'one__echo', args: { text: 'ready' } });
        const called = caller.call(large);
        caller.socket.pause();
        await pause(1_500);
        const stopped = program.stop();
        await pause(500);
        caller.socket.resume();

        const { answer, ...otherwise } = await called;

        assert.ok(answer, JSON.stringify(otherwise));
        assert.equal(answer.result.content[0].text.length, LARGE_BYTES);
        assert.equal((await stopped).code, 0);
    });
});
