// Light, dark, or the system's theme. The choice is stored for the next visit.

import { byId, setAttribute, setText } from './dom.js';

const KEY = 'holdfast.theme';
const CHOICES = [
    { name: '', label: 'Auto', words: 'Colours: system' },
    { name: 'light', label: 'Light', words: 'Colours: light' },
    { name: 'dark', label: 'Dark', words: 'Colours: dark' },
];

function apply(choice) {
    setAttribute(document.documentElement, 'data-theme', choice.name || null);
    setText(byId('theme'), choice.label);
    setAttribute(byId('theme'), 'aria-label', choice.words);
}

export function setUpTheme() {
    let index = Math.max(
        0,
        CHOICES.findIndex(({ name }) => name === localStorage.getItem(KEY)),
    );
    apply(CHOICES[index]);
    byId('theme').addEventListener('click', () => {
        index = (index + 1) % CHOICES.length;
        localStorage.setItem(KEY, CHOICES[index].name);
        apply(CHOICES[index]);
    });
}
