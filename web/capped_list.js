// Long lists: shows the first part, and the rest on demand.

import { el, setText } from './dom.js';
import { count } from './format.js';

const SHOWN_AT_FIRST = 20;

/** A list that shows its first part, all failing items, and a button for the rest. */
export class CappedList {
    #isWhole = false;

    constructor(more, changed) {
        this.more = more;
        this.button = el('button', {
            type: 'button',
            on: {
                click: () => {
                    this.#isWhole = !this.#isWhole;
                    changed();
                },
            },
        });
        more.append(this.button);
    }

    /** `failing` is the number of failing items, which come first. */
    shown(items, failing) {
        const limit = Math.max(SHOWN_AT_FIRST, failing);
        this.more.hidden = items.length <= limit;
        setText(
            this.button,
            this.#isWhole
                ? `Show the first ${count(limit)} only`
                : `Show all ${count(items.length)}`,
        );
        return this.#isWhole ? items : items.slice(0, limit);
    }
}
