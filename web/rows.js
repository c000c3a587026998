// The beginning that the rows of both tables have: a badge, and a name that leads to the details.

import { el } from './dom.js';
import { badge } from './states.js';

export function cell(name, ...children) {
    return el('td', { class: name }, ...children);
}

/** A row for what is called `name`; `cells` come after its badge and its name. */
export function namedRow(href, name, ...cells) {
    return el(
        'tr',
        {},
        cell('state', badge()),
        el(
            'th',
            { scope: 'row' },
            el('a', { href, title: name }, name),
            el('span', { class: 'sub' }),
        ),
        ...cells,
    );
}
