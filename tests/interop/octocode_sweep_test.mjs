// The preset `octocode` for more than an hour of gateway time: idle circuits are removed, and a
// circuit that is used again starts with new counts.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { agentKinds, connectAgent } from './support/agents.mjs';
import { startGateway } from './support/gateway.mjs';
import { untilListed } from './support/household.mjs';
import { withScope } from './support/processes.mjs';
import { TroubledServer } from './support/troubled.mjs';

// The fastest clock that `serve` has: 75 minutes at most take less than four.
const CLOCK_RATE = '20';
const SWEEP_LIMIT_MS = 280_000;
const FAILURE = 'error connect ECONNREFUSED 127.0.0.1:443';

test('idle circuits are removed', { timeout: 2 * SWEEP_LIMIT_MS }, () =>
    withScope(async (scope) => {
        const server = await TroubledServer.make(scope, [{ name: 'ghSearch' }]);
        const servers = { code: { ...server.entry, preset: 'octocode' } };
        const gateway = await startGateway(scope, servers, undefined, ['--clock-rate', CLOCK_RATE]);
        const kind = agentKinds.find(({ name }) => name === 'SDK v1 over HTTP');
        const agent = await connectAgent(scope, kind, gateway);
        await untilListed(agent, ['ghSearch']);
        const codeOf = async () => {
            const result = await agent.call('ghSearch');
            return result._meta['dev.holdfast/failure']?.code;
        };
        await server.does(FAILURE);
        assert.equal(await codeOf(), undefined);

        await gateway.program.waitForOutput(/removed 1 idle circuit/, SWEEP_LIMIT_MS);

        // The failure before the removal no longer counts. Two failures open it; the default is
        // three.
        assert.equal(await codeOf(), undefined);
        assert.equal(await codeOf(), undefined);
        assert.equal(await codeOf(), 'CIRCUIT_OPEN');
    }),
);
