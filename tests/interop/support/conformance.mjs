// Runs the official conformance runners and reads their result files. Their output and exit code
// must agree with the files.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { packageFile } from './gateway.mjs';
import { run } from './processes.mjs';

const RUN_LIMIT_MS = 240_000;

const runners = { '0.1.16': 'conformance-0.1', '0.2.0-alpha.12': 'conformance-0.2' };

function runnerScript(version) {
    return packageFile(runners[version], 'dist', 'index.js');
}

/** The scenarios of `role` ("server" or "client") that count for `revision`, as the runner says. */
export async function requiredScenarios(role, revision) {
    const text = await readFile(
        packageFile(runners['0.2.0-alpha.12'], 'requirements', `${revision}.yaml`),
        'utf8',
    );
    const [, section] = new RegExp(`^${role}:\\n((?: +- \\S+\\n)+)`, 'm').exec(text);
    return [...section.matchAll(/- (\S+)/g)].map(([, scenario]) => scenario);
}

// Results are in "server-<scenario>-<time>", those of a client in "<scenario>-<time>".
function scenarioOf(directory, role) {
    const name = directory.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    return role === 'server' ? name.replace(/^server-/, '') : name;
}

async function readChecks(directory, role) {
    const results = new Map();
    for (const path of await readdir(directory, { recursive: true })) {
        if (!path.endsWith('/checks.json')) {
            continue;
        }
        const scenario = scenarioOf(path.slice(0, -'/checks.json'.length), role);
        const checks = JSON.parse(await readFile(join(directory, path), 'utf8'));
        assert.ok(!results.has(scenario), `${scenario} was run twice`);
        results.set(scenario, tally(checks));
    }
    return results;
}

function tally(checks) {
    const failures = checks.filter(({ status }) => status === 'FAILURE');
    return {
        passed: checks.filter(({ status }) => status === 'SUCCESS').length,
        failed: failures.length,
        warnings: checks.filter(({ status }) => status === 'WARNING').length,
        skipped: checks.filter(({ status }) => status === 'SKIPPED').length,
        problems: failures.map(({ id, errorMessage, description, details }) => {
            const reason = errorMessage ?? `${description} ${JSON.stringify(details ?? {})}`;
            return `${id}: ${reason}`;
        }),
    };
}

/** {code, scenarios: Map of name to {passed, failed, warnings, skipped, problems}, output}. */
export async function runConformance(scope, version, [role, ...options]) {
    const directory = await scope.directory();
    const command = [process.execPath, runnerScript(version), role, ...options, '-o', directory];
    const { code, output, errors } = await run(command, { limitMs: RUN_LIMIT_MS, directory });
    const scenarios = await readChecks(directory, role);
    assert.ok(scenarios.size > 0, `the runner left no results:\n${output}${errors}`);
    return { code, scenarios, output };
}

/** The sum over some scenarios, all of which must have been run: {passed, failed, ...}. */
export function total(scenarios, names = [...scenarios.keys()]) {
    const sum = { scenarios: names.length, passed: 0, failed: 0, warnings: 0, skipped: 0 };
    for (const name of names) {
        const result = scenarios.get(name);
        assert.ok(result, `${name} was not run`);
        for (const key of ['passed', 'failed', 'warnings', 'skipped']) {
            sum[key] += result[key];
        }
    }
    return sum;
}

/** Returns the problems of the named scenarios, one line each. */
export function problems(scenarios, names = [...scenarios.keys()]) {
    return names.flatMap((name) =>
        (scenarios.get(name)?.problems ?? ['was not run']).map((problem) => `${name}: ${problem}`),
    );
}
