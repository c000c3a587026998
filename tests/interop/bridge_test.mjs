// A page in a real browser connects and serves tools. It is called, closed during a call, and
// opened again.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { agentKinds, connectAgent } from './support/agents.mjs';
import { servePage, startBrowser } from './support/browser.mjs';
import { startGateway, suiteDirectory } from './support/gateway.mjs';
import { untilListed } from './support/household.mjs';
import { Scope } from './support/processes.mjs';

const LIMIT_MS = 120_000;
const PATH = '/bridge/tab';
const TOKEN = 'shown-by-the-page';

function failureOf(result) {
    assert.equal(result.isError, true, JSON.stringify(result));
    return result._meta['dev.holdfast/failure'];
}

describe('a page in a browser, under the preset gitnexus', () => {
    const scope = new Scope();
    let browser;
    let page;
    let agent;
    let origin;
    let gateway;

    /** Opens the page in a new tab. */
    async function openTab(token = TOKEN, from = origin) {
        const query = new URLSearchParams({ gateway, token });
        const tab = await browser.newPage();
        await tab.goto(`${from}/?${query}`);
        await tab.waitForFunction(() => window.connection !== undefined);
        return tab;
    }
    /** Opens the page and waits until the gateway has its tools. */
    async function openServingTab() {
        const tab = await openTab();
        await tab.waitForFunction(() => window.hasListed);
        await untilListed(agent, ['title', 'ponder']);
        return tab;
    }
    async function expectTitle(words) {
        assert.equal(await agent.callForText('title', { words }), `A page with tools: ${words}`);
    }

    /** Until the gateway has looked for the next page, calls fail with the reason of the loss. */
    async function expectNobody() {
        let refused;
        for (let tries = 0; tries < 100; ++tries) {
            refused = failureOf(await agent.call('title', { words: 'nobody' }));
            assert.equal(refused.code, 'CONNECTION_LOST');
            assert.equal(refused.sideEffects, 'none');
            if (refused.message.includes('nothing has connected')) {
                break;
            }
        }
        assert.match(refused.message, /nothing has connected at \/bridge\/tab/);
    }

    before(
        async () => {
            page = await readFile(join(suiteDirectory, 'support', 'bridge_page.html'));
            origin = await servePage(scope, page);
            const servers = {
                tab: {
                    type: 'ws',
                    listen: PATH,
                    token: TOKEN,
                    origins: [origin],
                    preset: 'gitnexus',
                },
            };
            const started = await startGateway(scope, servers);
            gateway = started.webSocketUrl.replace(/\/ws$/, PATH);
            const kind = agentKinds.find(({ transport }) => transport === 'http');
            agent = await connectAgent(scope, kind, started);
            browser = await startBrowser(scope);
        },
        { timeout: LIMIT_MS },
    );
    after(() => scope.close(), { timeout: LIMIT_MS });

    test('serves its tools', { timeout: LIMIT_MS }, async () => {
        const tab = await openServingTab();

        await expectTitle('first');
        await expectTitle('second');

        await tab.close();
    });

    test('does not receive invalid arguments', { timeout: LIMIT_MS }, async () => {
        const tab = await openServingTab();

        const failure = failureOf(await agent.call('title', { word: 'first' }));

        assert.equal(failure.code, 'INVALID_ARGUMENTS');
        assert.deepEqual(failure.example, { words: 'first' });
        await tab.close();
    });

    test('may close during a call and reconnect', { timeout: LIMIT_MS }, async () => {
        const tab = await openServingTab();
        const call = agent.call('ponder');
        await tab.waitForFunction(() => window.isPondering);

        await tab.close();

        const failure = failureOf(await call);
        assert.equal(failure.code, 'CONNECTION_LOST');
        assert.equal(failure.sideEffects, 'possible');
        await expectNobody();

        const again = await openServingTab();
        await expectTitle('again');
        await again.close();
    });

    test('is replaced by a newer one', { timeout: LIMIT_MS }, async () => {
        const old = await openServingTab();
        await expectTitle('old');

        const young = await openServingTab();
        await old.waitForFunction(() => window.connection !== 'open');

        const reason = await old.evaluate(() => window.connection);
        assert.equal(reason, 'closed: Another page has connected and replaces this one.');
        await old.close();
        await expectTitle('young');
        await young.close();
    });

    test('needs the token and a known origin', { timeout: LIMIT_MS }, async () => {
        const stranger = await servePage(scope, page);
        for (const tab of [await openTab('not-the-token'), await openTab(TOKEN, stranger)]) {
            assert.equal(await tab.evaluate(() => window.connection), 'closed: ');
            await tab.close();
        }
    });
});
