// The side drawer for one server, circuit or call. The URL names it, so that it can be linked to
// and so that the browser's back button closes it.

import { explainCall } from './call.js';
import { serverDetails, circuitDetails } from './details.js';
import { byId, setText } from './dom.js';

const KINDS = { server: serverDetails, circuit: circuitDetails };

/** Returns {kind, name} of a URL fragment such as "#/server/files", or null. */
export function targetOf(hash) {
    const match = /^#\/(server|circuit|call)\/(.+)$/.exec(hash);
    try {
        return match ? { kind: match[1], name: decodeURIComponent(match[2]) } : null;
    } catch {
        return null;
    }
}

function labelOf(node) {
    return node.getAttribute('aria-label') ?? node.textContent;
}

/**
 * Makes `nodes` the children of `parent`. Unchanged nodes stay, with their scroll position and the
 * user's selection; the focus moves to the element with the same label.
 */
function replaceChanged(parent, nodes) {
    const focused = parent.contains(document.activeElement) ? document.activeElement : null;
    const old = [...parent.children];
    nodes.forEach((node, index) => {
        if (old[index] === undefined) {
            parent.append(node);
        } else if (!old[index].isEqualNode(node)) {
            old[index].replaceWith(node);
        }
    });
    old.slice(nodes.length).forEach((node) => node.remove());
    if (focused !== null && !focused.isConnected) {
        const all = [...parent.querySelectorAll('a, button, [tabindex]')];
        const same = all.find((node) => labelOf(node) === labelOf(focused));
        (same ?? byId('drawer-title')).focus({ preventScroll: true });
    }
}

class Drawer {
    #target = null;
    #model = null;
    #dialog = byId('drawer');

    constructor(closed) {
        byId('drawer-close').addEventListener('click', () => this.#dialog.close());
        this.#dialog.addEventListener('close', closed);
        this.#dialog.addEventListener('click', (event) => {
            if (event.target === this.#dialog) {
                this.#dialog.close(); // a click outside of it
            }
        });
    }

    async show(target) {
        this.#target = target;
        if (target === null) {
            this.#dialog.close();
            return;
        }
        if (target.kind === 'call') {
            const content = await explainCall(target.name);
            if (this.#target === target) {
                this.#put(content);
            }
        } else {
            this.#draw();
        }
    }

    update(model) {
        this.#model = model;
        if (this.#target !== null && this.#target.kind !== 'call') {
            this.#draw();
        }
    }

    #draw() {
        if (this.#model === null) {
            return;
        }
        const { kind, name } = this.#target;
        this.#put(KINDS[kind](name, this.#model));
    }

    #put({ title, nodes }) {
        setText(byId('drawer-title'), title);
        replaceChanged(byId('drawer-body'), nodes);
        if (!this.#dialog.open) {
            this.#dialog.showModal();
            byId('drawer-title').focus();
        }
    }
}

export function makeDrawer(closed) {
    return new Drawer(closed);
}
