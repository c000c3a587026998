// Chromium, pages for it, and a dashboard tab that is watched for errors and policy violations.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';

import { chromium } from 'playwright-core';

const STEP_LIMIT_MS = 20_000;

/** Resolves every name that ends in `.example` to this machine. */
export async function startBrowser(scope) {
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--host-resolver-rules=MAP *.example 127.0.0.1'],
    });
    scope.defer(() => browser.close());
    return browser;
}

/** Serves a page on its own port and returns its origin. */
export async function servePage(scope, page) {
    const server = createServer((request, response) => {
        response.setHeader('Content-Type', 'text/html');
        response.end(page);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    scope.defer(() => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${server.address().port}`;
}

/** Counts policy violations inside the tab. */
function countViolations() {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
        window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
    });
}

/** A tab of the dashboard. `tab` is Playwright's page. */
export class Dashboard {
    #faults = [];
    #loads = 0;

    static async open(browser, url, options = {}) {
        const board = new Dashboard();
        board.tab = await browser.newPage({ viewport: { width: 1440, height: 980 }, ...options });
        board.tab.setDefaultTimeout(STEP_LIMIT_MS);
        await board.tab.addInitScript(countViolations);
        board.tab.on('pageerror', (error) => board.#faults.push(error.message));
        board.tab.on('dialog', (dialog) => board.#faults.push(`dialog: ${dialog.message()}`));
        board.tab.on('load', () => ++board.#loads);
        await board.tab.goto(url);
        await board.tab.locator('#servers tbody tr').first().waitFor();
        return board;
    }

    /** Fails if the page was reloaded, had an error, or ran or tried to run foreign code. */
    async assertUntouched() {
        assert.deepEqual(this.#faults, []);
        assert.equal(this.#loads, 1, 'the page was loaded once');
        assert.deepEqual(await this.tab.evaluate(() => window.violations), []);
        assert.equal(await this.tab.evaluate(() => window.intruded), undefined);
    }

    row(table, name) {
        return this.tab.locator(`#${table} tbody tr[data-key="${name}"]`);
    }

    /** Waits until the state of a server or circuit is shown with this word. */
    async untilState(table, name, word) {
        await this.row(table, name).locator(`.state .badge-word:text-is("${word}")`).waitFor();
    }

    async show(view) {
        await this.tab.click(`#tab-${view}`);
        await this.tab.locator(`#${view}`).waitFor();
    }

    async search(words) {
        await this.show('tools');
        await this.tab.fill('#search', words);
        await this.tab.locator('#found .scores').first().waitFor();
    }
}
