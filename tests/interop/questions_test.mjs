// Questions of servers: sampling, elicitation and roots reach the agent, and its answers the tool.

import assert from 'node:assert/strict';

import { ALL_EARS } from './support/agents.mjs';
import { everythingModes } from './support/downstreams.mjs';
import { describeEveryAgent, everythingNames, pair, untilListed } from './support/household.mjs';

const PERSON = { name: 'Ada', check: true, email: 'ada@example.com', integer: 7 };
const COMPLETION = {
    role: 'assistant',
    model: 'stub-model',
    stopReason: 'endTurn',
    content: { type: 'text', text: 'forty-two' },
};
const ROOTS = { roots: [{ uri: 'file:///srv/project', name: 'Project' }] };

// Calls a tool that asks the agent `method`; returns {text, questions} of its answer and that
// method.
async function callAndAnswer(agent, { tool, args, method, answer }) {
    // A server may ask for the roots at any time after its start.
    agent.answers = { 'roots/list': () => ROOTS, [method]: () => answer };
    await untilListed(agent, [tool]);
    agent.questions = [];
    const text = await agent.callForText(tool, args);
    return { text, questions: agent.questions.filter((question) => question.method === method) };
}

for (const mode of everythingModes) {
    const server = everythingNames[mode];
    const elicitation = {
        tool: `${server}__trigger-elicitation-request`,
        method: 'elicitation/create',
    };
    const options = { prepare: (scope) => pair(scope, mode), capabilities: ALL_EARS };

    describeEveryAgent(`questions of server-everything over ${mode}`, options, {
        async 'sampling'(agent) {
            const { text, questions } = await callAndAnswer(agent, {
                tool: `${server}__trigger-sampling-request`,
                args: { prompt: 'the answer?', maxTokens: 17 },
                method: 'sampling/createMessage',
                answer: COMPLETION,
            });

            assert.equal(questions.length, 1);
            const [{ params }] = questions;
            assert.equal(params.maxTokens, 17);
            assert.equal(params.temperature, 0.7);
            assert.equal(params.systemPrompt, 'You are a helpful test server.');
            assert.equal(
                [params.messages[0].content].flat()[0].text,
                'Resource trigger-sampling-request context: the answer?',
            );
            assert.match(text, /"forty-two"/);
            assert.match(text, /"stub-model"/);
            assert.match(text, /"endTurn"/);
        },

        async 'elicitation, accepted'(agent) {
            const answer = { action: 'accept', content: PERSON };

            const { text, questions } = await callAndAnswer(agent, { ...elicitation, answer });

            assert.equal(questions.length, 1);
            const [{ params }] = questions;
            assert.equal(params.message, 'Please provide inputs for the following fields:');
            const { properties, required } = params.requestedSchema;
            assert.deepEqual(required, ['name']);
            assert.equal(Object.keys(properties).length, 13);
            assert.deepEqual(properties.titledMultipleSelectEnum.items.anyOf[2], {
                const: 'fish-3',
                title: 'Trout',
            });
            assert.equal(properties.legacyTitledEnum.enumNames[4], 'Reptiles');
            assert.equal(properties.number.default, 3.14);
            assert.match(text, /- Name: Ada\n/);
            assert.match(text, /- Email: ada@example.com\n/);
            assert.match(text, /- Favorite Integer: 7/);
        },

        async 'elicitation, declined'(agent) {
            const answer = { action: 'decline' };

            const { text, questions } = await callAndAnswer(agent, { ...elicitation, answer });

            assert.equal(questions.length, 1);
            assert.match(text, /User declined to provide the requested information/);
        },

        // The server may have asked for the roots before the call, and remembers them.
        async 'roots'(agent) {
            const { text } = await callAndAnswer(agent, {
                tool: `${server}__get-roots-list`,
                method: 'roots/list',
                answer: ROOTS,
            });

            assert.match(text, /Current MCP Roots \(1 total\)/);
            assert.match(text, /1\. Project\n +URI: file:\/\/\/srv\/project/);
        },
    });
}
