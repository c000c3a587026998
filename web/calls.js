// The newest calls, each linked to its explanation.

import { get } from './api.js';
import { byId, debounced, el, setText, syncChildren } from './dom.js';
import { count, milliseconds, timeOfDay } from './format.js';
import { Poller } from './poller.js';
import { badge, outcomeState } from './states.js';

const EVERY_MS = 3000;
const LONGEST_PAUSE_MS = 15_000;
const PAUSE_MS = 200;
const SHOWN = 100;

function makeRow(call) {
    const cell = (name, ...children) => el('td', { class: name }, ...children);
    return el(
        'tr',
        {},
        cell('time', timeOfDay(call.at)),
        cell('state', badge(outcomeState(call.outcome))),
        el(
            'th',
            { scope: 'row' },
            el(
                'a',
                { class: 'long', href: `#/call/${encodeURIComponent(call.id)}` },
                call.tool || call.method,
            ),
        ),
        cell('', call.server),
        cell('number', count(call.attempts.length)),
        cell('number', milliseconds(call.queue_ms)),
        cell('number', milliseconds(call.total_ms)),
        cell(
            'note',
            el('span', { class: 'note-text', title: call.message ?? '' }, call.message ?? ''),
        ),
    );
}

class CallsView {
    #isShown = false;
    #poller = new Poller({
        everyMs: EVERY_MS,
        maxMs: LONGEST_PAUSE_MS,
        ask: () => this.#ask(),
        failed: (error) => setText(byId('calls-count'), `not up to date: ${error.message}`),
    });

    constructor() {
        const ask = () => this.#poller.now();
        byId('calls-server').addEventListener('change', ask);
        byId('calls-failed').addEventListener('change', ask);
        byId('calls-tool').addEventListener('input', debounced(ask, PAUSE_MS));
    }

    show() {
        this.#isShown = true;
        this.#poller.now();
    }

    hide() {
        this.#isShown = false;
    }

    async #ask() {
        if (!this.#isShown) {
            return;
        }
        const { calls } = await get('calls', {
            limit: SHOWN,
            failed: byId('calls-failed').checked ? 1 : '',
            server: byId('calls-server').value,
            tool: byId('calls-tool').value.trim(),
        });
        setText(
            byId('calls-count'),
            calls.length === 0 ? 'none' : `the newest ${count(calls.length)}`,
        );
        syncChildren(byId('calls-table').tBodies[0], calls, {
            key: (call) => call.id,
            make: makeRow,
            update: () => {},
        });
    }
}

export function makeCallsView() {
    return new CallsView();
}
