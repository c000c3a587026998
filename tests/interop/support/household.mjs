// All the public servers behind one gateway, and a test for each kind of agent.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { agentKinds, startAgent } from './agents.mjs';
import { everything, filesystem, memory, sequentialThinking } from './downstreams.mjs';
import { Scope } from './processes.mjs';

const LIMIT_MS = 60_000;
const LIST_LIMIT_MS = 20_000;
const LIST_PAUSE_MS = 50;

/** The config names of the three modes of `server-everything`. */
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
 * and notifies legacy and modern agents of new tools in different ways; polling works for all
 * agents.
 */
export async function untilListed(agent, names, method = 'tools/list', key = 'tools') {
    const deadline = Date.now() + LIST_LIMIT_MS;
    for (;;) {
        const items = await agent.list(method, key);
        const missing = names.filter((name) => !items.some((item) => item.name === name));
        if (missing.length === 0) {
            // The SDKs check results and set headers according to the list that they fetched.
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
 * Declares a group of tests per kind of agent, each with its own gateway. Of the options, `prepare`
 * takes a scope and returns {servers, ...}, `capabilities` are those of the agent, and `limitMs` is
 * the time limit of each step. `cases` maps a title to a function of the agent and the prepared
 * context.
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
