// Log messages of servers reach a legacy agent at the level that it requested. A modern agent
// requests a level with each request and receives only the messages of that request; the
// conformance suite checks that.

import assert from 'node:assert/strict';

import { agentKinds } from './support/agents.mjs';
import { everythingModes } from './support/downstreams.mjs';
import { describeEveryAgent, everythingNames, pair, untilListed } from './support/household.mjs';

const FIRST = 'demo://resource/dynamic/text/1';
const SECOND = 'demo://resource/dynamic/text/2';
const SUBSCRIBED = 'Received Subscribe Resource request for URI:';

function isLog(words) {
    return ({ method, params }) =>
        method === 'notifications/message' && String(params.data).includes(words);
}

for (const mode of everythingModes) {
    const kinds = agentKinds.filter((kind) => kind.era === 'legacy');
    // On a shared session only the messages during a call have a known agent.
    const prepare = async (scope) => {
        const { servers } = await pair(scope, mode);
        servers[everythingNames[mode]].session = 'per-agent';
        return { servers };
    };

    describeEveryAgent(`logs of server-everything over ${mode}`, { kinds, prepare }, {
        async 'arrive at the level that was set'(agent) {
            const echo = `${everythingNames[mode]}__echo`;
            await untilListed(agent, [echo]);
            await agent.callForText(echo, { message: 'opens the session of the agent' });

            await agent.request('logging/setLevel', { level: 'debug' });
            await agent.request('resources/subscribe', { uri: FIRST });
            const first = await agent.notification(isLog(`${SUBSCRIBED} ${FIRST}`));
            await agent.request('logging/setLevel', { level: 'error' });
            await agent.request('resources/unsubscribe', { uri: FIRST });
            await agent.request('logging/setLevel', { level: 'info' });
            await agent.request('resources/subscribe', { uri: SECOND });
            await agent.notification(isLog(`${SUBSCRIBED} ${SECOND}`));

            assert.equal(first.params.level, 'info');
            const unwanted = agent.notifications.filter(isLog('Received Unsubscribe'));
            assert.deepEqual(unwanted, [], 'the level was not obeyed');
        },
    });
}
