// The part of GitHub's API that octocode-mcp uses in these tests, on loopback. It can be made to
// fail.

import { createServer } from 'node:http';

const NOT_FOUND = { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' };
const FORBIDDEN = { message: 'Resource not accessible by personal access token' };
const UNAVAILABLE = { message: 'Service Unavailable' };
const NOTHING_FOUND = { total_count: 0, incomplete_results: false, items: [] };

const ANSWERS = {
    ok: { status: 200, body: NOTHING_FOUND },
    missing: { status: 404, body: NOT_FOUND },
    forbidden: { status: 403, body: FORBIDDEN },
    down: { status: 503, body: UNAVAILABLE },
};

export class GithubApi {
    /** A key of ANSWERS. */
    mode = 'ok';
    requests = 0;

    static async start(scope) {
        const api = new GithubApi();
        api.server = createServer((request, response) => {
            request.resume();
            request.once('end', () => api.#answer(response));
        });
        await new Promise((resolve) => api.server.listen(0, '127.0.0.1', resolve));
        scope.defer(() => api.#close());
        return api;
    }

    get url() {
        return `http://127.0.0.1:${this.server.address().port}`;
    }

    #answer(response) {
        this.requests += 1;
        const { status, body } = ANSWERS[this.mode];
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
    }

    #close() {
        this.server.closeAllConnections();
        return new Promise((resolve) => this.server.close(resolve));
    }
}
