// The troubled server, whose reaction to each call the test controls.

import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

function binary() {
    const path = process.env.HOLDFAST_TROUBLED_SERVER;
    assert.ok(path, 'HOLDFAST_TROUBLED_SERVER must name the troubled server; CTest sets it.');
    return path;
}

/** A server with `tools`, [{name, description}]. `entry` is its config entry. */
export class TroubledServer {
    #folder;

    static async make(scope, tools) {
        const server = new TroubledServer();
        server.#folder = await scope.directory();
        const list = tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));
        await writeFile(join(server.#folder, 'tools'), JSON.stringify(list));
        await server.does('ok fine');
        return server;
    }

    get entry() {
        return { command: binary(), args: [this.#folder, '--stdio'] };
    }

    /** Sets its actions, such as "rpc -32603 broken"; the last action repeats. */
    async does(...actions) {
        const path = join(this.#folder, 'script');
        await writeFile(`${path}.new`, actions.map((action) => `${action}\n`).join(''));
        await rename(`${path}.new`, path);
    }
}
