// Searches tools as agents do and shows the parts of each score. Without a query it shows the plain
// list, one page at a time.

import { get } from './api.js';
import { byId, debounced, el, setText } from './dom.js';
import { count, counted, milliseconds } from './format.js';

const PAUSE_MS = 180;
const FOUND = 20;
const PAGE = 50;

const STEPS = {
    hybrid: 'keyword and semantic search',
    keyword: 'keyword search',
    fallback: 'configured fallback tools',
    all: 'catalogue',
};

/** A bar for one part of a score; parts without a value were not used. */
function scoreBar(name, value, best) {
    const isKnown = Number.isFinite(value);
    const bar = el('i');
    const share = isKnown && best > 0 ? value / best : 0;
    bar.style.width = `${Math.max(0, Math.min(100, 100 * share))}%`;
    return el(
        'div',
        { class: `score score-${name}` },
        el('dt', {}, name),
        el(
            'dd',
            {},
            el('span', { class: 'score-bar', 'aria-hidden': 'true' }, bar),
            el('span', { class: 'score-value' }, isKnown ? value.toFixed(3) : 'not used'),
        ),
    );
}

function toolText(tool) {
    return el(
        'div',
        { class: 'tool-text' },
        el('h3', {}, tool.name),
        el(
            'p',
            { class: 'sub' },
            el('a', { href: `#/server/${encodeURIComponent(tool.server)}` }, tool.server),
            tool.healthy === false
                ? el('span', { class: 'warn' }, ' · its server is failing')
                : null,
            Number.isFinite(tool.tokens) ? ` · ${counted(tool.tokens, 'token')}` : null,
        ),
        el('p', { class: 'description' }, tool.description ?? ''),
    );
}

function foundTool(tool, best) {
    const scores = ['score', 'keyword', 'meaning'].map((part) =>
        scoreBar(part, tool[part], best[part]),
    );
    return el('li', {}, toolText(tool), el('dl', { class: 'scores' }, ...scores));
}

class SearchView {
    #offset = 0;
    #asked = new AbortController();

    constructor() {
        const later = debounced(() => this.#ask(), PAUSE_MS);
        byId('search').addEventListener('input', () => {
            this.#offset = 0;
            later();
        });
        byId('search-form').addEventListener('submit', (event) => {
            event.preventDefault();
            this.#ask();
        });
        byId('page-back').addEventListener('click', () => this.#turn(-PAGE));
        byId('page-on').addEventListener('click', () => this.#turn(PAGE));
    }

    show() {
        this.#ask();
        byId('search').focus();
    }

    #turn(by) {
        this.#offset = Math.max(0, this.#offset + by);
        this.#ask();
    }

    async #ask() {
        this.#asked.abort();
        this.#asked = new AbortController();
        const { signal } = this.#asked;
        const words = byId('search').value.trim();
        try {
            if (words === '') {
                this.#list(await get('tools', { limit: PAGE, offset: this.#offset }, signal));
            } else {
                this.#found(await get('search', { q: words, limit: FOUND }, signal));
            }
        } catch (error) {
            if (!signal.aborted) {
                setText(byId('search-note'), `The search failed: ${error.message}`);
            }
        }
    }

    #found({ tools, step, why = [], took_ms: took }) {
        const best = Object.fromEntries(
            ['score', 'keyword', 'meaning'].map((part) => [
                part,
                Math.max(0, ...tools.map((tool) => tool[part] ?? 0)),
            ]),
        );
        const found = `${counted(tools.length, 'tool')} in ${milliseconds(took)}`;
        const words = tools.length === 0 ? 'No matching tools' : `${found}, ${STEPS[step] ?? step}`;
        setText(byId('search-note'), [`${words}.`, ...why].join(' '));
        byId('found').replaceChildren(...tools.map((tool) => foundTool(tool, best)));
        byId('pager').hidden = true;
    }

    #list({ tools, total }) {
        setText(byId('search-note'), 'All tools, by name.');
        byId('found').replaceChildren(
            ...tools.slice(0, PAGE).map((tool) => el('li', {}, toolText(tool))),
        );
        byId('pager').hidden = total <= PAGE;
        byId('page-back').disabled = this.#offset === 0;
        byId('page-on').disabled = this.#offset + PAGE >= total;
        const last = Math.min(total, this.#offset + PAGE);
        setText(
            byId('page-range'),
            `${count(this.#offset + 1)} – ${count(last)} of ${count(total)}`,
        );
    }
}

export function makeSearchView() {
    return new SearchView();
}
