// Latency and errors over time as SVG. A plot can be read with the pointer, and with the arrow keys
// when it has the focus.

import { byId, el, setAttribute, setText, svg, syncChildren } from './dom.js';
import { compact, counted, failedWords, hourAndMinute, milliseconds, timeOfDay } from './format.js';

const WIDTH = 440;
const HEIGHT = 130;
const LEFT = 46;
const RIGHT = 6;
const TOP = 8;
const BOTTOM = 18;
const MOST_POINTS = 180;

const PLOTS = [
    {
        title: 'Latency',
        lines: [
            { key: 'p50_ms', name: 'p50', look: 'line-one' },
            { key: 'p99_ms', name: 'p99', look: 'line-two' },
        ],
        axis: milliseconds,
        smallest: 10,
        readout: (point) => `p50 ${milliseconds(point.p50_ms)}, p99 ${milliseconds(point.p99_ms)}`,
    },
    {
        title: 'Calls and failures',
        bars: [
            { key: 'calls', name: 'calls', look: 'bar-calls' },
            { key: 'failures', name: 'failed', look: 'bar-failures' },
        ],
        axis: compact,
        smallest: 4,
        readout: (point) =>
            `${counted(point.calls, 'call')}, ${failedWords(point.failures, point.calls)}`,
    },
];

/**
 * The points of a series, at most MOST_POINTS: counts of neighbours are added up, and of latencies
 * the worst is kept, so that no peak is lost.
 */
export function pointsOf(series, from, stepMs) {
    const group = Math.max(1, Math.ceil(series.calls.length / MOST_POINTS));
    const points = [];
    for (let first = 0; first < series.calls.length; first += group) {
        const part = (key) => series[key].slice(first, first + group);
        const sum = (key) => part(key).reduce((total, value) => total + (value ?? 0), 0);
        const worst = (key) => {
            const known = part(key).filter(Number.isFinite);
            return known.length === 0 ? null : Math.max(...known);
        };
        points.push({
            at: from + first * stepMs,
            calls: sum('calls'),
            failures: sum('failures'),
            p50_ms: worst('p50_ms'),
            p99_ms: worst('p99_ms'),
        });
    }
    return points;
}

/** Returns the next of 1, 2, 5, 10, 20, 50 … that is at least `value`. */
export function roundUp(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 5, 10]
        .map((factor) => factor * power)
        .find((candidate) => candidate >= value * 0.999);
}

function scales(points, keys, smallest) {
    const most = Math.max(
        smallest,
        ...points.flatMap((point) => keys.map((key) => point[key] ?? 0)),
    );
    const top = roundUp(most);
    const step = (WIDTH - LEFT - RIGHT) / points.length;
    return {
        top,
        step,
        x: (index) => LEFT + index * step,
        y: (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM),
    };
}

/** A line with gaps for missing values; an isolated point is a short dash. */
function linePath(points, key, { x, y, step }) {
    let path = '';
    let isDrawing = false;
    points.forEach((point, index) => {
        if (!Number.isFinite(point[key])) {
            isDrawing = false;
            return;
        }
        const spot = `${(x(index) + step / 2).toFixed(1)} ${y(point[key]).toFixed(1)}`;
        path += isDrawing ? `L${spot}` : `M${spot}h.01`;
        isDrawing = true;
    });
    return path;
}

function barsPath(points, key, { x, y, step }) {
    const width = Math.max(0.8, step * 0.8).toFixed(2);
    return points
        .map((point, index) => [point[key], index])
        .filter(([value]) => value > 0)
        .map(([value, index]) => {
            const height = Math.max(1, HEIGHT - BOTTOM - y(value)).toFixed(1);
            return `M${x(index).toFixed(1)} ${HEIGHT - BOTTOM}v-${height}h${width}v${height}z`;
        })
        .join('');
}

function grid(points, scale, axis) {
    const levels = [0, scale.top / 2, scale.top];
    const lines = levels.flatMap((level) => [
        svg('path', { class: 'grid', d: `M${LEFT} ${scale.y(level).toFixed(1)}H${WIDTH - RIGHT}` }),
        svg(
            'text',
            { class: 'tick', x: LEFT - 5, y: scale.y(level) + 3.5, 'text-anchor': 'end' },
            level === 0 ? '0' : axis(level),
        ),
    ]);
    const shares = [
        [0, 'start'],
        [0.5, 'middle'],
        [1, 'end'],
    ];
    const times = shares.map(([share, anchor]) =>
        svg(
            'text',
            {
                class: 'tick',
                x: LEFT + share * (WIDTH - LEFT - RIGHT),
                y: HEIGHT - 4,
                'text-anchor': anchor,
            },
            hourAndMinute(points[Math.round(share * (points.length - 1))].at),
        ),
    );
    return [...lines, ...times];
}

