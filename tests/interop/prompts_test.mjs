// Prompts and completion through the gateway.

import assert from 'node:assert/strict';

import { everythingModes } from './support/downstreams.mjs';
import { everythingNames, pair, describeEveryAgent, untilListed } from './support/household.mjs';

for (const mode of everythingModes) {
    const server = everythingNames[mode];
    const prepare = (scope) => pair(scope, mode);
    const prompt = (name) => `${server}__${name}`;
    const names = ['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt'];
    const ready = (agent) =>
        untilListed(agent, names.map(prompt), 'prompts/list', 'prompts');

    describeEveryAgent(`prompts of server-everything over ${mode}`, { prepare }, {
        async 'prompts are listed and filled in'(agent) {
            const listed = await ready(agent);

            const { messages } = await agent.request('prompts/get', {
                name: prompt('args-prompt'),
                arguments: { city: 'Zürich', state: 'ZH' },
            });
            const embedding = await agent.request('prompts/get', {
                name: prompt('resource-prompt'),
                arguments: { resourceType: 'Text', resourceId: '5' },
            });

            assert.equal(listed.length, names.length);
            const { arguments: parameters } = listed.find(
                ({ name }) => name === prompt('args-prompt'),
            );
            assert.deepEqual(
                parameters.map(({ name, required }) => [name, required]),
                [
                    ['city', true],
                    ['state', false],
                ],
            );
            assert.deepEqual(messages, [
                { role: 'user', content: { type: 'text', text: "What's weather in Zürich, ZH?" } },
            ]);
            assert.equal(
                embedding.messages[1].content.resource.uri,
                'demo://resource/dynamic/text/5',
            );
        },

        async 'arguments are completed'(agent) {
            await ready(agent);
            const ref = { type: 'ref/prompt', name: prompt('completable-prompt') };
            const template = {
                type: 'ref/resource',
                uri: 'demo://resource/dynamic/text/{resourceId}',
            };

            const department = await agent.request('completion/complete', {
                ref,
                argument: { name: 'department', value: 'S' },
            });
            const person = await agent.request('completion/complete', {
                ref,
                argument: { name: 'name', value: '' },
                context: { arguments: { department: 'Sales' } },
            });
            const id = await agent.request('completion/complete', {
                ref: template,
                argument: { name: 'resourceId', value: '12' },
            });

            assert.deepEqual(department.completion.values, ['Sales', 'Support']);
            assert.deepEqual(person.completion.values, ['David', 'Eve', 'Frank']);
            assert.deepEqual(id.completion.values, ['12']);
        },
    });
}
