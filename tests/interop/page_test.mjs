// The status page in a real browser with the real binary: an outage from beginning to end, search,
// a hostile server, the keyboard, and a gateway that stops.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { agentKinds, connectAgent } from './support/agents.mjs';
import { Dashboard, startBrowser } from './support/browser.mjs';
import { fixtureChild, startGateway } from './support/gateway.mjs';
import { untilListed } from './support/household.mjs';
import { Scope } from './support/processes.mjs';
import { TroubledServer } from './support/troubled.mjs';

const LIMIT_MS = 120_000;
const PAUSE_MS = 200;
const BROKEN = 'rpc -32603 the disk is gone';
const HOSTILE =
    '<img src=x onerror="window.intruded=1"><script>window.intruded=2</script>' +
    '<a href="javascript:window.intruded=3">Reads the minutes of meetings</a>';

const POLICIES = {
    default: {
        retry: 'none',
        timeout: '20s',
        repeatGuard: 'none',
        circuit: { failures: 2, open: '12s' },
    },
};

describe('the status page', { concurrency: false }, () => {
    const scope = new Scope();
    let agent;
    let board;
    let gateway;
    let shaky;

    before(
        async () => {
            shaky = await TroubledServer.make(scope, [
                { name: 'find_notes', description: 'Finds notes about a subject.' },
                { name: 'minutes', description: HOSTILE },
            ]);
            const servers = { shaky: shaky.entry, calm: fixtureChild('both') };
            const sections = {
                admin: { http: '127.0.0.1:0' },
                surface: { mode: 'all' },
                policies: POLICIES,
            };
            gateway = await startGateway(scope, servers, sections);
            const kind = agentKinds.find(({ transport }) => transport === 'http');
            agent = await connectAgent(scope, kind, gateway);
            await untilListed(agent, ['shaky__find_notes']);
            board = await Dashboard.open(await startBrowser(scope), await gateway.pageUrl());
        },
        { timeout: LIMIT_MS },
    );
    after(() => scope.close(), { timeout: LIMIT_MS });

    /** Whether a call ends in an error of the gateway or of the server. */
    async function hasFailed(tool) {
        try {
            return (await agent.call(tool)).isError ?? false;
        } catch {
            return true;
        }
    }
    async function failTwice() {
        await shaky.does(BROKEN);
        for (let i = 0; i < 2; ++i) {
            assert.equal(await hasFailed('shaky__find_notes'), true);
        }
        await shaky.does('ok fine');
    }
    /** Calls until the circuit lets one through. */
    async function untilAnswered() {
        while (await hasFailed('shaky__find_notes')) {
            await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
    }
    /** Waits until a countdown is below `than` and returns its seconds. */
    async function secondsLeft(than = Infinity) {
        const text = board.row('circuits', 'shaky').locator('.wait-text');
        const handle = await board.tab.waitForFunction(
            ([node, most]) => {
                const seconds = /^\d+ s$/.test(node.textContent)
                    ? parseInt(node.textContent, 10)
                    : NaN;
                return seconds < most && { seconds };
            },
            [await text.elementHandle(), than],
        );
        return (await handle.jsonValue()).seconds;
    }

    test('shows an outage from its beginning to its end', { timeout: LIMIT_MS }, async () => {
        await board.untilState('circuits', 'shaky', 'closed');
        await failTwice();

        await board.untilState('circuits', 'shaky', 'open');
        const first = await secondsLeft();
        assert.ok(first > 0 && first <= 12, `${first} s left`);
        assert.ok((await secondsLeft(first)) < first);
        assert.match(await board.tab.textContent('#verdict'), /1 of 2 servers failing: shaky/);
        assert.match(await board.tab.textContent('#announcer'), /Circuit shaky: open/);

        await untilAnswered();
        await board.untilState('circuits', 'shaky', 'closed');
        await board.untilState('servers', 'shaky', 'connected');
        await board
            .row('circuits', 'shaky')
            .locator('rect.strip-open')
            .first()
            .waitFor({ state: 'attached' });
        await board.tab.locator('#events .event-what', { hasText: 'opened' }).first().waitFor();
        await board.tab.locator('#events .event-what', { hasText: 'closed' }).first().waitFor();
        await board.assertUntouched();
    });

    test('explains a call that failed', { timeout: LIMIT_MS }, async () => {
        await board.show('calls');
        await board.tab.check('#calls-failed');
        await board.tab
            .locator('#calls-table tr', { hasText: 'DOWNSTREAM_ERROR' })
            .locator('a')
            .first()
            .click();

        const drawer = board.tab.locator('#drawer');
        await drawer.locator('.waterfall th', { hasText: 'attempt 1' }).waitFor();
        assert.match(await drawer.locator('.lead').textContent(), /DOWNSTREAM_ERROR after/);
        await drawer.locator('h3', { hasText: 'policies.default' }).waitFor();

        await board.tab.keyboard.press('Escape');
        await drawer.waitFor({ state: 'hidden' });
        await board.assertUntouched();
    });

    test('finds a tool and shows its scores', { timeout: LIMIT_MS }, async () => {
        // The index is built in the background.
        await board.tab
            .locator('#tools-count', { hasText: /[1-9][\d,]* indexed/ })
            .waitFor({ state: 'attached' });
        await board.search('find notes about a subject');

        const best = board.tab.locator('#found li').first();
        assert.equal(await best.locator('h3').textContent(), 'shaky__find_notes');
        assert.match(
            await best.locator('.score-keyword .score-value').textContent(),
            /^\d+\.\d{3}$/,
        );
        await board.assertUntouched();
    });

    test(
        'shows what a hostile server says, and runs none of it',
        { timeout: LIMIT_MS },
        async () => {
            await shaky.does(`rpc -32603 ${HOSTILE}`);
            assert.equal(await hasFailed('shaky__minutes'), true);
            await shaky.does('ok fine');
            await board.search('minutes of meetings');

            const found = board.tab.locator('#found li', { hasText: 'shaky__minutes' });
            assert.ok((await found.locator('.description').textContent()).includes(HOSTILE));
            assert.equal(await found.locator('img, script, .description a').count(), 0);
            await board.show('overview');
            assert.equal(await board.tab.locator('main img, main script').count(), 0);
            await board.assertUntouched();
        },
    );

    test('can be used with the keyboard alone', { timeout: LIMIT_MS }, async () => {
        await board.show('overview');
        await board.tab.evaluate(markFocusable);
        const count = await board.tab.locator('[data-focusable]').count();
        assert.ok(count > 12, `${count} elements`);

        for (let i = 0; i < 2 * count; ++i) {
            await board.tab.keyboard.press('Tab');
            await board.tab.evaluate(() =>
                document.activeElement.removeAttribute('data-focusable'),
            );
        }

        const missed = await board.tab
            .locator('[data-focusable]')
            .evaluateAll((nodes) => nodes.map((node) => node.outerHTML));
        assert.deepEqual(missed, []);
        await board.row('servers', 'shaky').locator('a').focus();
        await board.tab.keyboard.press('Enter');
        await board.tab.locator('#drawer-title:text-is("shaky")').waitFor();
        await board.tab.keyboard.press('Escape');
        await board.tab.waitForFunction(() => document.activeElement?.textContent === 'shaky');
        await board.tab.focus('#tab-overview');
        await board.tab.keyboard.press('ArrowRight');
        await board.tab.locator('#search').waitFor();
        await board.show('overview');
    });

    test('pauses and resumes a server after a confirmation', { timeout: LIMIT_MS }, async () => {
        await board.row('servers', 'calm').locator('a').click();
        await board.tab.click('#drawer-body button:text-is("Pause")');
        await board.tab.click('#confirm-no');
        assert.equal(await board.tab.locator('#confirm').isVisible(), false);
        await board.tab.click('#drawer-body button:text-is("Pause")');
        await board.tab.click('#confirm-yes');
        await board.tab.locator('#drawer-body button:text-is("Resume")').waitFor();
        await board.tab.keyboard.press('Escape');
        await board.untilState('servers', 'calm', 'paused');

        await board.row('servers', 'calm').locator('button', { hasText: 'Resume' }).click();
        await board.tab.click('#confirm-yes');
        await board.untilState('servers', 'calm', 'connected');
        await board.assertUntouched();
    });

    test('resets an open circuit', { timeout: LIMIT_MS }, async () => {
        await failTwice();
        await board.untilState('circuits', 'shaky', 'open');

        await board.row('circuits', 'shaky').locator('button', { hasText: 'Reset' }).click();
        await board.tab.click('#confirm-yes');

        await board.untilState('circuits', 'shaky', 'closed');
        assert.equal(await hasFailed('shaky__find_notes'), false);
    });

    test('shows that the gateway has stopped', { timeout: LIMIT_MS }, async () => {
        await board.assertUntouched();
        await gateway.program.stop();

        await board.tab
            .locator('#banner-text', { hasText: 'No answer from the gateway since' })
            .waitFor();
    });
});

/** Runs in the tab: marks the elements that the Tab key must reach. */
function markFocusable() {
    const wanted = 'a[href], button, input, select, [tabindex]';
    for (const node of document.querySelectorAll(wanted)) {
        if (node.tabIndex >= 0 && !node.disabled && node.checkVisibility()) {
            node.setAttribute('data-focusable', '');
        }
    }
}
