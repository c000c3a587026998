// The child processes of a test according to /proc: the gateway and the processes it starts.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';

const PAUSE_MS = 20;
const WAIT_LIMIT_MS = 30_000;

// The fields after the program's name, which is in parentheses and may contain anything.
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

/** Returns the ids of all live descendants of this process that run `script`. */
export async function pidsRunning(script) {
    const family = await descendants(process.pid);
    const alive = family.filter(({ state }) => state !== 'Z');
    return alive.filter(({ words }) => words.includes(script)).map(({ pid }) => pid);
}

/** Returns the only process that runs `script`. */
export async function pidRunning(script) {
    const pids = await pidsRunning(script);
    assert.equal(pids.length, 1, `${script} runs in processes: ${pids}`);
    return pids[0];
}

/** Returns the CPU time of all threads of a process, in hundredths of a second. */
export async function cpuTicks(pid) {
    const fields = await statFields(pid);
    return Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
}

/** Polls until the condition holds; `what` describes the condition. */
export async function until(what, condition) {
    const deadline = Date.now() + WAIT_LIMIT_MS;
    while (!(await condition())) {
        assert.ok(Date.now() < deadline, `${what}, within ${WAIT_LIMIT_MS} ms`);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
}
