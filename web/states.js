// States as a shape and a word. The colour only repeats them.

import { el, setText, svg } from './dom.js';

// Each shape fits a square of 12 by 12.
const SHAPES = {
    disc: [['circle', { cx: 6, cy: 6, r: 4.5, fill: 'currentColor' }]],
    ring: [['circle', { cx: 6, cy: 6, r: 4, fill: 'none', stroke: 'currentColor' }]],
    dotted: [
        [
            'circle',
            {
                cx: 6,
                cy: 6,
                r: 4,
                fill: 'none',
                stroke: 'currentColor',
                'stroke-width': 2,
                'stroke-dasharray': '2.2 2',
            },
        ],
    ],
    triangle: [['path', { d: 'M6 1 11.5 10.8H.5Z', fill: 'currentColor' }]],
    bars: [['path', { d: 'M2.5 1.5h2.5v9H2.5zM7 1.5h2.5v9H7z', fill: 'currentColor' }]],
    line: [
        ['path', { d: 'M0 6h12', stroke: 'currentColor', 'stroke-width': 2 }],
        ['circle', { cx: 6, cy: 6, r: 2.6, fill: 'currentColor' }],
    ],
    gap: [
        ['path', { d: 'M0 6h2.5M9.5 6H12', stroke: 'currentColor', 'stroke-width': 2 }],
        ['path', { d: 'M3.5 3.5l5 5m0-5l-5 5', stroke: 'currentColor', 'stroke-width': 2 }],
    ],
    half: [
        ['path', { d: 'M0 6h3', stroke: 'currentColor', 'stroke-width': 2 }],
        ['circle', { cx: 6.5, cy: 6, r: 4, fill: 'none', stroke: 'currentColor' }],
        ['path', { d: 'M6.5 2a4 4 0 0 1 0 8z', fill: 'currentColor' }],
    ],
    square: [['rect', { x: 2, y: 2, width: 8, height: 8, fill: 'none', stroke: 'currentColor' }]],
};

const CIRCUIT_STATES = {
    closed: { word: 'closed', shape: 'line', tone: 'good' },
    half_open: { word: 'half open', shape: 'half', tone: 'warn' },
    open: { word: 'open', shape: 'gap', tone: 'bad' },
};
const CIRCUIT_MODES = {
    forced_open: { word: 'forced open', shape: 'gap', tone: 'bad' },
    disabled: { word: 'disabled', shape: 'square', tone: 'quiet' },
    metrics_only: { word: 'metrics only', shape: 'square', tone: 'quiet' },
};
const SERVER_STATES = {
    connected: { word: 'connected', shape: 'disc', tone: 'good' },
    connecting: { word: 'connecting', shape: 'dotted', tone: 'warn' },
    error: { word: 'error', shape: 'triangle', tone: 'bad' },
    skipped: { word: 'skipped', shape: 'square', tone: 'bad' },
    disconnected: { word: 'idle', shape: 'ring', tone: 'quiet' },
};
const PAUSED = { word: 'paused', shape: 'bars', tone: 'quiet' };
const DOWN = { word: 'down', shape: 'triangle', tone: 'bad' };

function unknown(word) {
    return { word: word || 'unknown', shape: 'ring', tone: 'quiet' };
}

export function serverState(server) {
    if (server.paused) {
        return PAUSED;
    }
    return server.given_up ? DOWN : (SERVER_STATES[server.status] ?? unknown(server.status));
}

/** Accepts a circuit of the list, or a server's circuit summary, which has no mode. */
export function circuitState(circuit) {
    return (
        CIRCUIT_MODES[circuit?.mode] ?? CIRCUIT_STATES[circuit?.state] ?? unknown(circuit?.state)
    );
}

const CALM_OUTCOMES = {
    ok: { word: 'ok', shape: 'disc', tone: 'good' },
    tool_error: { word: 'tool error', shape: 'square', tone: 'warn' },
    cancelled: { word: 'cancelled', shape: 'bars', tone: 'quiet' },
    stale: { word: 'stale', shape: 'half', tone: 'warn' },
};

export function outcomeState(outcome) {
    return CALM_OUTCOMES[outcome] ?? { word: outcome || 'unknown', shape: 'triangle', tone: 'bad' };
}

export function shape(name) {
    const parts = SHAPES[name].map(([tag, attributes]) => svg(tag, attributes));
    return svg('svg', { viewBox: '0 0 12 12', class: 'shape', 'aria-hidden': 'true' }, ...parts);
}

/** Makes a badge of a shape and a word; `setBadge` changes it. */
export function badge(state) {
    const node = el('span', { class: 'badge' }, el('span', { class: 'badge-word' }));
    setBadge(node, state ?? unknown(''));
    return node;
}

export function setBadge(node, state) {
    const name = `${state.shape} ${state.tone}`;
    if (node.dataset.look !== name) {
        node.dataset.look = name;
        node.className = `badge ${state.tone}`;
        node.querySelector('svg')?.remove();
        node.prepend(shape(state.shape));
    }
    setText(node.querySelector('.badge-word'), state.word);
}
