// The official server suites, against the fixture server alone and against the gateway in front of
// it. If both fail, the fixture is at fault; if only the second fails, the gateway is.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { problems, requiredScenarios, runConformance, total } from './support/conformance.mjs';
import { fixtureChild, startFixture, startGateway } from './support/gateway.mjs';
import { withScope } from './support/processes.mjs';

const LIMIT_MS = 300_000;

// The number of checks depends on how a server answers: a list that arrives as an event stream has
// one check more than one that arrives as JSON, and a server that drops the stream of a call on
// purpose has three more. The gateway answers with JSON unless a message precedes the answer, and
// does not drop streams.
const LEGACY = {
    runner: '0.2.0-alpha.12',
    revision: '2025-11-25',
    era: 'legacy',
    checks: { alone: 83, gateway: 80 },
};
const MODERN = { runner: '0.2.0-alpha.12', revision: '2026-07-28', era: 'modern', scenarios: 37 };
const STABLE = { runner: '0.1.16', era: 'legacy', checks: { alone: 46, gateway: 43 } };

const ALONE = 'the fixture alone';

const subjects = {
    [ALONE]: (scope, era) => startFixture(scope, era),
    'the gateway before the fixture over HTTP': async (scope, era) => {
        const url = await startFixture(scope, era);
        return (await startGateway(scope, { fixture: { type: 'http', url } })).url;
    },
    'the gateway before the fixture over stdio': async (scope, era) =>
        (await startGateway(scope, { fixture: fixtureChild(era) })).url,
};

// The results of the fixture alone, because the suite has no fixed number of checks.
let modernAlone;

// The check of DNS rebinding needs a local host by name.
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

// Asserts that all checks passed, that there were enough of them, and that the runner agrees.
function checkTotal(subject, suite, { scenarios, output, code }) {
    const sum = total(scenarios);
    report(subject, suite, sum);

    assert.deepEqual(problems(scenarios), []);
    const least = subject === ALONE ? suite.checks.alone : suite.checks.gateway;
    assert.ok(sum.passed >= least, `${sum.passed} checks passed, there should be ${least}`);
    assert.match(output, new RegExp(`^Total: ${sum.passed} passed, 0 failed$`, 'm'));
    assert.equal(code, 0);
}

function suiteTest(title, subject, suite, check) {
    test(`${title}: ${subject}`, { timeout: LIMIT_MS }, () =>
        withScope(async (scope) => check(await runSuite(scope, subject, suite))),
    );
}

for (const subject of Object.keys(subjects)) {
    suiteTest('passes all checks of 2025-11-25', subject, LEGACY, async (results) => {
        checkTotal(subject, LEGACY, results);

        const required = await requiredScenarios('server', LEGACY.revision);
        assert.equal(total(results.scenarios, required).skipped, 0);
    });

    suiteTest('passes all scored scenarios of 2026-07-28', subject, MODERN, async (results) => {
        const required = await requiredScenarios('server', MODERN.revision);
        const sum = total(results.scenarios, required);
        report(subject, MODERN, sum);
        modernAlone ??= sum;

        assert.equal(required.length, MODERN.scenarios);
        assert.deepEqual(problems(results.scenarios, required), []);
        for (const name of required) {
            assert.ok(results.scenarios.get(name).passed > 0, `${name} checked nothing`);
        }
        assert.ok(sum.passed >= modernAlone.passed, 'fewer checks passed than without the gateway');
        assert.ok(sum.skipped <= modernAlone.skipped, 'the gateway had checks skipped');
        assert.equal(results.code, 0);
    });

    suiteTest('passes the whole stable suite', subject, STABLE, (results) =>
        checkTotal(subject, STABLE, results),
    );
}
