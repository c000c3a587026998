// The official server suites, against the fixture server alone and against the gateway before it.
// When both fail the fixture is at fault, when only the second fails the gateway is.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { problems, requiredScenarios, runConformance, total } from './support/conformance.mjs';
import { fixtureChild, startFixture, startGateway } from './support/gateway.mjs';
import { withScope } from './support/processes.mjs';

const LIMIT_MS = 300_000;

const LEGACY = { runner: '0.2.0-alpha.12', revision: '2025-11-25', era: 'legacy', checks: 84 };
const MODERN = { runner: '0.2.0-alpha.12', revision: '2026-07-28', era: 'modern', scenarios: 37 };
const STABLE = { runner: '0.1.16', era: 'legacy', checks: 44 };

const subjects = {
    'the fixture alone': (scope, era) => startFixture(scope, era),
    'the gateway before the fixture over HTTP': async (scope, era) => {
        const url = await startFixture(scope, era);
        return (await startGateway(scope, { fixture: { type: 'http', url } })).url;
    },
    'the gateway before the fixture over stdio': async (scope, era) =>
        (await startGateway(scope, { fixture: fixtureChild(era) })).url,
};

// The check of DNS rebinding wants to be told of a local host by name.
function byName(url) {
    const named = new URL(url);
    named.hostname = 'localhost';
    return named.href;
}

function report(subject, suite, sum) {
    const { scenarios, passed, failed, warnings, skipped } = sum;
    console.log(
        `${subject}, runner ${suite.runner}, ${suite.revision ?? 'all'}: ${scenarios} scenarios, ` +
            `${passed} passed, ${failed} failed, ${warnings} warnings, ${skipped} skipped`,
    );
}

async function runSuite(scope, subject, suite) {
    const url = byName(await subjects[subject](scope, suite.era));
    const which = suite.revision ? ['--requirements', suite.revision] : ['--suite', 'all'];
    return runConformance(scope, suite.runner, ['server', '--url', url, ...which]);
}

function suiteTest(title, subject, suite, check) {
    test(`${title}: ${subject}`, { timeout: LIMIT_MS }, () =>
        withScope(async (scope) => check(await runSuite(scope, subject, suite))),
    );
}

for (const subject of Object.keys(subjects)) {
    suiteTest('passes all checks of 2025-11-25', subject, LEGACY, async (results) => {
        const required = await requiredScenarios('server', LEGACY.revision);
        const sum = total(results.scenarios);
        report(subject, LEGACY, sum);

        assert.deepEqual(problems(results.scenarios), []);
        total(results.scenarios, required);
        assert.equal(sum.passed, LEGACY.checks);
        assert.equal(sum.skipped, 0);
        assert.match(results.output, new RegExp(`^Total: ${LEGACY.checks} passed, 0 failed$`, 'm'));
        assert.equal(results.code, 0);
    });

    suiteTest('passes all scored scenarios of 2026-07-28', subject, MODERN, async (results) => {
        const required = await requiredScenarios('server', MODERN.revision);
        report(subject, MODERN, total(results.scenarios, required));

        assert.equal(required.length, MODERN.scenarios);
        assert.deepEqual(problems(results.scenarios, required), []);
        for (const name of required) {
            assert.ok(results.scenarios.get(name).passed > 0, `${name} checked nothing`);
        }
        assert.equal(results.code, 0);
    });

    suiteTest('passes the whole stable suite', subject, STABLE, async (results) => {
        const sum = total(results.scenarios);
        report(subject, STABLE, sum);

        assert.deepEqual(problems(results.scenarios), []);
        assert.equal(sum.passed, STABLE.checks);
        assert.match(results.output, new RegExp(`^Total: ${STABLE.checks} passed, 0 failed$`, 'm'));
        assert.equal(results.code, 0);
    });
}
