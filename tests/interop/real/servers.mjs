// gitnexus and octocode-mcp with a small repository, as entries of the gateway's config.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { interopDirectory } from '../support/gateway.mjs';
import { run } from '../support/processes.mjs';

const INDEX_LIMIT_MS = 120_000;
const GIT_LIMIT_MS = 20_000;

// checkout calls loadOrder, which calls priceOf.
const SOURCES = {
    'store.js':
        'export function loadOrder(id) {\n    return { id, total: priceOf(id) };\n}\n\n' +
        'export function priceOf(id) {\n    return id.length * 3;\n}\n',
    'till.js':
        "import { loadOrder } from './store.js';\n\n" +
        'export function checkout(id) {\n    return `pay ${loadOrder(id).total}`;\n}\n',
};

async function scriptOf(...parts) {
    const path = join(interopDirectory, 'real', 'node_modules', ...parts);
    assert.ok(existsSync(path), `${path} is missing; tests/interop/real/install gets it.`);
    return realpath(path);
}

async function expectSuccess(command, limitMs, options) {
    const { code, output, errors } = await run(command, { limitMs, ...options });
    assert.equal(code, 0, `${command.join(' ')} failed:\n${output}${errors}`);
}

async function makeRepository(directory) {
    await mkdir(directory);
    for (const [name, text] of Object.entries(SOURCES)) {
        await writeFile(join(directory, name), text);
    }
    const identity = ['-c', 'user.name=Interop', '-c', 'user.email=interop@example.invalid'];
    for (const words of [['init', '-q'], ['add', '.'], [...identity, 'commit', '-qm', 'First']]) {
        await expectSuccess(['git', ...words], GIT_LIMIT_MS, { directory });
    }
}

// Counts all ways to pick ten of the nodes: minutes of work.
const PICKED = [...'abcdefghij'].map((name) => `(${name})`).join(', ');
export const LONG_STATEMENT = `MATCH ${PICKED} RETURN count(*)`;

async function homeWithRepository(scope) {
    const home = await scope.directory();
    const repository = join(home, 'shop');
    await makeRepository(repository);
    return { home, repository };
}

async function gitnexusIn({ home, repository }) {
    const script = await scriptOf('gitnexus', 'dist', 'cli', 'index.js');
    // Fetches nothing and ignores the user's own settings.
    const env = { HOME: home, GITNEXUS_LBUG_EXTENSION_INSTALL: 'never' };
    await expectSuccess(
        [process.execPath, script, 'analyze', '--index-only', '--skip-fts'],
        INDEX_LIMIT_MS,
        { directory: repository, environment: env },
    );
    const args = [script, 'mcp'];
    const entry = { command: process.execPath, args, env, cwd: repository, preset: 'gitnexus' };
    return { entry, script, repository };
}

async function octocodeIn({ home, repository }) {
    const script = await scriptOf('octocode-mcp', 'dist', 'index.js');
    const entry = {
        command: process.execPath,
        args: [script],
        env: { HOME: home, ALLOWED_PATHS: repository, WORKSPACE_ROOT: repository },
        cwd: repository,
        preset: 'octocode',
    };
    return { entry, script, repository };
}

/** {entry, script, repository}: gitnexus under its preset, with an indexed repository. */
export async function gitnexusServer(scope) {
    return gitnexusIn(await homeWithRepository(scope));
}

/** {entry, script, repository}: octocode-mcp under its preset. */
export async function octocodeServer(scope) {
    return octocodeIn(await homeWithRepository(scope));
}

/**
 * {servers, scripts, repository}: both servers with the same repository. `scripts` has, by server
 * name, the path that only its process has among its arguments.
 */
export async function realServers(scope) {
    const place = await homeWithRepository(scope);
    const graph = await gitnexusIn(place);
    const code = await octocodeIn(place);
    return {
        servers: { graph: graph.entry, code: code.entry },
        scripts: { graph: graph.script, code: code.script },
        repository: place.repository,
    };
}
