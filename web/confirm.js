// The operator actions, and the confirmation before each of them.

import { post } from './api.js';
import { byId, el, setText } from './dom.js';

const SERVER_ACTIONS = {
    restart: {
        label: 'Restart',
        words: 'Ends and restarts its connection or process. Calls in flight fail.',
    },
    pause: {
        label: 'Pause',
        words: 'Disconnects it. Its calls fail at once until it is resumed.',
    },
    resume: { label: 'Resume', words: 'Reconnects it and accepts calls again.' },
};
const CIRCUIT_ACTIONS = {
    reset: { label: 'Reset', words: 'Closes it and clears its failure count.' },
    'force-open': {
        label: 'Force open',
        words: 'Rejects all its calls until it is set back to normal.',
    },
    disable: {
        label: 'Disable',
        words: 'Lets all calls through and counts nothing until it is set back to normal.',
    },
    'metrics-only': {
        label: 'Metrics only',
        words: 'Counts failures but never opens.',
    },
    normal: { label: 'Back to normal', words: 'Opens and closes automatically again.' },
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

/** `changed` is called after a command was sent to the gateway. */
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

/** Returns a button that asks for confirmation, such as serverButton("files", "restart"). */
export function serverButton(name, action) {
    return actionButton('server', name, action, SERVER_ACTIONS[action]);
}

export function circuitButton(name, action) {
    return actionButton('circuit', name, action, CIRCUIT_ACTIONS[action]);
}

/** Returns the actions that apply to the current state of a server. */
export function serverActions(server) {
    return server.paused ? ['resume'] : ['restart', 'pause'];
}

/** Returns the actions that apply to the current state of a circuit. */
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
