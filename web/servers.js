// The table of servers, failing ones first.

import { CappedList } from './capped_list.js';
import { serverButton } from './confirm.js';
import { startCountdown, stopCountdown } from './countdown.js';
import { byId, el, setAttribute, setText, syncChildren } from './dom.js';
import { count, counted, percent, span } from './format.js';
import { cell, namedRow } from './rows.js';
import { makeSpark, setSpark } from './spark.js';
import { badge, circuitState, serverState, setBadge } from './states.js';
import { isFailing, noteOf, rankOf, slotText, sortedServers, rankClass } from './problems.js';

/** Writes "next attempt in 4 s" into `node` while an attempt is scheduled. */
export function showNextTry(node, server, rate) {
    const seconds = server.next_attempt_in_s;
    if (!Number.isFinite(seconds)) {
        stopCountdown(node);
        setText(node, '');
        return;
    }
    const attempt =
        server.failures_in_row > 0 ? `, after ${counted(server.failures_in_row, 'failure')}` : '';
    startCountdown(node, seconds, rate, (left) =>
        setText(
            node,
            left > 0 ? `next attempt in ${span(Math.ceil(left))}${attempt}` : 'connecting now',
        ),
    );
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
            setText(left, seconds > 0 ? span(Math.ceil(seconds)) : 'now'),
        );
    } else {
        stopCountdown(left);
        setText(
            left,
            circuit.state === 'closed' && circuit.failure_count > 0
                ? counted(circuit.failure_count, 'failure')
                : '',
        );
    }
}

function makeRow(server) {
    return namedRow(
        `#/server/${encodeURIComponent(server.name)}`,
        server.name,
        cell('circuit', badge(), el('span', { class: 'left' })),
        cell('note', el('span', { class: 'note-text' }), el('span', { class: 'left next-try' })),
        cell('number'),
        cell('number'),
        cell('number'),
        cell('spark-cell', makeSpark()),
        cell('number'),
        cell('buttons'),
    );
}

function buttonsFor(server) {
    if (server.paused) {
        return ['resume'];
    }
    return serverState(server).tone === 'bad' ? ['restart'] : [];
}

function inFlightWords(server) {
    const queued = server.queued > 0 ? ` +${count(server.queued)}` : '';
    const isIdle = server.in_flight === 0 && queued === '';
    return isIdle ? '0' : `${server.in_flight}/${server.in_flight_limit}${queued}`;
}

function updateRow(row, server, { rate, series }) {
    const [state, head, circuit, note, inFlight, calls, failed, spark, tools, buttons] =
        row.children;
    setAttribute(row, 'class', rankClass(rankOf(server)));
    setBadge(state.firstChild, serverState(server));
    setText(head.lastChild, server.transport);
    showCircuit(circuit, server.circuit_breaker, rate);
    setText(note.firstChild, noteOf(server));
    setAttribute(note.firstChild, 'title', noteOf(server));
    showNextTry(note.lastChild, server, rate);
    setText(inFlight, inFlightWords(server));
    setAttribute(inFlight, 'title', slotText(server));
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

export function makeServersView(changed) {
    const body = byId('servers').tBodies[0];
    const capped = new CappedList(byId('servers-more'), changed);
    return {
        /** `model` has {status, series, rate, matches, onlyProblems}. */
        update(model) {
            const all = sortedServers(model.status.downstream_servers);
            const wanted = all.filter(
                (server) =>
                    model.matches(server.name) && (!model.onlyProblems || isFailing(server)),
            );
            setText(
                byId('servers-count'),
                wanted.length === all.length
                    ? count(all.length)
                    : `${count(wanted.length)} of ${count(all.length)}`,
            );
            syncChildren(body, capped.shown(wanted, wanted.filter(isFailing).length), {
                key: (server) => server.name,
                make: makeRow,
                update: (row, server) => updateRow(row, server, model),
            });
        },
    };
}
