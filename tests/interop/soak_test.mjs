// A soak: agents on every transport call reading and writing tools of several servers at a low
// rate, and a random child is killed every five seconds. No call may be lost, no write executed
// twice, no answer wrong, and the gateway's memory must not grow after the first third.
//
//   soak_test.mjs [<seconds>]

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';

import { HttpCaller, StdioCaller, WebSocketCaller } from './support/counted_load.mjs';
import { everything } from './support/downstreams.mjs';
import { startGateway, suiteDirectory } from './support/gateway.mjs';
import { pidsRunning, until } from './support/process_tree.mjs';
import { withScope } from './support/processes.mjs';

const SECONDS = Number(process.argv[2] ?? 60);
const KILL_EVERY_MS = 5_000;
const CALL_EVERY_MS = 400; // each agent
const ANSWER_LIMIT_MS = 120_000;
const SAMPLES = 180;
// The last third may use this much more than the middle one: an allocator never stays exact.
const GROWTH_FACTOR = 1.03;
const GROWTH_KB = 2_048;

const journalServer = join(suiteDirectory, 'support', 'journal_server.mjs');

function median(numbers) {
    return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];
}

/** What happened to the calls. */
class Account {
    answered = 0;
    failed = new Map(); // by code: honest failures
    lost = [];
    wrong = [];
    written = new Map(); // by key: what the agent received for the write

    failedCount() {
        return [...this.failed.values()].reduce((sum, count) => sum + count, 0);
    }

    add({ caller, key, isWrite, expected }, end) {
        const what = `${caller.name} ${key}`;
        if (!end.answer) {
            this.lost.push(`${what}: ${JSON.stringify(end)}`);
            return;
        }
        const { result, error } = end.answer;
        const text = result?.content?.[0]?.text;
        const isFailure = error !== undefined || result?.isError === true;
        const words = JSON.stringify(end.answer);
        if (isFailure) {
            const code = /\\*"code\\*":\\*"([A-Z_]+)/.exec(words)?.[1];
            if (!code) {
                this.wrong.push(`${what}: ${words}`);
            } else {
                this.failed.set(code, (this.failed.get(code) ?? 0) + 1);
            }
        } else if (text === expected) {
            ++this.answered;
        } else {
            this.wrong.push(`${what}: ${words}`);
        }
        if (isWrite) {
            const mayBeExecuted = !isFailure || /sideEffects\\*":\\*"possible/.test(words);
            this.written.set(key, { isSuccess: !isFailure, mayBeExecuted, words });
        }
    }

    /** Compares what agents received with what the servers executed. Returns the doubled writes. */
    compare(executed) {
        const counts = new Map();
        executed.forEach((key) => counts.set(key, (counts.get(key) ?? 0) + 1));
        for (const [key, { isSuccess, mayBeExecuted, words }] of this.written) {
            const count = counts.get(key) ?? 0;
            if (isSuccess && count === 0) {
                this.lost.push(`write ${key} was answered and never executed`);
            }
            if (!mayBeExecuted && count > 0) {
                this.wrong.push(`write ${key} was executed, but the failure denies it: ${words}`);
            }
        }
        return [...counts].filter(([, count]) => count > 1).map(([key]) => key);
    }
}

async function memoryKb(pid) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]);
}

function isFlat(samples) {
    const third = Math.floor(samples.length / 3);
    const middle = median(samples.slice(third, 2 * third));
    const last = median(samples.slice(2 * third));
    return { middle, last, isFlat: last <= middle * GROWTH_FACTOR + GROWTH_KB };
}

async function servers(scope, journals) {
    const http = scope.start([process.execPath, journalServer, journals.http, '--http']);
    const [, url] = await http.waitForOutput(/^journal: listening on (http:\S+)$/m);
    const child = (file) => ({
        command: process.execPath,
        args: [journalServer, file],
        reconnect: { delay: '500ms', maxDelay: '2s' },
    });
    return {
        first: child(journals.first),
        second: child(journals.second),
        web: { type: 'http', url },
        everychild: await everything(scope, 'stdio'),
        everyweb: await everything(scope, 'http'),
    };
}

/** The call with this number, to one of the servers, in turn. */
function callNumber(number) {
    const key = `k${number}`;
    const writers = ['first', 'second', 'web'];
    const server = writers[number % writers.length];
    switch (number % 5) {
        case 0:
        case 1:
            return { key, isWrite: true, expected: `write ${key}`, tool: { name: `${server}__write`, args: { key } } };
        case 2:
        case 3:
            return { key, isWrite: false, expected: `read ${key}`, tool: { name: `${server}__read`, args: { key } } };
        default: {
            const name = number % 2 === 0 ? 'everychild' : 'everyweb';
            return { key, isWrite: false, expected: `Echo: ${key}`, tool: { name: `${name}__echo`, args: { message: key } } };
        }
    }
}

