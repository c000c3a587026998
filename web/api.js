// The gateway's admin API. URLs are relative to this module, so that the page works behind a proxy
// that adds a path prefix.

const BASE = new URL('../api/', import.meta.url);
const TOKEN_KEY = 'holdfast.token';
const REQUEST_LIMIT_MS = 10_000;
const MAX_EVENT_CHARACTERS = 1_000_000;
const QUIET_LIMIT_MS = 45_000; // three keep-alive intervals of the gateway

/** A failed request. `status` is 0 if there was no response. */
export class ApiError extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

export function keepToken(token) {
    sessionStorage.setItem(TOKEN_KEY, token);
}

function headers(more = {}) {
    const token = sessionStorage.getItem(TOKEN_KEY);
    return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

function address(path, query) {
    const url = new URL(path, BASE);
    for (const [name, value] of Object.entries(query ?? {})) {
        if (value !== '' && value !== undefined && value !== null) {
            url.searchParams.set(name, value);
        }
    }
    return url;
}

async function messageOf(response) {
    const words = `The gateway answered with status ${response.status}.`;
    try {
        const body = await response.json();
        return body.error ?? body.message ?? words;
    } catch {
        return words;
    }
}

async function send(url, options) {
    let response;
    try {
        response = await fetch(url, { cache: 'no-store', credentials: 'omit', ...options });
    } catch (error) {
        throw new ApiError(0, String(error.message ?? error));
    }
    if (!response.ok) {
        throw new ApiError(response.status, await messageOf(response));
    }
    return response;
}

/** Returns the JSON at `path`, such as "status". Throws an ApiError. */
export async function get(path, query, signal) {
    const limit = AbortSignal.timeout(REQUEST_LIMIT_MS);
    const response = await send(address(path, query), {
        headers: headers(),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    try {
        return await response.json();
    } catch {
        throw new ApiError(0, 'The answer is not JSON.');
    }
}

/** Sends a command to the gateway, such as ["servers", name, "restart"]. */
export async function post(parts) {
    const response = await send(address(parts.map(encodeURIComponent).join('/')), {
        method: 'POST',
        headers: headers({ 'Holdfast-Control': '1' }),
        signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    return response.json();
}

/** Returns the data of one block of an event stream; null for a comment or invalid JSON. */
function readBlock(block) {
    const data = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
        .join('\n');
    if (data === '') {
        return null;
    }
    try {
        return JSON.parse(data);
    } catch {
        return null;
    }
}

/** Aborts `signal` after a silence of the limit; `rearm` restarts the limit. */
function watchQuiet(limitMs) {
    const controller = new AbortController();
    let timer;
    const stop = () => clearTimeout(timer);
    const rearm = () => {
        stop();
        timer = setTimeout(() => controller.abort(), limitMs);
    };
    rearm();
    return { signal: controller.signal, rearm, stop };
}

/** Passes the events of a text stream to `take` until it ends. */
async function readEvents(reader, take, received) {
    let text = '';
    for (;;) {
        const { value, done } = await reader.read();
        if (done) {
            return;
        }
        received();
        const blocks = (text + value).replaceAll('\r\n', '\n').split('\n\n');
        text = blocks.pop();
        if (text.length > MAX_EVENT_CHARACTERS) {
            throw new ApiError(0, 'An event is too long.');
        }
        blocks
            .map(readBlock)
            .filter((event) => event !== null)
            .forEach(take);
    }
}

/**
 * Passes every event after `after` to `take`, until the stream ends or falls silent, or `signal` is
 * aborted. With fetch, because an EventSource cannot carry a token. `opened` is called when the
 * gateway agreed.
 */
export async function streamEvents({ after, signal, opened, take }) {
    const quiet = watchQuiet(QUIET_LIMIT_MS);
    try {
        const response = await send(address('events/stream', { after }), {
            headers: headers({ Accept: 'text/event-stream' }),
            signal: AbortSignal.any([signal, quiet.signal]),
        });
        opened();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        await readEvents(reader, (event) => take(event), quiet.rearm);
    } finally {
        quiet.stop();
    }
}
