// The table of circuits with their timelines, the open ones first.

import { CappedList } from './capped_list.js';
import { circuitButton } from './confirm.js';
import { startCountdown, stopCountdown } from './countdown.js';
import { byId, el, setAttribute, setText, syncChildren } from './dom.js';
import { count, span } from './format.js';
import { cell, namedRow } from './rows.js';
import { circuitState, setBadge } from './states.js';
import { makeTimeline, setAxis, setTimeline } from './timeline.js';
import { circuitRank, isFailingCircuit, rankClass } from './problems.js';

function makeRow(circuit) {
    return namedRow(
        `#/circuit/${encodeURIComponent(circuit.name)}`,
        circuit.name,
        cell('wait', makeWait()),
        cell('strip-cell', makeTimeline()),
        cell('number'),
        cell('number'),
        cell('buttons'),
    );
}

/** A countdown with a shrinking bar. */
export function makeWait() {
    return el(
        'span',
        { class: 'wait-line' },
        el('span', { class: 'wait-text left' }),
        el('span', { class: 'wait-bar', 'aria-hidden': 'true' }, el('i')),
    );
}

export function setWait(node, circuit, rate) {
    const [text, bar] = node.children;
    if (!Number.isFinite(circuit.remaining_s) || circuit.state !== 'open') {
        stopCountdown(node);
        bar.hidden = true;
        setText(text, restingWords(circuit));
        return;
    }
    bar.hidden = false;
    startCountdown(node, circuit.remaining_s, rate, (left) => {
        setText(text, left > 0 ? span(Math.ceil(left)) : 'at the next call');
        const share = circuit.open_for_s > 0 ? Math.min(1, left / circuit.open_for_s) : 0;
        bar.firstChild.style.transform = `scaleX(${share.toFixed(3)})`;
    });
}

function restingWords(circuit) {
    if (circuit.mode === 'forced_open') {
        return 'manual only';
    }
    if (circuit.state === 'half_open') {
        return circuit.probes_in_flight > 0 ? 'probe in flight' : 'the next call is a probe';
    }
    return circuit.state === 'open' ? 'at the next call' : '';
}

function updateRow(row, circuit, { rate, timeline }) {
    const [state, head, wait, strip, failures, opened, buttons] = row.children;
    setAttribute(row, 'class', rankClass(circuitRank(circuit)));
    setBadge(state.firstChild, circuitState(circuit));
    const servers = circuit.servers ?? [];
    const isObvious = servers.length === 1 && servers[0] === circuit.name;
    setText(head.lastChild, isObvious ? '' : servers.join(', '));
    setWait(wait.firstChild, circuit, rate);
    if (timeline) {
        setTimeline(strip.firstChild, timeline, circuit.name);
    }
    setText(failures, `${count(circuit.failure_count)}/${count(circuit.failures_to_open)}`);
    setText(opened, count(circuit.opened));
    const action = circuit.mode !== 'normal' ? 'normal' : circuit.state === 'closed' ? '' : 'reset';
    if (buttons.dataset.action !== action) {
        buttons.dataset.action = action;
        buttons.replaceChildren(...(action ? [circuitButton(circuit.name, action)] : []));
    }
}

export function makeCircuitsView(changed) {
    const body = byId('circuits').tBodies[0];
    const capped = new CappedList(byId('circuits-more'), changed);
    return {
        /** `model` has {status, timeline, rate, matches, onlyProblems}. */
        update(model) {
            const all = [...model.status.circuits].sort(
                (a, b) => circuitRank(a) - circuitRank(b) || a.name.localeCompare(b.name),
            );
            const wanted = all.filter(
                (circuit) =>
                    [circuit.name, ...(circuit.servers ?? [])].some(model.matches) &&
                    (!model.onlyProblems || isFailingCircuit(circuit)),
            );
            setText(
                byId('circuits-count'),
                wanted.length === all.length
                    ? count(all.length)
                    : `${count(wanted.length)} of ${count(all.length)}`,
            );
            if (model.timeline) {
                setAxis(byId('timeline-axis'), model.timeline);
            }
            const failing = wanted.filter(isFailingCircuit).length;
            syncChildren(body, capped.shown(wanted, failing), {
                key: (circuit) => circuit.name,
                make: makeRow,
                update: (row, circuit) => updateRow(row, circuit, model),
            });
        },
    };
}
