// The table of servers, those in trouble first.

import { serverActions, serverButton } from './confirm.js';
import { startCountdown, stopCountdown } from './countdown.js';
import { byId, el, setAttribute, setText, syncChildren } from './dom.js';
import { age, count, counted, percent, span } from './format.js';
import { makeSpark, setSpark } from './spark.js';
import { badge, circuitState, serverState, setBadge } from './states.js';

const SHOWN_AT_FIRST = 20;
const RANKS = { bad: 0, warn: 1, quiet: 2, good: 3 };

/** The lower, the more it needs somebody. A calm server with an open circuit is in trouble too. */
export function rankOf(server) {
    const circuit = server.circuit_breaker ? RANKS[circuitState(server.circuit_breaker).tone] : 3;
    return Math.min(RANKS[serverState(server).tone], circuit === 2 ? 3 : circuit);
}

export function isInTrouble(server) {
    return rankOf(server) < RANKS.quiet;
}

/** The class of a row by the rank of what it shows. */
export function troubleClass(rank) {
    return ['trouble', 'unrest'][rank] ?? null;
}

/** Servers with their names, in the order of the table. */
export function sortedServers(servers) {
    return Object.entries(servers)
        .map(([name, server]) => ({ ...server, name }))
        .sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name));
}

/** What a person should know of it now, in words. */
export function noteOf(server) {
    if (server.reason) {
        return server.reason;
    }
    const error = server.last_error;
    if (error && server.status !== 'connected') {
        return `${error.code}: ${error.message}`;
    }
    if (server.status === 'connected') {
        return Number.isFinite(server.uptime_s) ? `up ${age(server.uptime_s)}` : '';
    }
    return '';
}

/** Writes "next try in 4 s" into `node` as long as there is a next try. */
export function showNextTry(node, server, rate) {
    const seconds = server.next_attempt_in_s;
    if (!Number.isFinite(seconds)) {
        stopCountdown(node);
        setText(node, server.given_up ? 'no more tries' : '');
        return;
    }
    const attempt = server.failures_in_row > 0 ? `, after ${counted(server.failures_in_row, 'failure')}` : '';
    startCountdown(node, seconds, rate, (left) =>
        setText(node, left > 0 ? `next try in ${span(Math.ceil(left))}${attempt}` : 'trying now'));
}

/** Writes "open, 12 s" into the badge of a circuit. */
function showCircuit(cell, circuit, rate) {
    const [look, left] = cell.children;
    if (!circuit) {
        stopCountdown(left);
        setBadge(look, { word: 'none', shape: 'ring', tone: 'quiet' });
        setText(left, '');
        return;
    }
    setBadge(look, circuitState(circuit));
    if (Number.isFinite(circuit.remaining_s)) {
        startCountdown(left, circuit.remaining_s, rate, (seconds) =>
            setText(left, seconds > 0 ? span(Math.ceil(seconds)) : 'now'));
    } else {
        stopCountdown(left);
        setText(left, circuit.state === 'closed' && circuit.failure_count > 0
            ? counted(circuit.failure_count, 'failure') : '');
    }
}

function makeRow(server) {
    const cell = (name, ...children) => el('td', { class: name }, ...children);
    return el('tr', {},
        cell('state', badge()),
        el('th', { scope: 'row' },
            el('a', { href: `#/server/${encodeURIComponent(server.name)}`, title: server.name }, server.name),
            el('span', { class: 'sub' })),
        cell('circuit', badge(), el('span', { class: 'left' })),
        cell('note', el('span', { class: 'note-text' }), el('span', { class: 'left next-try' })),
        cell('number'), cell('number'), cell('number'),
        cell('spark-cell', makeSpark()),
        cell('number'),
        cell('buttons'));
}

function buttonsFor(server) {
    const circuit = server.circuit_breaker;
    const isOpen = circuit?.state === 'open';
    if (server.paused) {
        return serverActions(server);
    }
    return serverState(server).tone === 'bad' || (server.status !== 'connected' && isOpen) ? ['restart'] : [];
}

function updateRow(row, server, { rate, series }) {
    const [state, head, circuit, note, inFlight, calls, failed, spark, tools, buttons] = row.children;
    setAttribute(row, 'class', troubleClass(rankOf(server)));
    setBadge(state.firstChild, serverState(server));
    setText(head.lastChild, server.transport);
    showCircuit(circuit, server.circuit_breaker, rate);
    setText(note.firstChild, noteOf(server));
    setAttribute(note.firstChild, 'title', noteOf(server));
    showNextTry(note.lastChild, server, rate);
    const queued = server.queued > 0 ? ` +${count(server.queued)}` : '';
    setText(inFlight, server.in_flight > 0 || queued ? `${server.in_flight}/${server.in_flight_limit}${queued}` : '0');
    setAttribute(inFlight, 'title', `${server.in_flight} of ${server.in_flight_limit} in flight, ${server.queued} of ${server.queue_limit} queued`);
    setText(calls, count(server.calls));
    setText(failed, server.failures > 0 ? percent(server.failures, server.calls) : '0');
    setAttribute(failed, 'class', server.failures > 0 ? 'number failed' : 'number');
    setText(tools, count(server.tool_count));
    if (series) {
        setSpark(spark.firstChild, series.servers[server.name]);
    }
    const actions = buttonsFor(server);
    if (buttons.dataset.actions !== actions.join()) {
        buttons.dataset.actions = actions.join();
        buttons.replaceChildren(...actions.map((action) => serverButton(server.name, action)));
    }
}

/** A list that shows its first part, all that is in trouble, and a button for the rest. */
export class CappedList {
    #isWhole = false;

    constructor(more, changed) {
        this.more = more;
        this.button = el('button', { type: 'button', on: {
            click: () => {
                this.#isWhole = !this.#isWhole;
                changed();
            },
        } });
        more.append(this.button);
    }

    /** `troubled` is how many of the first need somebody. */
    shown(items, troubled) {
        const limit = Math.max(SHOWN_AT_FIRST, troubled);
        this.more.hidden = items.length <= limit;
        setText(this.button, this.#isWhole
            ? `Show the first ${count(limit)} only` : `Show all ${count(items.length)}`);
        return this.#isWhole ? items : items.slice(0, limit);
    }
}

export function makeServersView(changed) {
    const body = byId('servers').tBodies[0];
    const capped = new CappedList(byId('servers-more'), changed);
    return {
        /** `model` has {status, series, rate, matches, onlyTrouble}. */
        update(model) {
            const all = sortedServers(model.status.downstream_servers);
            const wanted = all.filter((server) =>
                model.matches(server.name) && (!model.onlyTrouble || isInTrouble(server)));
            setText(byId('servers-count'), wanted.length === all.length
                ? count(all.length) : `${count(wanted.length)} of ${count(all.length)}`);
            syncChildren(body, capped.shown(wanted, wanted.filter(isInTrouble).length), {
                key: (server) => server.name,
                make: makeRow,
                update: (row, server) => updateRow(row, server, model),
            });
        },
    };
}
