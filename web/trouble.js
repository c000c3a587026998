// Who needs somebody, and what a person should know of it. Only values and words: no page.

import { age, count } from './format.js';
import { circuitState, serverState } from './states.js';

const RANKS = { bad: 0, warn: 1, quiet: 2, good: 3 };

/** The lower, the more it needs somebody. A calm server with an open circuit is in trouble too. */
export function rankOf(server) {
    const circuit = server.circuit_breaker;
    const rank = RANKS[serverState(server).tone];
    return circuit ? Math.min(rank, circuitRank(circuit)) : rank;
}

export function circuitRank(circuit) {
    return RANKS[circuitState(circuit).tone];
}

export function isCircuitInTrouble(circuit) {
    return circuitRank(circuit) < RANKS.quiet;
}

export function isInTrouble(server) {
    return rankOf(server) < RANKS.quiet;
}

/** The class of a row by the rank of what it shows. */
export function troubleClass(rank) {
    return ['trouble', 'unrest'][rank] ?? null;
}

/** Servers with their names, in the order of the table. */
export function sortedServers(servers) {
    return Object.entries(servers)
        .map(([name, server]) => ({ ...server, name }))
        .sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name));
}

/** What a person should know of it now, in words. */
export function noteOf(server) {
    if (server.reason) {
        return server.reason;
    }
    const error = server.last_error;
    if (error && server.status !== 'connected') {
        return `${error.code}: ${error.message}`;
    }
    if (server.status === 'connected') {
        return Number.isFinite(server.uptime_s) ? `up ${age(server.uptime_s)}` : '';
    }
    return '';
}

/** "2 of 8 in flight, 0 of 64 queued". */
export function slotWords(server) {
    const inFlight = `${count(server.in_flight)} of ${count(server.in_flight_limit)} in flight`;
    return `${inFlight}, ${count(server.queued)} of ${count(server.queue_limit)} queued`;
}
