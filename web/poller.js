// Polls the gateway: pauses while the page is hidden, and slows down while there is no answer.

/**
 * Calls `ask` every `everyMs`. When it throws, the pause doubles up to `maxMs`; `failed(error,
 * nextMs)` is then called. Pauses while the page is hidden.
 */
export class Poller {
    #options;
    #pause;
    #timer;
    #isAsking = false;
    #isAskedFor = false;

    constructor({ everyMs, maxMs, ask, failed }) {
        this.#options = { everyMs, maxMs, ask, failed };
        this.#pause = everyMs;
        document.addEventListener('visibilitychange', () => {
            if (!document.hidden) {
                this.now();
            }
        });
    }

    /** Asks at once, or right after a pending answer. */
    async now() {
        if (this.#isAsking) {
            this.#isAskedFor = true;
            return;
        }
        clearTimeout(this.#timer);
        this.#isAsking = true;
        this.#isAskedFor = false;
        await this.#ask();
        this.#isAsking = false;
        if (this.#isAskedFor) {
            this.now();
        } else if (!document.hidden) {
            this.#timer = setTimeout(() => this.now(), this.#pause);
        }
    }

    async #ask() {
        const { everyMs, maxMs, ask, failed } = this.#options;
        try {
            await ask();
            this.#pause = everyMs;
        } catch (error) {
            this.#pause = Math.min(this.#pause * 2, maxMs);
            failed(error, this.#pause);
        }
    }
}
