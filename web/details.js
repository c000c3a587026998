// The drawer's content for one server or circuit. It is updated while the drawer is open.

import { facts } from './call.js';
import { makeWait, setWait } from './circuits.js';
import { circuitActions, circuitButton, serverActions, serverButton } from './confirm.js';
import { el } from './dom.js';
import { count, counted, failedWords, span, timeOfDay } from './format.js';
import { makePlots } from './plots.js';
import { showNextTry } from './servers.js';
import { badge, circuitState, serverState } from './states.js';
import { changesList, makeTimeline, setTimeline } from './timeline.js';
import { noteOf, slotText } from './problems.js';

function gone(kind, name) {
    return [el('p', {}, `${kind} ${name} no longer exists.`)];
}

function buttons(...nodes) {
    return el('div', { class: 'button-row' }, ...nodes);
}

function errorFact(error) {
    if (!error) {
        return '';
    }
    const place = error.tool ? ` in ${error.tool}` : '';
    return `${timeOfDay(error.at)} ${error.code}${place}: ${error.message}`;
}

function serverFacts(server) {
    const offers = ['tool', 'prompt', 'resource'].map((noun) =>
        counted(server[`${noun}_count`], noun),
    );
    return facts([
        ['Transport', [server.transport, server.era].filter(Boolean).join(', revision ')],
        ['Process', Number.isFinite(server.pid) ? `${server.pid}` : ''],
        ['Up for', Number.isFinite(server.uptime_s) ? span(server.uptime_s) : ''],
        ['Restarts', count(server.restarts)],
        ['Offers', offers.join(', ')],
        ['Calls', `${count(server.calls)}, ${failedWords(server.failures, server.calls)}`],
        ['Slots', slotText(server)],
        ['Last error', errorFact(server.last_error)],
    ]);
}

function circuitLinks(circuits) {
    return el(
        'ul',
        { class: 'plain' },
        ...circuits.map((circuit) =>
            el(
                'li',
                {},
                badge(circuitState(circuit)),
                ' ',
                el('a', { href: `#/circuit/${encodeURIComponent(circuit.name)}` }, circuit.name),
            ),
        ),
    );
}

function logLines(lines) {
    return el(
        'pre',
        { class: 'log', tabindex: '0', 'aria-label': 'Last log lines' },
        lines.join('\n'),
    );
}

/** {title, nodes} for the drawer; `model` is the views' model. */
export function serverDetails(name, { status, series, rate }) {
    const server = status.downstream_servers[name];
    if (!server) {
        return { title: name, nodes: gone('server', name) };
    }
    const next = el('span', { class: 'left' });
    showNextTry(next, server, rate);
    const circuits = status.circuits.filter((circuit) => (circuit.servers ?? []).includes(name));
    const plots = makePlots();
    if (series) {
        plots.update(series, name);
    }
    return {
        title: name,
        nodes: [
            el('p', { class: 'lead' }, badge(serverState(server)), ' ', noteOf(server), ' ', next),
            buttons(...serverActions(server).map((action) => serverButton(name, action))),
            serverFacts(server),
            ...(circuits.length > 0 ? [el('h3', {}, 'Circuits'), circuitLinks(circuits)] : []),
            ...(series?.servers[name] ? [plots.node] : []),
            ...(server.stderr?.length > 0 ? [el('h3', {}, 'Log'), logLines(server.stderr)] : []),
        ],
    };
}

export function circuitDetails(name, { status, timeline, rate }) {
    const circuit = status.circuits.find((candidate) => candidate.name === name);
    if (!circuit) {
        return { title: name, nodes: gone('circuit', name) };
    }
    const wait = makeWait();
    setWait(wait, circuit, rate);
    const strip = makeTimeline();
    const changes = timeline?.circuits[name] ?? [];
    if (timeline) {
        setTimeline(strip, timeline, name);
    }
    const links = (circuit.servers ?? []).flatMap((server, index) => [
        index > 0 ? ', ' : '',
        el('a', { href: `#/server/${encodeURIComponent(server)}` }, server),
    ]);
    return {
        title: name,
        nodes: [
            el('p', { class: 'lead' }, badge(circuitState(circuit)), ' ', wait),
            buttons(...circuitActions(circuit).map((action) => circuitButton(name, action))),
            facts([
                ['Servers', el('span', {}, ...links)],
                ['Failures', count(circuit.failure_count)],
                ['Opens after', counted(circuit.failures_to_open, 'failure')],
                ['Stays open', span(circuit.open_for_s)],
                ['Opened', `${count(circuit.opened)} times`],
                ['Probes', `${count(circuit.probes_in_flight)} in flight`],
                ['A call now', circuit.can_attempt ? 'is sent' : 'is rejected'],
            ]),
            el('h3', {}, 'Timeline'),
            strip,
            changes.length > 0
                ? changesList(changes)
                : el('p', { class: 'muted' }, 'No changes in this period.'),
        ],
    };
}
