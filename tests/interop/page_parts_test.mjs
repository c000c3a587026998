// The pure functions of the page, without a browser, and what its sources must not contain.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { pageFiles, pageModule } from './support/page_files.mjs';

const call = await pageModule('call.js');
const drawer = await pageModule('drawer.js');
const events = await pageModule('events.js');
const format = await pageModule('format.js');
const plots = await pageModule('plots.js');
const servers = await pageModule('problems.js');
const summary = await pageModule('summary.js');
const timeline = await pageModule('timeline.js');

const CLOSED = { state: 'closed' };

function server(members = {}) {
    return {
        status: 'connected',
        paused: false,
        given_up: false,
        circuit_breaker: CLOSED,
        ...members,
    };
}

describe('the sources of the page', () => {
    test('never turn text into markup or code', async () => {
        const forbidden =
            /\w+HTML\b|document\.write|DOMParser|srcdoc|\beval\b|new Function|javascript:/;
        for (const { name, text } of await pageFiles('.js')) {
            assert.doesNotMatch(text, forbidden, name);
        }
    });

    test('hold no inline script or style, which the policy of the page forbids', async () => {
        for (const { name, text } of await pageFiles('.html')) {
            assert.doesNotMatch(text, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i, name);
        }
    });

    test('load nothing from elsewhere', async () => {
        const files = [
            ...(await pageFiles('.html')),
            ...(await pageFiles('.css')),
            ...(await pageFiles('.js')),
        ];
        assert.ok(files.length > 10);
        for (const { name, text } of files) {
            const addresses = text.match(/\b(?:https?|wss?):\/\/[^\s'"]+/g) ?? [];
            assert.deepEqual(
                addresses.filter((address) => address !== 'http://www.w3.org/2000/svg'),
                [],
                name,
            );
        }
    });
});

describe('formats', () => {
    test('spans', () => {
        const cases = [
            [0, '0 s'],
            [59.9, '59 s'],
            [65, '1 min 05 s'],
            [7320, '2 h 2 min'],
            [90_000, '1 d 1 h'],
            [null, '–'],
        ];
        for (const [seconds, words] of cases) {
            assert.equal(format.span(seconds), words);
        }
    });

    test('ages', () => {
        const cases = [
            [0.4, '0 s'],
            [59, '59 s'],
            [3000, '50 min'],
            [7320, '2 h'],
            [200_000, '2 d'],
        ];
        for (const [seconds, words] of cases) {
            assert.equal(format.age(seconds), words);
        }
    });

    test('latencies', () => {
        const cases = [
            [0, '0 ms'],
            [0.25, '0.25 ms'],
            [3.21, '3.2 ms'],
            [840.2, '840 ms'],
            [1234, '1.23 s'],
            [12_310, '12.3 s'],
        ];
        for (const [milliseconds, words] of cases) {
            assert.equal(format.milliseconds(milliseconds), words);
        }
    });

    test('shares', () => {
        assert.equal(format.percent(0, 0), '–');
        assert.equal(format.percent(0, 10), '0 %');
        assert.equal(format.percent(1, 1000), '0.1 %');
        assert.equal(format.percent(1, 2), '50 %');
    });

    test('events', () => {
        const retry = { kind: 'retry', what: 'retry', attempt: 2, max_attempts: 3, wait_ms: 400 };
        assert.equal(events.headlineOf(retry), 'retry 2 of 3 in 400 ms');
        assert.equal(
            events.headlineOf({ kind: 'circuit', what: 'opened', wait_ms: 30_000 }),
            'opened for 30 s',
        );
        assert.equal(events.headlineOf({ kind: 'connection', what: 'given_up' }), 'still down');
    });
});

describe('servers', () => {
    test('with problems come first, then idle ones, then by name', () => {
        const order = servers.sortedServers({
            fine: server(),
            also_fine: server(),
            resting: server({ status: 'disconnected' }),
            coming: server({ status: 'connecting' }),
            broken: server({ status: 'error' }),
            guarded: server({ circuit_breaker: { state: 'open' } }),
        });
        assert.deepEqual(
            order.map(({ name }) => name),
            ['broken', 'guarded', 'coming', 'resting', 'also_fine', 'fine'],
        );
    });

    test('that a person paused have no problem', () => {
        assert.equal(servers.isFailing(server({ status: 'error', paused: true })), false);
        assert.equal(servers.isFailing(server({ status: 'connecting', given_up: true })), true);
    });

    test('are summed up in one sentence', () => {
        const verdict = (downstreams, draining = false) =>
            summary.verdictOf({ server: { draining }, downstream_servers: downstreams }).words;
        assert.equal(verdict({}), 'No servers configured.');
        assert.equal(verdict({ a: server(), b: server() }), 'All 2 servers are healthy.');
        assert.equal(
            verdict({ a: server({ status: 'error' }), b: server() }),
            '1 of 2 servers failing: a.',
        );
        const five = Object.fromEntries(
            ['a', 'b', 'c', 'd', 'e'].map((name) => [name, server({ status: 'error' })]),
        );
        assert.equal(verdict(five), '5 of 5 servers failing: a, b, c and 2 more.');
        assert.match(verdict({ a: server() }, true), /draining/);
        const rejected = { draining: false, config_rejected: { at: '', reason: 'a.json:1:1: x' } };
        const some = [{}, { a: server() }, { a: server({ status: 'error' }) }];
        for (const downstreams of some) {
            assert.match(
                summary.verdictOf({ server: rejected, downstream_servers: downstreams }).words,
                /config file was rejected/,
            );
        }
    });
});

describe('a timeline', () => {
    const at = (ms, state) => ({ at: new Date(ms).toISOString(), state });

    test('is closed where nothing happened', () => {
        assert.deepEqual(timeline.spansOf([], 1000, 5000), [
            { state: 'closed', from: 1000, to: 5000 },
        ]);
    });

    test('holds every change', () => {
        const changes = [at(2000, 'open'), at(3000, 'half_open'), at(4000, 'closed')];
        assert.deepEqual(timeline.spansOf(changes, 1000, 5000), [
            { state: 'closed', from: 1000, to: 2000 },
            { state: 'open', from: 2000, to: 3000 },
            { state: 'half_open', from: 3000, to: 4000 },
            { state: 'closed', from: 4000, to: 5000 },
        ]);
    });

    test('continues the state from before its start', () => {
        assert.deepEqual(timeline.spansOf([at(500, 'open')], 1000, 5000), [
            { state: 'open', from: 1000, to: 5000 },
        ]);
        assert.equal(timeline.spansOf([at(2000, 'half_open')], 1000, 5000)[0].state, 'open');
    });
});

describe('plots', () => {
    test('keep sums and peaks when there are more values than columns', () => {
        const values = Array.from({ length: 1000 }, () => 1);
        const peaks = values.map((_, index) => (index === 500 ? 900 : 5));
        const points = plots.pointsOf(
            { calls: values, failures: values, p50_ms: peaks, p99_ms: peaks },
            0,
            10_000,
        );

        assert.ok(points.length <= 180);
        assert.equal(
            points.reduce((sum, point) => sum + point.calls, 0),
            1000,
        );
        assert.equal(Math.max(...points.map((point) => point.p99_ms)), 900);
    });

    test('have round scales', () => {
        assert.deepEqual([4, 10, 11, 23, 0.3, 701].map(plots.roundUp), [5, 10, 20, 50, 0.5, 1000]);
    });
});

describe('a call', () => {
    const attempt = (began, took, end) => ({
        server: 'code',
        began_ms: began,
        took_ms: took,
        end,
        detail: '',
    });

    test('is a row of spans, with the waits between the attempts', () => {
        const spans = call.spansOf({
            server: 'code',
            queue_ms: 10,
            attempts: [attempt(10, 50, 'timeout'), attempt(100, 20, 'answered')],
        });
        assert.deepEqual(
            spans.map(({ name, began, took }) => [name, began, took]),
            [
                ['queue', 0, 10],
                ['attempt 1', 10, 50],
                ['wait', 60, 40],
                ['attempt 2', 100, 20],
            ],
        );
    });

    test('shows its policy in every form of its values', () => {
        assert.deepEqual(call.policyRows(null), []);
        assert.deepEqual(call.policyRows({ timeout: { value: '5s', source: 'built-in' } }), [
            ['timeout', '5s', 'built-in'],
        ]);
        assert.deepEqual(call.policyRows({ timeout: '5s' }), [['timeout', '5s', '']]);
        assert.deepEqual(call.policyRows([{ key: 'timeout', value: '5s', source: 'limits' }]), [
            ['timeout', '5s', 'limits'],
        ]);
    });

    test('has a URL', () => {
        assert.deepEqual(drawer.targetOf('#/call/a%2Fb'), { kind: 'call', name: 'a/b' });
        assert.equal(drawer.targetOf('#/tools'), null);
        assert.equal(drawer.targetOf('#/server/%E0%A4%A'), null);
    });
});
