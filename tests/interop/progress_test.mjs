// Long calls: every progress step arrives in order, and a call can be cancelled.

import assert from 'node:assert/strict';

import { everythingModes } from './support/downstreams.mjs';
import { everythingNames, pair, describeEveryAgent, untilListed } from './support/household.mjs';

const STEPS = 20;

// Makes a call with progress; the agent's notifications contain the progress.
function callWithProgress(agent, tool, args) {
    return agent.callForText(tool, args, { onprogress: () => {} });
}

// Returns the progress so far of the calls with `total` steps.
function progressSeen(agent, total) {
    return agent.notifications
        .filter(({ method }) => method === 'notifications/progress')
        .filter(({ params }) => params.total === total)
        .map(({ params }) => params.progress);
}

function upTo(total) {
    return Array.from({ length: total }, (_, index) => index + 1);
}

for (const mode of everythingModes) {
    const server = everythingNames[mode];
    const tool = `${server}__trigger-long-running-operation`;
    const prepare = (scope) => pair(scope, mode);

    describeEveryAgent(`long calls of server-everything over ${mode}`, { prepare }, {
        async 'every step arrives, in order and before the answer'(agent) {
            await untilListed(agent, [tool]);

            const text = await callWithProgress(agent, tool, { duration: 0.4, steps: STEPS });
            const seen = progressSeen(agent, STEPS);

            assert.deepEqual(seen, upTo(STEPS));
            assert.match(text, /^Long running operation completed/);
        },

        async 'two calls at once keep their steps apart'(agent) {
            await untilListed(agent, [tool]);

            await Promise.all(
                [5, 7].map((steps) => callWithProgress(agent, tool, { duration: 0.2, steps })),
            );

            assert.deepEqual(progressSeen(agent, 5), upTo(5));
            assert.deepEqual(progressSeen(agent, 7), upTo(7));
            const tokens = agent.notifications
                .filter(({ params }) => [5, 7].includes(params?.total))
                .map(({ params }) => `${params.total} ${params.progressToken}`);
            assert.equal(new Set(tokens).size, 2, 'a token was mixed up');
        },

        async 'a call that is given up ends, and the next one works'(agent) {
            await untilListed(agent, [tool]);
            const giveUp = new AbortController();

            const call = agent.call(
                tool,
                { duration: 50, steps: 500 },
                { signal: giveUp.signal, onprogress: () => giveUp.abort('no longer wanted') },
            );

            await assert.rejects(call, /no longer wanted/);
            const echo = await agent.callForText(`${server}__echo`, { message: 'still here' });
            assert.equal(echo, 'Echo: still here');
        },
    });
}
