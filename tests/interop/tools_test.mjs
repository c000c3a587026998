// Tool calls through the gateway to six servers: arguments and results.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
    everythingNames,
    household,
    describeEveryAgent,
    untilListed,
} from './support/household.mjs';

const EVERYTHING = Object.values(everythingNames);
const ODD_TEXT = 'naïve "quotes" \\ 世界 \u{1f980} \t and\na new line';

function toolsOfEverything(tool) {
    return EVERYTHING.map((server) => `${server}__${tool}`);
}

describeEveryAgent('six servers', { prepare: household }, {
    async 'relays text, numbers, structures and images'(agent) {
        await untilListed(agent, toolsOfEverything('echo'));
        for (const server of EVERYTHING) {
            const echo = await agent.callForText(`${server}__echo`, { message: ODD_TEXT });
            assert.equal(echo, `Echo: ${ODD_TEXT}`);

            const sum = await agent.callForText(`${server}__get-sum`, { a: 19.5, b: 22.5 });
            assert.equal(sum, 'The sum of 19.5 and 22.5 is 42.');

            const weather = await agent.call(`${server}__get-structured-content`, {
                location: 'Chicago',
            });
            const expected = { temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 };
            assert.deepEqual(weather.structuredContent, expected);
            assert.deepEqual(JSON.parse(weather.content[0].text), expected);

            const { content } = await agent.call(`${server}__get-tiny-image`);
            const image = content.find((block) => block.type === 'image');
            assert.equal(image.mimeType, 'image/png');
            const bytes = Buffer.from(image.data, 'base64');
            assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
        }
    },

    async 'relays links and embedded resources'(agent) {
        await untilListed(agent, toolsOfEverything('get-resource-links'));
        for (const server of EVERYTHING) {
            const links = await agent.call(`${server}__get-resource-links`, { count: 3 });
            const uris = links.content.filter((block) => block.type === 'resource_link');
            assert.equal(uris.length, 3);
            assert.ok(uris.every((link) => link.uri.startsWith('demo://resource/dynamic/')));

            const reference = await agent.call(`${server}__get-resource-reference`, {
                resourceType: 'Text',
                resourceId: 7,
            });
            const embedded = reference.content.find((block) => block.type === 'resource');
            assert.equal(embedded.resource.uri, 'demo://resource/dynamic/text/7');
            assert.match(embedded.resource.text, /^Resource 7: /);
        }
    },

    async 'reads and writes files byte for byte'(agent, { directory }) {
        await untilListed(agent, ['files__read_text_file', 'files__write_file']);
        const ours = join(directory, 'ours.txt');
        const theirs = join(directory, 'theirs.txt');
        await writeFile(ours, ODD_TEXT);

        const read = await agent.callForText('files__read_text_file', { path: ours });
        await agent.callForText('files__write_file', { path: theirs, content: ODD_TEXT });

        assert.equal(read, ODD_TEXT);
        assert.equal(await readFile(theirs, 'utf8'), ODD_TEXT);
    },

    async 'passes the failure of a tool on as it is'(agent) {
        await untilListed(agent, ['files__read_text_file']);

        const result = await agent.call('files__read_text_file', { path: '/no/such/file' });

        assert.equal(result.isError, true);
        assert.match(result.content[0].text, /Access denied/);
    },

    async 'keeps what a server remembers'(agent) {
        await untilListed(agent, ['memory__create_entities', 'memory__read_graph']);
        const entity = {
            name: 'Holdfast',
            entityType: 'gateway',
            observations: ['stands between agents and tools'],
        };

        await agent.call('memory__create_entities', { entities: [entity] });
        const graph = await agent.call('memory__read_graph');

        assert.deepEqual(graph.structuredContent.entities, [entity]);
        assert.deepEqual(graph.structuredContent.relations, []);
    },

    async 'carries a chain of thoughts'(agent) {
        await untilListed(agent, ['thinking__sequentialthinking']);
        for (const thoughtNumber of [1, 2]) {
            const result = await agent.call('thinking__sequentialthinking', {
                thought: `Step ${thoughtNumber}`,
                thoughtNumber,
                totalThoughts: 2,
                nextThoughtNeeded: thoughtNumber < 2,
            });
            const state = JSON.parse(result.content[0].text);
            assert.equal(state.thoughtNumber, thoughtNumber);
            assert.equal(state.thoughtHistoryLength, thoughtNumber);
        }
    },

    async 'keeps the answers of parallel calls apart'(agent) {
        const tools = toolsOfEverything('echo');
        await untilListed(agent, tools);
        const messages = Array.from({ length: 30 }, (_, index) => `message ${index}`);

        const answers = await Promise.all(
            messages.map((message, index) =>
                agent.callForText(tools[index % tools.length], { message }),
            ),
        );

        assert.deepEqual(
            answers,
            messages.map((message) => `Echo: ${message}`),
        );
    },
});
