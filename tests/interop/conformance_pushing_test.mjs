// The official server suites of both revisions, in front of a server that speaks both eras and whose
// tools push their questions, as those of many servers do that were written for the legacy era. The
// gateway must serve the agents of each era as the server itself does: every scenario gives the same
// figures, scored or not, warnings included, and again in a second pass on the same gateway.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { problems, runConformance, total } from './support/conformance.mjs';
import { fixtureChild, startFixture, startGateway } from './support/gateway.mjs';
import { withScope } from './support/processes.mjs';

const LIMIT_MS = 900_000;
const RUNNER = '0.2.0-alpha.12';
const REVISIONS = ['2025-11-25', '2026-07-28'];
const PUSHING = ['both', '--only-pushes'];
const PASSES = 2;

// The fixture drops the stream of one call on purpose, which is checked, although not scored. The
// gateway drops no streams, so there is nothing to check.
const NOT_CHECKED = ['server-sse-polling'];

const SUBJECTS = {
    HTTP: async (scope) => ({ type: 'http', url: await startFixture(scope, ...PUSHING) }),
    stdio: async () => fixtureChild(...PUSHING),
};

// The check of DNS rebinding needs a local host by name.
function byName(url) {
    const named = new URL(url);
    named.hostname = 'localhost';
    return named.href;
}

/** The figures of both suites: {revision: Map of scenario to figures}. */
async function runBoth(scope, url) {
    const results = {};
    for (const revision of REVISIONS) {
        const options = ['server', '--url', byName(url), '--requirements', revision];
        results[revision] = (await runConformance(scope, RUNNER, options)).scenarios;
    }
    return results;
}

let direct;
async function directFigures() {
    direct ??= withScope(async (scope) => runBoth(scope, await startFixture(scope, ...PUSHING)));
    return direct;
}

function figures({ passed, failed, warnings, skipped }) {
    return `${passed} passed, ${failed} failed, ${warnings} warnings, ${skipped} skipped`;
}

/** The scenarios whose figures differ from the direct ones, one line each. */
function differences(expected, actual) {
    const names = new Set([...expected.keys(), ...actual.keys()]);
    return [...names].flatMap((name) => {
        const [before, after] = [expected.get(name), actual.get(name)];
        if (before === undefined || after === undefined) {
            return [`${name}: only ${before === undefined ? 'with' : 'without'} the gateway`];
        }
        const passed = NOT_CHECKED.includes(name) ? before.passed : after.passed;
        const same = figures(before) === figures({ ...after, passed });
        return same ? [] : [`${name}: ${figures(before)} became ${figures(after)}`];
    });
}

test('the server alone passes what is scored', { timeout: LIMIT_MS }, async () => {
    const alone = await directFigures();
    for (const revision of REVISIONS) {
        console.log(`alone, ${revision}: ${figures(total(alone[revision]))}`);
    }
    assert.deepEqual(problems(alone['2025-11-25']), []);
});

for (const [transport, server] of Object.entries(SUBJECTS)) {
    test(`the gateway before it over ${transport}`, { timeout: LIMIT_MS }, () =>
        withScope(async (scope) => {
            const alone = await directFigures();
            const { url } = await startGateway(scope, { fixture: await server(scope) });
            const found = [];
            for (let pass = 1; pass <= PASSES; ++pass) {
                const through = await runBoth(scope, url);
                for (const revision of REVISIONS) {
                    const sum = figures(total(through[revision]));
                    console.log(`over ${transport}, pass ${pass}, ${revision}: ${sum}`);
                    for (const line of differences(alone[revision], through[revision])) {
                        found.push(`pass ${pass}, ${revision}, ${line}`);
                    }
                }
            }
            assert.deepEqual(found, []);
        }),
    );
}
