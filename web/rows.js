// The first cells of the rows of both tables: a badge, and a name that links to the details.

import { el } from './dom.js';
import { badge } from './states.js';

export function cell(name, ...children) {
    return el('td', { class: name }, ...children);
}

/** Makes a row for `name`; `cells` follow its badge and its name. */
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
