// The official client scenarios: the gateway is the client of the runner's servers. Scenarios for
// OAuth clients are skipped.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { problems, requiredScenarios, runConformance } from './support/conformance.mjs';
import { suiteDirectory } from './support/gateway.mjs';
import { withScope } from './support/processes.mjs';

const LIMIT_MS = 120_000;
const SCENARIO_LIMIT_MS = 40_000;
const RUNNER = '0.2.0-alpha.12';

const expectedScenarios = {
    '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
    '2026-07-28': [
        'tools_call',
        'request-metadata',
        'sep-2322-client-request-state',
        'http-standard-headers',
        'http-custom-headers',
        'http-invalid-tool-headers',
        'json-schema-ref-no-deref',
    ],
};

// The runner passes the command to a shell.
const adapter = `'${join(suiteDirectory, 'run')}' conformance_adapter.mjs`;

function clientOptions(scenario, revision) {
    return [
        'client',
        '--command',
        adapter,
        '--scenario',
        scenario,
        '--spec-version',
        revision,
        '--timeout',
        String(SCENARIO_LIMIT_MS),
    ];
}

for (const [revision, scenarios] of Object.entries(expectedScenarios)) {
    test(`knows every scored scenario of ${revision} that needs no OAuth`, async () => {
        const required = await requiredScenarios('client', revision);

        assert.deepEqual(
            required.filter((name) => !name.startsWith('auth/')),
            scenarios,
        );
    });

    for (const scenario of scenarios) {
        test(`${scenario} of ${revision}`, { timeout: LIMIT_MS }, () =>
            withScope(async (scope) => {
                const options = clientOptions(scenario, revision);
                const results = await runConformance(scope, RUNNER, options);

                const { passed, warnings } = results.scenarios.get(scenario);
                console.log(`${scenario} of ${revision}: ${passed} passed, ${warnings} warnings`);
                assert.deepEqual(problems(results.scenarios), [], results.output);
                assert.ok(passed > 0, 'nothing was checked');
                assert.equal(results.code, 0, results.output);
            }),
        );
    }
}
