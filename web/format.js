// Formats numbers, durations and times as text.

const clock = new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
});
const clockMinutes = new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
});
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

export const NONE = '–';

export function count(value) {
    return Number.isFinite(value) ? whole.format(value) : NONE;
}

/** Returns "1 server" or "2 servers". */
export function counted(value, noun) {
    return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Returns the time of day for milliseconds since the epoch or an ISO text. */
export function timeOfDay(time) {
    const date = new Date(time);
    return Number.isNaN(date.getTime()) ? NONE : clock.format(date);
}

export function hourAndMinute(time) {
    return clockMinutes.format(new Date(time));
}

export function milliseconds(value) {
    if (!Number.isFinite(value)) {
        return NONE;
    }
    if (value >= 10_000) {
        return `${(value / 1000).toFixed(1)} s`;
    }
    if (value >= 1000) {
        return `${(value / 1000).toFixed(2)} s`;
    }
    if (value === 0) {
        return '0 ms';
    }
    return value >= 10 ? `${value.toFixed(0)} ms` : `${value.toFixed(value < 1 ? 2 : 1)} ms`;
}

/** Formats a running duration: "4 s", "2 min 05 s", "3 h 20 min". */
export function span(seconds) {
    if (!Number.isFinite(seconds)) {
        return NONE;
    }
    const left = Math.max(0, Math.floor(seconds));
    if (left < MINUTE_S) {
        return `${left} s`;
    }
    if (left < HOUR_S) {
        return `${Math.floor(left / MINUTE_S)} min ${String(left % MINUTE_S).padStart(2, '0')} s`;
    }
    if (left < DAY_S) {
        return `${Math.floor(left / HOUR_S)} h ${Math.floor((left % HOUR_S) / MINUTE_S)} min`;
    }
    return `${Math.floor(left / DAY_S)} d ${Math.floor((left % DAY_S) / HOUR_S)} h`;
}

/** Formats a duration with low precision: "4 s", "12 min", "3 h", "2 d". */
export function age(seconds) {
    const units = [
        [DAY_S, 'd'],
        [HOUR_S, 'h'],
        [MINUTE_S, 'min'],
        [1, 's'],
    ];
    const [size, unit] = units.find(([each]) => seconds >= each) ?? units.at(-1);
    return `${Math.floor(seconds / size)} ${unit}`;
}

export function percent(part, all) {
    if (!all) {
        return NONE;
    }
    const share = (100 * part) / all;
    return share > 0 && share < 10 ? `${share.toFixed(1)} %` : `${share.toFixed(0)} %`;
}

/** Returns "3 failed (1.5 %)". */
export function failedWords(failures, calls) {
    return `${count(failures)} failed (${percent(failures, calls)})`;
}

export function bytes(value) {
    if (!Number.isFinite(value)) {
        return NONE;
    }
    if (value < 1000) {
        return `${value} B`;
    }
    return value < 1e6 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}

/** Returns a short form for axes and figures: 950, 12 k, 3.1 M. */
export function compact(value) {
    if (value < 10_000) {
        return count(value);
    }
    return value < 1e6 ? `${(value / 1000).toFixed(0)} k` : `${(value / 1e6).toFixed(1)} M`;
}
