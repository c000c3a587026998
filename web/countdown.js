// Countdowns continue between two answers of the gateway: each knows when it ends.

const TICK_MS = 200;
// Two answers differ by milliseconds; a countdown that followed such small jumps would flicker.
const TOLERANCE_MS = 600;

const running = new Map();
let timer;
let isHeld = false;

function secondsLeft({ endsAt, rate }) {
    return Math.max(0, ((endsAt - performance.now()) / 1000) * rate);
}

function tick() {
    if (isHeld) {
        return;
    }
    for (const [element, countdown] of running) {
        if (element.isConnected) {
            countdown.write(secondsLeft(countdown));
        } else {
            running.delete(element);
        }
    }
    if (running.size === 0) {
        clearInterval(timer);
        timer = undefined;
    }
}

/**
 * Calls `write(seconds)` until `element` is removed from the page or `stopCountdown` is called.
 * `rate` is how fast the gateway's clock runs: more than 1 in tests alone.
 */
export function startCountdown(element, seconds, rate, write) {
    const endsAt = performance.now() + (seconds / rate) * 1000;
    const known = running.get(element);
    const isSame = known !== undefined && Math.abs(known.endsAt - endsAt) < TOLERANCE_MS / rate;
    const countdown = { endsAt: isSame ? known.endsAt : endsAt, rate, write };
    running.set(element, countdown);
    write(secondsLeft(countdown));
    timer ??= setInterval(tick, TICK_MS);
}

/** Pauses the countdowns while their values may be outdated. */
export function holdCountdowns(hold) {
    isHeld = hold;
}

export function stopCountdown(element) {
    running.delete(element);
}
