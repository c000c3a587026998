// Takes the screenshots of the status page for docs/images, with some real servers, traffic and an
// outage. It takes a few minutes and asserts nothing, so it is not a test:
//
//   HOLDFAST_PICTURES=docs/images HOLDFAST_TROUBLED_SERVER=… tests/interop/run page_pictures.mjs

import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';

import { agentKinds, connectAgent } from './support/agents.mjs';
import { Dashboard, startBrowser } from './support/browser.mjs';
import { startGateway } from './support/gateway.mjs';
import { household, untilListed } from './support/household.mjs';
import { Scope } from './support/processes.mjs';
import { TroubledServer } from './support/troubled.mjs';

const MINUTES = Number(process.env.HOLDFAST_PICTURES_MINUTES ?? 6);
const PAUSE_MS = 60;
const VIEWPORT = { width: 1440, height: 900 };

const folder = process.env.HOLDFAST_PICTURES;
assert.ok(folder, 'HOLDFAST_PICTURES must name the folder for the pictures.');

const scope = new Scope();
const pause = (ms) => new Promise((resolve_) => setTimeout(resolve_, ms));

async function startScene() {
    const tickets = await TroubledServer.make(scope, [
        {
            name: 'find_ticket',
            description: 'Finds tickets by words, state or owner.',
            annotations: { readOnlyHint: true },
        },
        { name: 'close_ticket', description: 'Closes a ticket with a comment.' },
    ]);
    const wiki = await TroubledServer.make(scope, [
        {
            name: 'read_page',
            description: 'Reads a page of the wiki.',
            annotations: { readOnlyHint: true },
        },
    ]);
    const { servers } = await household(scope);
    const policies = {
        default: {
            timeout: '8s',
            attemptTimeout: '2s',
            repeatGuard: 'none',
            retry: { attempts: 3, delay: '300ms' },
            circuit: { failures: 4, open: '30s' },
        },
    };
    const gateway = await startGateway(
        scope,
        { ...servers, tickets: tickets.entry, wiki: wiki.entry },
        { admin: { http: '127.0.0.1:0' }, surface: { mode: 'all' }, policies },
    );
    const kind = agentKinds.find(({ transport }) => transport === 'http');
    const agent = await connectAgent(scope, kind, gateway);
    await untilListed(agent, ['tickets__find_ticket', 'wiki__read_page', 'everything__echo']);
    return { agent, gateway, tickets, wiki };
}

const CALLS = [
    ['everything__echo', { message: 'hello' }],
    ['everything_http__get-sum', { a: 1, b: 2 }],
    ['memory__read_graph', {}],
    [
        'thinking__sequentialthinking',
        { thought: 'one', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    ],
    ['tickets__find_ticket', {}],
    ['wiki__read_page', {}],
];

/** Calls all tools repeatedly, without waiting for slow ones. */
async function makeTraffic(agent, until) {
    const pending = new Set();
    for (let i = 0; Date.now() < until(); ++i) {
        const [tool, args] = CALLS[i % CALLS.length];
        const call = agent
            .call(tool, args)
            .catch(() => {})
            .finally(() => pending.delete(call));
        pending.add(call);
        await pause(PAUSE_MS * (1 + Math.sin(i / 400) / 2));
    }
    await Promise.all(pending);
}

/** Alternates health and outages; the last outage continues while the screenshots are taken. */
async function playOutages({ tickets, wiki }, minutes) {
    const part = (minutes * 60_000) / 6;
    await wiki.does('late 40 ok fine');
    await tickets.does('late 15 ok fine');
    await pause(2 * part);
    await tickets.does('rpc -32603 the database is locked');
    await pause(part);
    await tickets.does('late 15 ok fine');
    await wiki.does('late 120 ok fine');
    await pause(2 * part);
    await tickets.does('hang');
    await pause(part);
}

async function picture(board, name) {
    await board.tab.screenshot({ path: join(resolve(folder), `${name}.png`) });
}

async function takePictures(browser, url) {
    for (const colorScheme of ['light', 'dark']) {
        const board = await Dashboard.open(browser, url, { viewport: VIEWPORT, colorScheme });
        await board.tab.selectOption('#plot-span', '5');
        await board.untilState('circuits', 'tickets', 'open');
        await pause(2000);
        await picture(board, `dashboard-${colorScheme}`);
        if (colorScheme === 'light') {
            await board.show('calls');
            await board.tab.check('#calls-failed');
            await board.tab
                .locator('#calls-table tr', { hasText: /TIMEOUT|RETRY/ })
                .locator('a')
                .first()
                .click();
            await board.tab.locator('.waterfall').waitFor();
            await picture(board, 'dashboard-call');
            await board.tab.keyboard.press('Escape');
        }
        if (colorScheme === 'dark') {
            await board.search('look up a ticket by its words');
            await picture(board, 'dashboard-search');
        }
        await board.tab.close();
    }
}

try {
    const scene = await startScene();
    let end = Infinity;
    const traffic = makeTraffic(scene.agent, () => end);
    await playOutages(scene, MINUTES);
    await takePictures(await startBrowser(scope), await scene.gateway.pageUrl());
    end = 0;
    await traffic;
} finally {
    await scope.close();
}
