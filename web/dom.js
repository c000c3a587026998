// DOM helpers. Everything that comes from a server enters the page as text: no module turns a
// string into markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name === 'on') {
            for (const [event, listener] of Object.entries(value)) {
                node.addEventListener(event, listener);
            }
        } else if (value !== undefined && value !== null && value !== false) {
            node.setAttribute(name, value === true ? '' : value);
        }
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
}

/** Makes an element. `attributes.on` maps events to listeners; string children become text. */
export function el(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element. */
export function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function byId(id) {
    return document.getElementById(id);
}

/** Sets the text only if it changed, so that the user's selection survives. */
export function setText(node, text) {
    if (node.textContent !== text) {
        node.textContent = text;
    }
}

export function setAttribute(node, name, value) {
    if (value === null || value === undefined || value === false) {
        node.removeAttribute(name);
    } else if (node.getAttribute(name) !== String(value)) {
        node.setAttribute(name, value);
    }
}

/**
 * Synchronises the children of `parent` with `items`, in order. An item keeps its child, found by
 * `key(item)`, which `update(child, item)` updates; `make(item)` makes a new one.
 * The focus stays where it is even if its element moves.
 */
export function syncChildren(parent, items, { key, make, update }) {
    const focused = document.activeElement;
    const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
    let next = parent.firstElementChild;
    for (const item of items) {
        const name = key(item);
        let child = old.get(name);
        old.delete(name);
        if (child === undefined) {
            child = make(item);
            child.dataset.key = name;
        }
        if (child === next) {
            next = next.nextElementSibling;
        } else {
            parent.insertBefore(child, next);
        }
        update(child, item);
    }
    for (const child of old.values()) {
        child.remove();
    }
    if (focused !== document.activeElement && parent.contains(focused)) {
        focused.focus({ preventScroll: true });
    }
}

/** Returns a debounced function that runs `run` `pauseMs` after its last call. */
export function debounced(run, pauseMs) {
    let timer;
    return (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => run(...values), pauseMs);
    };
}
