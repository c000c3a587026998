// The views as tabs; the arrow keys move between them.

import { byId } from './dom.js';

const NAMES = ['overview', 'tools', 'calls'];

/** Returns the view that a URL fragment such as "#/tools" names, or null. */
export function viewOf(hash) {
    return NAMES.find((name) => hash === `#/${name}`) ?? null;
}

/** `views[name]` may have show() and hide(). Returns {select(name), current()}. */
export function setUpTabs(views) {
    let current = NAMES[0];
    const tabs = NAMES.map((name) => byId(`tab-${name}`));

    function select(name) {
        if (name === current) {
            return;
        }
        views[current]?.hide?.();
        current = name;
        NAMES.forEach((other, index) => {
            byId(other).hidden = other !== name;
            tabs[index].setAttribute('aria-selected', other === name);
            tabs[index].tabIndex = other === name ? 0 : -1;
        });
        views[name]?.show?.();
    }

    tabs.forEach((tab, index) => {
        tab.addEventListener('click', () => {
            location.hash = `#/${NAMES[index]}`;
        });
        tab.addEventListener('keydown', (event) => {
            const last = NAMES.length - 1;
            const targets = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last };
            const target = tabs.at((targets[event.key] ?? index) % NAMES.length);
            if (target !== tab) {
                event.preventDefault();
                location.hash = `#/${NAMES[tabs.indexOf(target)]}`;
                target.focus();
            }
        });
    });
    return { select, current: () => current };
}
