// The drawer at the side: one server, circuit or call. The address says which, so that it can be
// linked to, and so that the browser's way back closes it.

import { explainCall } from './call.js';
import { serverDetails, circuitDetails } from './details.js';
import { byId, setText } from './dom.js';

const KINDS = { server: serverDetails, circuit: circuitDetails };

/** {kind, name} of an address such as "#/server/files", or null. */
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
 * Makes `nodes` the children of `parent`. What is the same stays, with its place in a long text and
 * what the user has selected; the focus goes over to what has the same label.
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
                this.#dialog.close(); // a click beside it
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
