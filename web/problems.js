// Which servers and circuits have problems, and the notes about them. Pure functions without DOM.

import { age, count } from './format.js';
import { circuitState, serverState } from './states.js';

const RANKS = { bad: 0, warn: 1, quiet: 2, good: 3 };

/** Lower ranks need more attention. A healthy server with an open circuit has a problem, too. */
export function rankOf(server) {
    const circuit = server.circuit_breaker;
    const rank = RANKS[serverState(server).tone];
    return circuit ? Math.min(rank, circuitRank(circuit)) : rank;
}

export function circuitRank(circuit) {
    return RANKS[circuitState(circuit).tone];
}

export function isFailingCircuit(circuit) {
    return circuitRank(circuit) < RANKS.quiet;
}

export function isFailing(server) {
    return rankOf(server) < RANKS.quiet;
}

/** The CSS class of a row for a rank. */
export function rankClass(rank) {
    return ['failing', 'warning'][rank] ?? null;
}

/** Returns the servers with their names, in the order of the table. */
export function sortedServers(servers) {
    return Object.entries(servers)
        .map(([name, server]) => ({ ...server, name }))
        .sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name));
}

/** Returns the current note about a server. */
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

/** Returns "2 of 8 in flight, 0 of 64 queued". */
export function slotText(server) {
    const inFlight = `${count(server.in_flight)} of ${count(server.in_flight_limit)} in flight`;
    return `${inFlight}, ${count(server.queued)} of ${count(server.queue_limit)} queued`;
}
