// A small chart of one server's calls: one bar per interval, with its failed part at the bottom.

import { setAttribute, svg } from './dom.js';

const BARS = 30;
const WIDTH = 90;
const HEIGHT = 18;
const GAP = 0.8;
const SHORTEST = 1.5; // keeps a single failure among thousands of calls visible

function summed(values, bars) {
    const sums = new Array(bars).fill(0);
    values.forEach((value, index) => {
        sums[Math.min(bars - 1, Math.floor((index * bars) / values.length))] += value ?? 0;
    });
    return sums;
}

function barsPath(heights, foot) {
    const width = WIDTH / BARS;
    return heights
        .map((height, index) => [height, index])
        .filter(([height]) => height > 0)
        .map(([height, index]) => {
            const x = (index * width).toFixed(1);
            const tall = Math.max(SHORTEST, height).toFixed(1);
            return `M${x} ${foot}v-${tall}h${width - GAP}v${tall}z`;
        })
        .join('');
}

export function makeSpark() {
    return svg(
        'svg',
        { class: 'spark', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' },
        svg('path', { class: 'spark-calls' }),
        svg('path', { class: 'spark-failures' }),
    );
}

/** `series` is {calls, failures}, or undefined before the first answer. */
export function setSpark(node, series) {
    const calls = summed(series?.calls ?? [], BARS);
    const failures = summed(series?.failures ?? [], BARS);
    const most = Math.max(1, ...calls);
    const scaled = (values) => values.map((value) => (value / most) * (HEIGHT - 1));
    setAttribute(node.children[0], 'd', barsPath(scaled(calls), HEIGHT) || null);
    setAttribute(node.children[1], 'd', barsPath(scaled(failures), HEIGHT) || null);
    const total = (values) => values.reduce((sum, value) => sum + value, 0);
    setAttribute(node, 'aria-label', `${total(calls)} calls, ${total(failures)} failed`);
}
