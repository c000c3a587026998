// The gateway at a glance: one sentence, key figures, and announcements for screen readers.

import { byId, el, setAttribute, setText, syncChildren } from './dom.js';
import { bytes, compact, count, counted, milliseconds, percent, span } from './format.js';
import { circuitState, serverState } from './states.js';
import { isFailing, sortedServers } from './problems.js';

const NAMED = 3;
const READ_ALOUD = 4;

export function verdictOf(status) {
    const servers = sortedServers(status.downstream_servers);
    if (status.server.draining) {
        return { tone: 'warn', words: 'The gateway is draining: it accepts no new calls.' };
    }
    const failing = servers.filter(isFailing);
    const rejected = status.server.config_rejected
        ? 'The config file was rejected; the gateway runs the previous config.'
        : '';
    if (failing.length === 0 && rejected) {
        return { tone: 'warn', words: rejected };
    }
    if (servers.length === 0) {
        return { tone: 'quiet', words: 'No servers configured.' };
    }
    if (failing.length === 0) {
        return {
            tone: 'good',
            words:
                servers.length === 1
                    ? 'The server is healthy.'
                    : `All ${count(servers.length)} servers are healthy.`,
        };
    }
    const named = failing
        .slice(0, NAMED)
        .map(({ name }) => name)
        .join(', ');
    const more = failing.length > NAMED ? ` and ${count(failing.length - NAMED)} more` : '';
    const share = `${count(failing.length)} of ${counted(servers.length, 'server')}`;
    const words = [`${share} failing: ${named}${more}.`, rejected].filter(Boolean).join(' ');
    return { tone: 'bad', words };
}

function lastKnown(values) {
    return values?.findLast((value) => Number.isFinite(value));
}

function figuresOf(status, series) {
    const servers = Object.values(status.downstream_servers);
    const ready = servers.filter((server) => server.status === 'connected').length;
    const open = status.circuits.filter((circuit) => circuit.state !== 'closed').length;
    const { calls, tool_zoo: zoo, telemetry } = status;
    const busy = [
        `${count(calls.in_flight)} in flight`,
        calls.parked > 0 ? `${count(calls.parked)} parked` : '',
    ];
    return [
        { name: 'Servers connected', value: `${count(ready)}/${count(servers.length)}`, note: '' },
        {
            name: 'Circuits not closed',
            value: count(open),
            note: `of ${count(status.circuits.length)}`,
            isBad: open > 0,
        },
        { name: 'Calls', value: compact(calls.total), note: busy.filter(Boolean).join(', ') },
        {
            name: 'Failed',
            value: percent(calls.failed, calls.total),
            note: counted(calls.failed, 'call'),
            isBad: calls.failed > 0,
        },
        {
            name: 'p99 latency',
            value: milliseconds(lastKnown(series?.all.p99_ms)),
            note: 'latest',
        },
        {
            name: 'Tools',
            value: count(zoo.total_tools),
            note: `${zoo.mode} · ${compact(zoo.list_tokens)} tokens`,
        },
        {
            name: 'Call records',
            value: telemetry.state.replaceAll('_', ' '),
            note:
                telemetry.reason ||
                (telemetry.dropped > 0
                    ? `${count(telemetry.dropped)} dropped`
                    : `${compact(telemetry.stored)} stored`),
            isBad: telemetry.dropped > 0,
        },
    ];
}

function updateFigures(figures) {
    syncChildren(byId('figures'), figures, {
        key: ({ name }) => name,
        make: ({ name }) =>
            el(
                'div',
                {},
                el('dt', {}, name),
                el('dd', { class: 'value' }),
                el('dd', { class: 'muted' }),
            ),
        update: (node, { value, note, isBad }) => {
            setText(node.children[1], value);
            setAttribute(node.children[1], 'class', isBad ? 'value failed' : 'value');
            setText(node.children[2], note);
        },
    });
}

/** Describes the tool list that agents see and the precision of the router. */
export function toolText({ tool_zoo: zoo, router }) {
    const words = [
        counted(zoo.total_tools, 'tool'),
        `${count(zoo.indexed_tools)} indexed`,
        `${count(zoo.embedded)} embedded`,
        ...(zoo.set_aside > 0 ? [`${count(zoo.set_aside)} rejected by the embedder`] : []),
        `mode ${zoo.mode}`,
        `list size: ${bytes(zoo.list_bytes)}, ${counted(zoo.list_tokens, 'token')}`,
    ];
    if (router?.predictions > 0) {
        const share = (value) => (Number.isFinite(value) ? value.toFixed(2) : 'unknown');
        words.push(
            `router: ${counted(router.predictions, 'prediction')}, precision ` +
                `${share(router.avg_precision)}, recall ${share(router.avg_recall)}, ` +
                `${counted(router.fallbacks, 'fallback')}`,
        );
    }
    return words.join(' · ');
}

/** Returns the state of every server and circuit by name. */
function statesOf(status) {
    const servers = Object.entries(status.downstream_servers).map(([name, server]) => [
        `Server ${name}`,
        serverState(server).word,
    ]);
    const circuits = status.circuits.map((circuit) => [
        `Circuit ${circuit.name}`,
        circuitState(circuit).word,
    ]);
    return new Map([...servers, ...circuits]);
}

export function makeSummary() {
    let known = null;
    function announceChanges(status) {
        const states = statesOf(status);
        const changes = [...states].filter(
            ([name, word]) => known !== null && known.get(name) !== word,
        );
        known = states;
        if (changes.length > 0) {
            const announced = changes
                .slice(0, READ_ALOUD)
                .map(([name, word]) => `${name}: ${word}.`);
            const more =
                changes.length > READ_ALOUD
                    ? [`And ${changes.length - READ_ALOUD} more changes.`]
                    : [];
            setText(byId('announcer'), [...announced, ...more].join(' '));
        }
    }
    return {
        update({ status, series, rate }) {
            const verdict = verdictOf(status);
            setText(byId('verdict'), verdict.words);
            setAttribute(byId('verdict'), 'class', `verdict ${verdict.tone}`);
            document.title = verdict.tone === 'bad' ? 'Failing · Holdfast' : 'Holdfast';
            const { server } = status;
            const speed = rate !== 1 ? `clock × ${rate}` : '';
            setText(
                byId('gateway-facts'),
                [server.version, `up ${span(server.uptime_s)}`, `pid ${server.pid}`, speed]
                    .filter(Boolean)
                    .join(' · '),
            );
            setAttribute(byId('gateway-facts'), 'title', server.config || null);
            updateFigures(figuresOf(status, series));
            setText(byId('tools-count'), toolText(status));
            announceChanges(status);
        },
    };
}