/** Never resolves later than the limit. */
async function within(limitMs, promise) {
    let timer;
    const late = new Promise((resolve) => {
        timer = setTimeout(() => resolve({ lost: `no answer in ${limitMs} ms` }), limitMs);
    });
    const end = await Promise.race([promise, late]);
    clearTimeout(timer);
    return end;
}

test(`${SECONDS} s of load with killed children`, async () => {
    await withScope(async (scope) => {
        const directory = await scope.directory();
        const journals = Object.fromEntries(
            ['first', 'second', 'http'].map((name) => [name, join(directory, `${name}.journal`)]),
        );
        const { program, url, webSocketUrl } = await startGateway(
            scope,
            await servers(scope, journals),
            // A ring of the default size, 7 MB, is full only after 10,000 calls.
            { admin: false, surface: { mode: 'all' }, limits: { explainedCalls: 100 } },
            ['--stdio'],
            { input: 'pipe' },
        );
        const callers = [
            new HttpCaller(url, { isModern: true, keepsAlive: true }),
            new HttpCaller(url, { isModern: true, keepsAlive: false }),
            new HttpCaller(url, { isModern: false, keepsAlive: true }),
            new WebSocketCaller(webSocketUrl),
            new StdioCaller(program.child),
        ];
        scope.defer(() => callers.forEach((caller) => caller.close()));
        await Promise.all(callers.map((caller) => caller.open()));
        const account = new Account();
        const end = Date.now() + SECONDS * 1000;
        let number = 0;
        await until('every server answers', async () => {
            const answers = await Promise.all(
                [0, 1, 2, 4, 9].map((one) => callers[0].call(callNumber(one).tool)),
            );
            return answers.every(({ answer }) => answer?.result && !answer.result.isError);
        });
        number = 10; // the numbers before it were used for this

        const callOften = async (caller) => {
            while (Date.now() < end) {
                const one = { caller, ...callNumber(number++) };
                const started = Date.now();
                account.add(one, await within(ANSWER_LIMIT_MS, caller.call(one.tool)));
                await pause(Math.max(0, started + CALL_EVERY_MS * (0.5 + Math.random()) - Date.now()));
            }
        };
        let kills = 0;
        const killOften = async () => {
            for (let next = Date.now() + KILL_EVERY_MS; next < end; next += KILL_EVERY_MS) {
                await pause(next - Date.now());
                const children = await Promise.all(
                    [journals.first, journals.second, 'stdio'].map(pidsRunning),
                );
                const pids = children.flat();
                if (pids.length > 0) {
                    process.kill(pids[Math.floor(Math.random() * pids.length)], 'SIGKILL');
                    ++kills;
                }
            }
        };
        const samples = [];
        const sampleOften = async () => {
            while (Date.now() < end) {
                samples.push(await memoryKb(program.child.pid));
                await pause((SECONDS * 1000) / SAMPLES);
            }
        };
        await Promise.all([...callers.map(callOften), killOften(), sampleOften()]);
        assert.equal((await program.stop()).code, 0);

        const executed = await Promise.all(
            Object.values(journals).map((file) => readFile(file, 'utf8').catch(() => '')),
        );
        // The calls before the first number were repeated until every server answered.
        const keys = executed.flatMap((text) => text.split('\n').filter((key) => key.length > 2));
        const doubled = account.compare(keys);
        const memory = isFlat(samples);
        const failures = [...account.failed].map(([code, count]) => `${code} ${count}`);
        console.log(
            `${number - 10} calls in ${SECONDS} s, ${kills} kills, ${keys.length} writes executed\n` +
                `answered ${account.answered}, failed with a reason ${account.failedCount()}` +
                `${failures.length > 0 ? ` (${failures.join(', ')})` : ''}\n` +
                `lost ${account.lost.length}, doubled ${doubled.length}, wrong ${account.wrong.length}\n` +
                `memory: first ${samples[0]} kB, middle third ${memory.middle} kB, ` +
                `last third ${memory.last} kB, most ${Math.max(...samples)} kB: ` +
                `${memory.isFlat ? 'flat' : 'growing'}`,
        );
        assert.deepEqual(account.lost.slice(0, 10), []);
        assert.deepEqual(doubled.slice(0, 10), []);
        assert.deepEqual(account.wrong.slice(0, 10), []);
        assert.ok(memory.isFlat, 'the memory of the gateway grows');
        assert.ok(kills >= Math.floor(SECONDS / 5) - 2, `only ${kills} kills`);
        assert.ok(account.answered > SECONDS * 2, `only ${account.answered} calls were answered`);
    });
});
