// The event list, newest first, fed by a stream that reconnects.

import { get, streamEvents } from './api.js';
import { byId, el, setAttribute, setText, syncChildren } from './dom.js';
import { count, span, timeOfDay } from './format.js';
import { shape } from './states.js';

const KEPT = 1000;
const SHOWN = 150;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

const LOOKS = {
    opened: ['gap', 'bad'],
    lost: ['triangle', 'bad'],
    given_up: ['triangle', 'bad'],
    half_open: ['half', 'warn'],
    waiting: ['dotted', 'warn'],
    list_failed: ['half', 'warn'],
    list_faults: ['half', 'warn'],
    list_read: ['disc', 'good'],
    connecting: ['dotted', 'quiet'],
    closed: ['line', 'good'],
    ready: ['disc', 'good'],
    paused: ['bars', 'quiet'],
    stopped: ['ring', 'quiet'],
};
const KIND_LOOKS = {
    call: ['triangle', 'bad'],
    retry: ['dotted', 'warn'],
    refusal: ['gap', 'warn'],
    fallback: ['half', 'warn'],
};

function lookOf(event) {
    return LOOKS[event.what] ?? KIND_LOOKS[event.kind] ?? ['ring', 'quiet'];
}

/** A server whose attempts are used up is still tried, so "given up" would be wrong. */
const WORDS = { given_up: 'still down' };

/** Returns the text of an event without its reason: "retry 2 of 3 in 1 s". */
export function headlineOf(event) {
    const what = String(event.what ?? event.kind);
    const words = [WORDS[what] ?? what.replaceAll('_', ' ')];
    if (event.attempt > 0) {
        words.push(
            event.max_attempts > 0
                ? `${event.attempt} of ${event.max_attempts}`
                : `${event.attempt}`,
        );
    }
    if (event.wait_ms >= 0) {
        const wait = event.wait_ms < 1000 ? `${event.wait_ms} ms` : span(event.wait_ms / 1000);
        words.push(event.what === 'opened' ? `for ${wait}` : `in ${wait}`);
    }
    return words.join(' ');
}

function makeItem(event) {
    const [name, tone] = lookOf(event);
    const subject = [event.server, event.subject !== event.server ? event.subject : '']
        .filter(Boolean)
        .join(' · ');
    const headline = el('span', { class: `event-what ${tone}` }, shape(name), headlineOf(event));
    return el(
        'li',
        {},
        el('time', { datetime: event.at, title: event.at }, timeOfDay(event.at)),
        el(
            'div',
            { class: 'event-text' },
            headline,
            subject ? el('span', { class: 'event-subject' }, subject) : null,
            event.call_id
                ? el('a', { href: `#/call/${encodeURIComponent(event.call_id)}` }, 'explain')
                : null,
            event.reason
                ? el('p', { class: 'event-reason', title: event.reason }, event.reason)
                : null,
        ),
    );
}

class EventsView {
    #events = [];
    #last = 0;
    #isHeld = false;
    #stop = new AbortController();
    #happened;
    #drawing;

    constructor(happened) {
        this.#happened = happened;
        byId('event-kind').addEventListener('change', () => this.#draw());
        byId('events-hold').addEventListener('click', () => {
            this.#isHeld = !this.#isHeld;
            setAttribute(byId('events-hold'), 'aria-pressed', String(this.#isHeld));
            this.#draw();
        });
    }

    /** Starts again, as after a restart of the gateway, which restarts its event numbers. */
    restart() {
        this.#stop.abort();
        this.#stop = new AbortController();
        this.#events = [];
        this.#last = 0;
        this.#follow(this.#stop.signal);
    }

    async #follow(signal) {
        let pause = FIRST_PAUSE_MS;
        while (!signal.aborted) {
            try {
                await this.#catchUp(signal);
                await streamEvents({
                    after: this.#last,
                    signal,
                    opened: () => {
                        pause = FIRST_PAUSE_MS;
                        setText(byId('stream-state'), 'live');
                    },
                    take: (event) => this.#take([event]),
                });
            } catch {
                // The banner shows the problem of the gateway; the stream only reconnects.
            }
            if (!signal.aborted) {
                setText(byId('stream-state'), 'reconnecting');
                await new Promise((resolve) => setTimeout(resolve, pause));
                pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
            }
        }
    }

    /** Loads the newest events from before the stream. */
    async #catchUp(signal) {
        const page = (after) => get('events', { after, limit: SHOWN }, signal);
        let answer = await page(this.#last);
        if (answer.last - this.#last > SHOWN) {
            answer = await page(answer.last - SHOWN);
        }
        this.#take(answer.events);
    }

    #take(events) {
        const fresh = events.filter((event) => event.seq > this.#last);
        if (fresh.length === 0) {
            return;
        }
        this.#events = [...this.#events, ...fresh].slice(-KEPT);
        this.#last = fresh[fresh.length - 1].seq;
        this.#happened(fresh);
        this.#drawing ??= requestAnimationFrame(() => {
            this.#drawing = undefined;
            this.#draw();
        });
    }

    #draw() {
        const hold = byId('events-hold');
        if (this.#isHeld) {
            const newer = this.#events.filter((event) => event.seq > this.heldAt).length;
            setText(hold, newer > 0 ? `Paused, ${count(newer)} newer` : 'Paused');
            return;
        }
        this.heldAt = this.#last;
        setText(hold, 'Pause');
        const kind = byId('event-kind').value;
        const shown = this.#events
            .filter((event) => kind === '' || event.kind === kind)
            .slice(-SHOWN)
            .reverse();
        syncChildren(byId('events'), shown, {
            key: (event) => String(event.seq),
            make: makeItem,
            update: () => {},
        });
    }
}

/** `happened(events)` receives new events. */
export function makeEventsView(happened) {
    return new EventsView(happened);
}
