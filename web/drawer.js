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

class Drawer {
    #target = null;
    #model = null;
    #dialog = byId('drawer');

    constructor(closed) {
        byId('drawer-close').addEventListener('click', () => this.#dialog.close());
        this.#dialog.addEventListener('close', closed);
        this.#dialog.addEventListener('click', (event) => {
            if (event.target === this.#dialog) {
                this.#dialog.close();  // a click beside it
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
        const isFree = !this.#dialog.contains(document.activeElement) || document.activeElement.closest('pre, svg') === null;
        if (this.#target !== null && this.#target.kind !== 'call' && isFree) {
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

    /** The content is made anew as a whole; the focus goes back to what has the same label. */
    #put({ title, nodes }) {
        const body = byId('drawer-body');
        const focused = body.contains(document.activeElement) ? document.activeElement : null;
        const label = focused?.getAttribute('aria-label') ?? focused?.textContent;
        setText(byId('drawer-title'), title);
        body.replaceChildren(...nodes);
        if (!this.#dialog.open) {
            this.#dialog.showModal();
            byId('drawer-title').focus();
        } else if (focused) {
            const same = [...body.querySelectorAll('a, button, [tabindex]')]
                .find((node) => (node.getAttribute('aria-label') ?? node.textContent) === label);
            (same ?? byId('drawer-title')).focus({ preventScroll: true });
        }
    }
}

export function makeDrawer(closed) {
    return new Drawer(closed);
}
