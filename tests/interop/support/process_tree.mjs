// The processes below a test, as /proc shows them: the gateway is one, and what it starts.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';

const PAUSE_MS = 20;
const WAIT_LIMIT_MS = 30_000;

// Behind the name of the program, which is in brackets and may hold anything.
const STATE = 0;
const PARENT = 1;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

async function statFields(pid) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

async function processOf(pid) {
    try {
        const fields = await statFields(pid);
        const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
        return { pid, parent: Number(fields[PARENT]), state: fields[STATE], words };
    } catch {
        return undefined; // it has ended meanwhile
    }
}

async function descendants(ancestor) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const all = (await Promise.all(pids.map(processOf))).filter((one) => one !== undefined);
    const family = new Set([ancestor]);
    for (let size = 0; size !== family.size; ) {
        size = family.size;
        all.filter(({ parent }) => family.has(parent)).forEach(({ pid }) => family.add(pid));
    }
    return all.filter(({ pid }) => pid !== ancestor && family.has(pid));
}

/** The process ids of all that run `script` below this process, without what is dead. */
export async function pidsRunning(script) {
    const family = await descendants(process.pid);
    const alive = family.filter(({ state }) => state !== 'Z');
    return alive.filter(({ words }) => words.includes(script)).map(({ pid }) => pid);
}

/** The one that runs `script`. */
export async function pidRunning(script) {
    const pids = await pidsRunning(script);
    assert.equal(pids.length, 1, `${script} runs in processes: ${pids}`);
    return pids[0];
}

/** How long all threads of a process have computed, in ticks of a hundredth of a second. */
export async function cpuTicks(pid) {
    const fields = await statFields(pid);
    return Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
}

/** Asks again and again until the condition holds; `what` says what should have been. */
export async function until(what, condition) {
    const deadline = Date.now() + WAIT_LIMIT_MS;
    while (!(await condition())) {
        assert.ok(Date.now() < deadline, `${what}, within ${WAIT_LIMIT_MS} ms`);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
}
