// Explains one call: where its time was spent, its attempts, and its policy.

import { get } from './api.js';
import { el, svg } from './dom.js';
import { bytes, counted, milliseconds, timeOfDay } from './format.js';
import { badge, circuitState, outcomeState } from './states.js';

const WIDTH = 100;

/**
 * The spans of a call in the order of time: the queue, each attempt, and the waits between them.
 * [{name, began, took, look, words}] in milliseconds since the arrival of the call.
 */
export function spansOf(call) {
    const spans = [];
    let at = 0;
    if (call.queue_ms > 0) {
        spans.push({
            name: 'queue',
            began: 0,
            took: call.queue_ms,
            look: 'span-queue',
            words: 'waited for a free slot',
        });
        at = call.queue_ms;
    }
    call.attempts.forEach((attempt, index) => {
        const gap = attempt.began_ms - at;
        if (index > 0 && gap > 0) {
            spans.push({
                name: 'wait',
                began: at,
                took: gap,
                look: 'span-wait',
                words: 'before the next attempt',
            });
        }
        const isGood = attempt.end === 'answered';
        const place = attempt.server !== call.server ? ` at ${attempt.server}` : '';
        const detail = attempt.detail ? `: ${attempt.detail}` : '';
        spans.push({
            name: `attempt ${index + 1}`,
            began: attempt.began_ms,
            took: attempt.took_ms,
            look: isGood ? 'span-good' : 'span-bad',
            words: `${attempt.end.replaceAll('_', ' ')}${place}${detail}`,
        });
        at = attempt.began_ms + attempt.took_ms;
    });
    return spans;
}

function spanRow(span, total) {
    const scale = WIDTH / Math.max(total, 0.001);
    const bar = svg(
        'svg',
        {
            class: 'span-bar',
            viewBox: `0 0 ${WIDTH} 10`,
            preserveAspectRatio: 'none',
            'aria-hidden': 'true',
        },
        svg('rect', {
            class: span.look,
            x: (span.began * scale).toFixed(2),
            y: 0,
            width: Math.max(0.6, span.took * scale).toFixed(2),
            height: 10,
        }),
    );
    return el(
        'tr',
        {},
        el('th', { scope: 'row' }, span.name),
        el('td', { class: 'number' }, milliseconds(span.began)),
        el('td', { class: 'number' }, milliseconds(span.took)),
        el('td', { class: 'span-cell' }, bar, el('span', { class: 'span-words' }, span.words)),
    );
}

function waterfall(call) {
    const spans = spansOf(call);
    if (spans.length === 0) {
        return el('p', {}, 'The call was not sent to a server.');
    }
    const end = Math.max(call.total_ms, ...spans.map((span) => span.began + span.took));
    return el(
        'table',
        { class: 'rows waterfall' },
        el(
            'thead',
            {},
            el(
                'tr',
                {},
                el('th', { scope: 'col' }, 'Span'),
                el('th', { scope: 'col', class: 'number' }, 'Began'),
                el('th', { scope: 'col', class: 'number' }, 'Took'),
                el('th', { scope: 'col', class: 'wide' }, `Of ${milliseconds(end)}`),
            ),
        ),
        el('tbody', {}, ...spans.map((span) => spanRow(span, end))),
    );
}

/** Returns [key, value, source] of each value, for both forms of the object. */
export function policyRows(values) {
    if (Array.isArray(values)) {
        return values.map(({ key, value, source }) => [key, value, source ?? '']);
    }
    return Object.entries(values ?? {}).map(([key, entry]) =>
        entry !== null && typeof entry === 'object' && 'value' in entry
            ? [key, entry.value, entry.source ?? entry.from ?? '']
            : [key, entry, ''],
    );
}

function policyTable(call) {
    const rows = policyRows(call.policy_values);
    if (rows.length === 0) {
        return el('p', { class: 'muted' }, 'The values were not stored with this call.');
    }
    const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
    return el(
        'table',
        { class: 'rows' },
        el(
            'thead',
            {},
            el(
                'tr',
                {},
                ...['Key', 'Value', 'Source'].map((name) => el('th', { scope: 'col' }, name)),
            ),
        ),
        el(
            'tbody',
            {},
            ...rows.map(([key, value, source]) =>
                el(
                    'tr',
                    {},
                    el('th', { scope: 'row' }, el('code', {}, key)),
                    el('td', {}, text(value)),
                    el('td', { class: 'muted' }, source),
                ),
            ),
        ),
    );
}

function circuitFact(call) {
    if (!call.circuit) {
        return 'none';
    }
    const link = el('a', { href: `#/circuit/${encodeURIComponent(call.circuit)}` }, call.circuit);
    const before = badge(circuitState({ state: call.circuit_before }));
    const hasChanged = call.circuit_after && call.circuit_after !== call.circuit_before;
    const after = hasChanged ? [' → ', badge(circuitState({ state: call.circuit_after }))] : [];
    return el('span', {}, link, ' ', before, ...after);
}

export function facts(pairs) {
    const known = pairs.filter(
        ([, value]) => value !== '' && value !== null && value !== undefined,
    );
    return el(
        'dl',
        { class: 'facts' },
        ...known.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
    );
}

function explanation(call) {
    const server = el('a', { href: `#/server/${encodeURIComponent(call.server)}` }, call.server);
    return [
        el(
            'p',
            { class: 'lead' },
            badge(outcomeState(call.outcome)),
            ` after ${milliseconds(call.total_ms)} and ${counted(call.attempts.length, 'attempt')}`,
        ),
        call.message ? el('p', { class: 'quote' }, call.message) : null,
        el('h3', {}, 'Timeline'),
        waterfall(call),
        el('h3', {}, 'Details'),
        facts([
            ['Time', timeOfDay(call.at)],
            ['Method', call.method],
            ['Server', call.server ? server : ''],
            ['Route', call.route],
            ['Substitute', call.substitute],
            ['Circuit', circuitFact(call)],
            ['Agent', call.principal],
            ['Sizes', `${bytes(call.bytes_in)} in, ${bytes(call.bytes_out)} out`],
            ['Id', el('code', {}, call.id)],
        ]),
        el('h3', {}, call.policy ? `Policy ${call.policy}` : 'Policy'),
        policyTable(call),
    ].filter(Boolean);
}

/** {title, nodes} for the drawer. */
export async function explainCall(id) {
    try {
        const call = await get(`calls/${encodeURIComponent(id)}`);
        return { title: call.tool || call.method, nodes: explanation(call) };
    } catch (error) {
        const words = error.status === 404 ? 'This call is no longer stored.' : error.message;
        return { title: `Call ${id}`, nodes: [el('p', {}, words)] };
    }
}
