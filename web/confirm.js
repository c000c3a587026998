// The question before anything is changed, and what can be changed.

import { post } from './api.js';
import { byId, el, setText } from './dom.js';

const SERVER_ACTIONS = {
    restart: {
        label: 'Restart',
        words: 'Its connection or process is ended and made anew. Calls that are under way fail.',
    },
    pause: {
        label: 'Pause',
        words: 'It is disconnected and left alone; its calls fail at once until it is resumed.',
    },
    resume: { label: 'Resume', words: 'It is connected again and takes calls.' },
};
const CIRCUIT_ACTIONS = {
    reset: { label: 'Reset', words: 'It closes, forgets its failures, and lets calls through.' },
    'force-open': {
        label: 'Force open',
        words: 'All its calls are refused at once until somebody sets it back to normal.',
    },
    disable: {
        label: 'Disable',
        words: 'All calls go through and nothing is counted until it is set back to normal.',
    },
    'metrics-only': {
        label: 'Metrics only',
        words: 'All calls go through; failures are counted, but it never opens.',
    },
    normal: { label: 'Back to normal', words: 'It opens and closes by its own figures again.' },
};

let finish = () => {};

function close() {
    byId('confirm').close();
}

async function run(parts) {
    const yes = byId('confirm-yes');
    yes.disabled = true;
    try {
        await post(parts);
        close();
    } catch (error) {
        byId('confirm-error').hidden = false;
        setText(byId('confirm-error'), error.message);
    }
    yes.disabled = false;
    finish();
}

/** `changed` is called after the gateway was told to do something. */
export function setUpConfirm(changed) {
    finish = changed;
    byId('confirm-no').addEventListener('click', close);
}

function ask(kind, name, action, { label, words }) {
    setText(byId('confirm-title'), `${label}: ${kind} ${name}?`);
    setText(byId('confirm-text'), words);
    byId('confirm-error').hidden = true;
    const yes = byId('confirm-yes');
    setText(yes, label);
    yes.onclick = () => run([`${kind}s`, name, action]);
    byId('confirm').showModal();
}

function actionButton(kind, name, action, description) {
    return el(
        'button',
        {
            type: 'button',
            title: description.words,
            'aria-label': `${description.label}: ${kind} ${name}`,
            on: { click: () => ask(kind, name, action, description) },
        },
        description.label,
    );
}

/** A button that asks first, such as serverButton("files", "restart"). */
export function serverButton(name, action) {
    return actionButton('server', name, action, SERVER_ACTIONS[action]);
}

export function circuitButton(name, action) {
    return actionButton('circuit', name, action, CIRCUIT_ACTIONS[action]);
}

/** Which actions make sense for a server as it is. */
export function serverActions(server) {
    return server.paused ? ['resume'] : ['restart', 'pause'];
}

/** The same for a circuit. */
export function circuitActions(circuit) {
    const isNormal = (circuit.mode ?? 'normal') === 'normal';
    const modes = {
        'force-open': 'forced_open',
        disable: 'disabled',
        'metrics-only': 'metrics_only',
    };
    const others = Object.keys(modes).filter((action) => modes[action] !== circuit.mode);
    return ['reset', ...(isNormal ? [] : ['normal']), ...others];
}
