// All the public servers behind one gateway, and a test for each kind of agent before them.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { agentKinds, startAgent } from './agents.mjs';
import { everything, filesystem, memory, sequentialThinking } from './downstreams.mjs';
import { Scope } from './processes.mjs';

const LIMIT_MS = 60_000;
const LIST_LIMIT_MS = 20_000;
const LIST_PAUSE_MS = 50;

/** The names in the config of the three ways to run `server-everything`, by mode. */
export const everythingNames = {
    stdio: 'everything',
    sse: 'everything_sse',
    http: 'everything_http',
};

/** {servers, directory}: six servers at once; `directory` is what the file server may touch. */
export async function household(scope) {
    const home = await scope.directory();
    const directory = join(home, 'files');
    await mkdir(directory);
    const servers = {
        [everythingNames.stdio]: await everything(scope, 'stdio'),
        [everythingNames.sse]: await everything(scope, 'sse'),
        [everythingNames.http]: await everything(scope, 'http'),
        files: filesystem(directory),
        memory: memory(join(home, 'memory.jsonl')),
        thinking: sequentialThinking(),
    };
    return { servers, directory };
}

/** {servers}: `server-everything` in one mode and one more, so that names have prefixes. */
export async function pair(scope, mode) {
    const home = await scope.directory();
    const servers = {
        [everythingNames[mode]]: await everything(scope, mode),
        memory: memory(join(home, 'memory.jsonl')),
    };
    return { servers };
}

/**
 * Waits until all `names` are listed. A gateway answers while its downstreams are still starting,
 * and tells legacy and modern agents in different ways that the list has grown: asking again is the
 * one way that all agents share.
 */
export async function untilListed(agent, names, method = 'tools/list', key = 'tools') {
    const deadline = Date.now() + LIST_LIMIT_MS;
    for (;;) {
        const items = await agent.list(method, key);
        const missing = names.filter((name) => !items.some((item) => item.name === name));
        if (missing.length === 0) {
            // The SDKs check results and set headers by the list that they have fetched themselves.
            await agent.client.listTools();
            return items;
        }
        if (Date.now() > deadline) {
            const listed = items.map((item) => item.name).join(' ');
            throw new Error(`${method} still lacks ${missing.join(' ')}; it has: ${listed}`);
        }
        await new Promise((resolve) => setTimeout(resolve, LIST_PAUSE_MS));
    }
}

/**
 * For each kind of agent a group of tests, with an agent before a gateway of its own. Of the
 * options, `prepare` takes a scope and gives {servers, ...}, `capabilities` are those of the agent,
 * and `limitMs` is what each step may take; `cases` maps a title to a function of the agent and what
 * was prepared.
 */
export function describeEveryAgent(title, options, cases) {
    const { kinds = agentKinds, prepare, capabilities, limitMs = LIMIT_MS } = options;
    for (const kind of kinds) {
        describe(`${title}: ${kind.name}`, () => {
            const scope = new Scope();
            let agent;
            let context;
            before(
                async () => {
                    context = await prepare(scope);
                    agent = await startAgent(scope, kind, context.servers, capabilities);
                },
                { timeout: limitMs },
            );
            after(() => scope.close(), { timeout: limitMs });
            for (const [name, use] of Object.entries(cases)) {
                test(name, { timeout: limitMs }, () => use(agent, context));
            }
        });
    }
}