/** One plot with a legend and a line that shows the values under the cursor. */
class Plot {
    #kind;
    #points = [];
    #scale;
    #at = null;

    constructor(kind) {
        this.#kind = kind;
        const legend = (kind.lines ?? kind.bars).map(({ name, look }) =>
            el('li', {}, el('i', { class: `key ${look}` }), name),
        );
        this.readout = el('span', { class: 'readout', 'aria-live': 'polite' });
        this.picture = svg('svg', {
            viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
            class: 'plot',
            tabindex: 0,
            role: 'img',
        });
        this.node = el(
            'figure',
            {},
            el(
                'figcaption',
                {},
                el('h3', {}, kind.title),
                this.readout,
                el('ul', { class: 'legend' }, ...legend),
            ),
            this.picture,
        );
        this.#listen();
    }

    #listen() {
        this.picture.addEventListener('pointermove', (event) => {
            const box = this.picture.getBoundingClientRect();
            const x = ((event.clientX - box.left) / box.width) * WIDTH - LEFT;
            this.#read(Math.floor(x / (this.#scale?.step ?? 1)));
        });
        for (const end of ['pointerleave', 'blur']) {
            this.picture.addEventListener(end, () => this.#read(null));
        }
        this.picture.addEventListener('keydown', (event) => {
            const last = this.#points.length - 1;
            const at = this.#at ?? last + 1;
            const target = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
            if (target !== undefined) {
                event.preventDefault();
                this.#read(Math.max(0, Math.min(last, target)));
            }
        });
    }

    #read(index) {
        const point = this.#points[index];
        this.#at = point ? index : null;
        setText(this.readout, point ? `${timeOfDay(point.at)}: ${this.#kind.readout(point)}` : '');
        const cursor = this.picture.querySelector('.cursor');
        if (cursor) {
            const x = point ? this.#scale.x(index) + this.#scale.step / 2 : -10;
            cursor.setAttribute('d', `M${x.toFixed(1)} ${TOP}V${HEIGHT - BOTTOM}`);
        }
    }

    update(points) {
        const { lines, bars, axis, smallest, title } = this.#kind;
        const keys = (lines ?? bars).map(({ key }) => key);
        this.#points = points;
        this.#scale = scales(points, keys, smallest);
        const draw = lines ? linePath : barsPath;
        const paths = (lines ?? bars).map(({ key, look }) =>
            svg('path', { class: look, d: draw(points, key, this.#scale) }),
        );
        this.picture.replaceChildren(
            ...grid(points, this.#scale, axis),
            ...paths,
            svg('path', { class: 'cursor' }),
        );
        const known = points.filter((point) => Number.isFinite(point[keys[0]]));
        const newest =
            known.length > 0 ? this.#kind.readout(known[known.length - 1]) : 'nothing yet';
        setAttribute(
            this.picture,
            'aria-label',
            `${title}, newest: ${newest}. Use the arrow keys to read the points.`,
        );
        this.#read(this.#at);
    }
}

/** Both plots of one server or of all servers. */
export function makePlots() {
    const plots = PLOTS.map((kind) => new Plot(kind));
    const node = el('div', { class: 'plots' }, ...plots.map((plot) => plot.node));
    return {
        node,
        update(answer, server) {
            const series = server ? answer.servers[server] : answer.all;
            if (series && series.calls.length > 0) {
                const points = pointsOf(series, Date.parse(answer.from), answer.step_s * 1000);
                plots.forEach((plot) => plot.update(points));
            }
        },
    };
}

/** The server options, synchronised with the current servers. */
export function offerServers(select, names) {
    const options = [
        { value: '', label: 'All servers' },
        ...names.map((name) => ({ value: name, label: name })),
    ];
    const chosen = select.value;
    syncChildren(select, options, {
        key: (option) => `=${option.value}`,
        make: (option) => el('option', { value: option.value }, option.label),
        update: () => {},
    });
    select.value = names.includes(chosen) ? chosen : '';
}

export function makePlotsView() {
    const plots = makePlots();
    byId('plots').append(plots.node);
    return { update: (series) => plots.update(series, byId('plot-server').value) };
}
