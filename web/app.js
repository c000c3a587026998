// The page as a whole: polls the gateway, passes the answers to the views, and shows a banner while
// there is no answer.

import { get, keepToken } from './api.js';
import { makeCallsView } from './calls.js';
import { makeCircuitsView } from './circuits.js';
import { setUpConfirm } from './confirm.js';
import { holdCountdowns } from './countdown.js';
import { byId, debounced, setText } from './dom.js';
import { makeDrawer, targetOf } from './drawer.js';
import { makeEventsView } from './events.js';
import { span, timeOfDay } from './format.js';
import { makePlotsView, offerServers } from './plots.js';
import { Poller } from './poller.js';
import { makeSearchView } from './search.js';
import { makeServersView } from './servers.js';
import { makeSummary } from './summary.js';
import { setUpTabs, viewOf } from './tabs.js';
import { setUpTheme } from './theme.js';

const STATUS_EVERY_MS = 2000;
const HISTORY_EVERY_MS = 10_000;
const LONGEST_PAUSE_MS = 15_000;
const SETTLING_MS = 100; // a failure usually causes several events

const model = {
    status: null,
    series: null,
    timeline: null,
    rate: 1,
    onlyProblems: false,
    matches: () => true,
};
let answeredAt = null;
let silence = null; // {since, message, nextAt} while there is no answer

const summary = makeSummary();
const servers = makeServersView(draw);
const circuits = makeCircuitsView(draw);
const plots = makePlotsView();
const events = makeEventsView(onEvents);
const tabs = setUpTabs({ tools: makeSearchView(), calls: makeCallsView() });
const drawer = makeDrawer(() => {
    if (targetOf(location.hash) !== null) {
        location.hash = `#/${tabs.current()}`;
    }
});

const statusPoller = new Poller({
    everyMs: STATUS_EVERY_MS,
    maxMs: LONGEST_PAUSE_MS,
    ask: askStatus,
    failed: onSilence,
});
const historyPoller = new Poller({
    everyMs: HISTORY_EVERY_MS,
    maxMs: HISTORY_EVERY_MS,
    ask: askHistory,
    failed: () => {}, // the status shows it
});
const askSoon = debounced(() => statusPoller.now(), SETTLING_MS);
const askHistorySoon = debounced(() => historyPoller.now(), SETTLING_MS);

function draw() {
    if (model.status === null) {
        return;
    }
    summary.update(model);
    servers.update(model);
    circuits.update(model);
    drawer.update(model);
}

async function askStatus() {
    const status = await get('status');
    const isNew = model.status?.server.started_at !== status.server.started_at;
    model.status = status;
    model.rate = status.server.clock_rate || 1;
    answeredAt = Date.now();
    endSilence();
    const names = Object.keys(status.downstream_servers).sort();
    offerServers(byId('plot-server'), names);
    offerServers(byId('calls-server'), names);
    draw();
    if (isNew) {
        events.restart();
        historyPoller.now();
    }
}

async function askHistory() {
    if (model.status === null) {
        return;
    }
    const minutes = byId('plot-span').value;
    const [series, timeline] = await Promise.all([
        get('series', { minutes }),
        get('circuits/timeline', { minutes }),
    ]);
    Object.assign(model, { series, timeline });
    plots.update(series);
    draw();
}

/** Events may have changed the states, so they are requested now instead of in two seconds. */
function onEvents(fresh) {
    if (fresh.some(({ kind }) => kind === 'circuit' || kind === 'connection')) {
        askSoon();
        askHistorySoon();
    }
}

function onSilence(error, pauseMs) {
    if (error.status === 401) {
        askForToken();
        return;
    }
    silence = {
        since: silence?.since ?? answeredAt ?? Date.now(),
        message: error.status === 0 ? '' : error.message,
        nextAt: Date.now() + pauseMs,
    };
    showSilence();
}

function showSilence() {
    if (silence === null) {
        return;
    }
    const since = timeOfDay(silence.since);
    const ago = span((Date.now() - silence.since) / 1000);
    const next = span((silence.nextAt - Date.now()) / 1000);
    const why = silence.message ? ` ${silence.message}` : '';
    byId('banner').hidden = false;
    setText(
        byId('banner-text'),
        `No answer from the gateway since ${since}.${why} The data shown is from then.`,
    );
    setText(byId('banner-next'), `That was ${ago} ago; next attempt in ${next}.`);
    document.body.classList.add('stale');
    holdCountdowns(true);
}

function endSilence() {
    silence = null;
    byId('banner').hidden = true;
    document.body.classList.remove('stale');
    holdCountdowns(false);
}

let hasTriedToken = false;
function askForToken() {
    if (!byId('token-ask').open) {
        byId('token-error').hidden = !hasTriedToken;
        byId('token-ask').showModal();
    }
}

function onAddress() {
    const view = viewOf(location.hash);
    if (view !== null) {
        tabs.select(view);
    }
    drawer.show(targetOf(location.hash));
}

function setUp() {
    setUpTheme();
    setUpConfirm(() => statusPoller.now());
    byId('filter').addEventListener('input', () => {
        const words = byId('filter').value.trim().toLowerCase();
        model.matches = (name) => name.toLowerCase().includes(words);
        draw();
    });
    byId('only-problems').addEventListener('change', (event) => {
        model.onlyProblems = event.target.checked;
        draw();
    });
    byId('plot-span').addEventListener('change', () => historyPoller.now());
    byId('plot-server').addEventListener(
        'change',
        () => model.series && plots.update(model.series),
    );
    byId('banner-retry').addEventListener('click', () => statusPoller.now());
    byId('token-form').addEventListener('submit', (event) => {
        event.preventDefault();
        keepToken(byId('token').value);
        hasTriedToken = true;
        byId('token').value = '';
        byId('token-ask').close();
        statusPoller.now();
    });
    addEventListener('hashchange', onAddress);
    setInterval(showSilence, 1000);
    onAddress();
    statusPoller.now();
    historyPoller.now();
}

setUp();
