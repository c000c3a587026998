// Resources through the gateway: lists, templates, texts, bytes and change notifications.

import assert from 'node:assert/strict';

import { everythingModes } from './support/downstreams.mjs';
import { everythingNames, pair, describeEveryAgent, untilListed } from './support/household.mjs';

const TEXT = 'demo://resource/dynamic/text/';
const BLOB = 'demo://resource/dynamic/blob/';
const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;

async function subscribe(agent, uri) {
    if (agent.kind.era === 'modern') {
        await agent.client.listen({ resourceSubscriptions: [uri] });
    } else {
        await agent.request('resources/subscribe', { uri });
    }
}

for (const mode of everythingModes) {
    const server = everythingNames[mode];
    const prepare = (scope) => pair(scope, mode);

    describeEveryAgent(`resources of server-everything over ${mode}`, { prepare }, {
        async 'resources are listed and read'(agent) {
            const resources = await untilListed(
                agent,
                ['features.md'],
                'resources/list',
                'resources',
            );
            const { uri, mimeType } = resources.find((one) => one.name === 'features.md');
            const { contents } = await agent.request('resources/read', { uri });

            assert.equal(contents[0].uri, uri);
            assert.equal(contents[0].mimeType, mimeType);
            assert.match(contents[0].text, /^# Everything Server/);
        },

        async 'templates are listed and filled in'(agent) {
            const templates = await untilListed(
                agent,
                ['Dynamic Text Resource', 'Dynamic Blob Resource'],
                'resources/templates/list',
                'resourceTemplates',
            );
            const text = await agent.request('resources/read', { uri: `${TEXT}123` });
            const blob = await agent.request('resources/read', { uri: `${BLOB}456` });

            assert.deepEqual(templates.map((one) => one.uriTemplate).sort(), [
                `${BLOB}{resourceId}`,
                `${TEXT}{resourceId}`,
            ]);
            assert.equal(text.contents[0].uri, `${TEXT}123`);
            assert.match(text.contents[0].text, /^Resource 123: /);
            const bytes = Buffer.from(blob.contents[0].blob, 'base64').toString();
            assert.match(bytes, /^Resource 456: /);
        },

        async 'an unknown resource is an error'(agent) {
            await untilListed(agent, [`${server}__echo`]);

            const read = agent.request('resources/read', { uri: 'demo://nothing/here' });

            await assert.rejects(read, ({ code }) => {
                const allowed = [INVALID_PARAMS];
                if (agent.kind.era === 'legacy') {
                    allowed.push(RESOURCE_NOT_FOUND);
                }
                assert.ok(allowed.includes(code), `the code is ${code}`);
                return true;
            });
        },

        async 'subscribers receive updates'(agent) {
            const toggle = `${server}__toggle-subscriber-updates`;
            await untilListed(agent, [toggle]);

            await subscribe(agent, `${TEXT}1`);
            await agent.callForText(toggle);

            const update = await agent.notification(
                ({ method }) => method === 'notifications/resources/updated',
            );
            assert.equal(update.params.uri, `${TEXT}1`);
            await agent.callForText(toggle);
        },
    });
}
