// The history of a circuit as a strip: a thin line while closed, half height while half open, and a
// full block while open.

import { el, setAttribute, setText, svg } from './dom.js';
import { hourAndMinute, timeOfDay } from './format.js';

const WIDTH = 1000;
const HEIGHT = 16;
const LOOKS = {
    closed: { y: 7, height: 2, name: 'strip-closed' },
    half_open: { y: 4, height: 8, name: 'strip-half' },
    open: { y: 0, height: 16, name: 'strip-open' },
};
const NARROWEST = 2;
const LISTED = 50;

/** Returns [{state, from, to}] between `from` and `to`, in milliseconds. */
export function spansOf(changes, from, to) {
    const spans = [];
    // Infers the state before the first change: only an open circuit becomes half open.
    let state = changes[0]?.state === 'half_open' ? 'open' : 'closed';
    let began = from;
    for (const change of changes) {
        const at = Date.parse(change.at);
        if (at > from) {
            spans.push({ state, from: began, to: Math.min(at, to) });
            began = Math.min(at, to);
        }
        state = change.state;
    }
    spans.push({ state, from: began, to });
    return spans.filter((span) => span.to > span.from);
}

export function makeTimeline() {
    return svg('svg', {
        class: 'strip',
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
    });
}

function strip(span, from, scale) {
    const look = LOOKS[span.state] ?? LOOKS.closed;
    const width = (span.to - span.from) * scale;
    const times = `${timeOfDay(span.from)} – ${timeOfDay(span.to)}`;
    const title = `${span.state.replace('_', ' ')} ${times}`;
    return svg(
        'rect',
        {
            class: look.name,
            x: ((span.from - from) * scale).toFixed(1),
            y: look.y,
            width: (span.state === 'closed' ? width : Math.max(NARROWEST, width)).toFixed(1),
            height: look.height,
        },
        svg('title', {}, title),
    );
}

/** `timeline` is the gateway's answer: {from, to, circuits}. */
export function setTimeline(node, timeline, name) {
    const from = Date.parse(timeline.from);
    const to = Date.parse(timeline.to);
    const spans = spansOf(timeline.circuits[name] ?? [], from, to);
    // Draws the closed line last, so that it never hides a short outage.
    spans.sort((a, b) => (a.state === 'closed') - (b.state === 'closed'));
    node.replaceChildren(...spans.map((span) => strip(span, from, WIDTH / (to - from))));
    const outages = spans.filter((span) => span.state === 'open');
    const seconds = outages.reduce((sum, span) => sum + (span.to - span.from) / 1000, 0);
    setAttribute(
        node,
        'aria-label',
        outages.length === 0
            ? 'not open in this period'
            : `open ${outages.length} times, for ${seconds.toFixed(0)} s in total`,
    );
}

export function setAxis(node, timeline) {
    const from = Date.parse(timeline.from);
    const to = Date.parse(timeline.to);
    const marks = [from, (from + to) / 2, to].map(hourAndMinute);
    if (node.children.length !== marks.length) {
        node.replaceChildren(...marks.map(() => el('span')));
    }
    marks.forEach((mark, index) => setText(node.children[index], mark));
}

/** Returns the same as text, newest first, for screen readers. */
export function changesList(changes) {
    const newest = changes.slice(-LISTED).reverse();
    return el(
        'ol',
        { class: 'changes' },
        ...newest.map((change) =>
            el('li', {}, el('time', {}, timeOfDay(change.at)), ' ', change.state.replace('_', ' ')),
        ),
    );
}
