// The scenarios of the official suite for skills, against a server with skills alone and against the
// gateway in front of it and of a second one. Both must give the same results.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { problems, runConformance, total } from './support/conformance.mjs';
import { startGateway } from './support/gateway.mjs';
import { withScope } from './support/processes.mjs';

const LIMIT_MS = 300_000;
const CONNECT_LIMIT_MS = 30_000;
const PAUSE_MS = 50;
const SCENARIOS = ['enumeration', 'manifest', 'directory'].map((name) => `sep-2640-skills-${name}`);
const REVISIONS = ['2025-11-25', '2026-07-28'];
const CAPABILITIES = {
    resources: {},
    extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
};
const IDENTITY = { name: 'skilled', version: '1' };
const MARKDOWN = 'text/markdown';
const DIRECTORY = 'inode/directory';

function skillNamed(name) {
    const frontmatter = { name, description: `Explains ${name}.` };
    const header = `name: ${name}\ndescription: ${frontmatter.description}`;
    const files = {
        [`skill://${name}/SKILL.md`]: `---\n${header}\n---\n\n# ${name}\n`,
        [`skill://${name}/references/more.md`]: `More about ${name}.\n`,
    };
    const resources = Object.entries(files).map(([uri, text]) => ({
        uri,
        digest: `sha256:${createHash('sha256').update(text, 'utf8').digest('hex')}`,
        size: Buffer.byteLength(text),
    }));
    return { files, entry: { uri: `skill://${name}/SKILL.md`, frontmatter, resources } };
}

function named(uri) {
    return { uri, name: uri.split('/').at(-1) };
}

function directory(skills, uri) {
    const inside = skills.flatMap(({ files }) =>
        Object.keys(files).filter((file) => file.startsWith(`${uri}/`)),
    );
    if (inside.length === 0) {
        return undefined;
    }
    const children = new Set(
        inside.map((file) => `${uri}/${file.slice(uri.length + 1).split('/')[0]}`),
    );
    return {
        resources: [...children].map((child) => ({
            ...named(child),
            mimeType: inside.includes(child) ? MARKDOWN : DIRECTORY,
        })),
    };
}

// Returns the result of a request, or undefined for invalid params; null for an unknown method.
function result(skills, method, params) {
    switch (method) {
        case 'initialize':
            return {
                protocolVersion: '2025-11-25',
                capabilities: CAPABILITIES,
                serverInfo: IDENTITY,
            };
        case 'server/discover':
            return { supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES };
        case 'resources/list':
            return { resources: [] };
        case 'resources/templates/list':
            return { resourceTemplates: [] };
        case 'resources/read': {
            const text = Object.assign({}, ...skills.map(({ files }) => files))[params.uri];
            return text && { contents: [{ uri: params.uri, mimeType: MARKDOWN, text }] };
        }
        case 'resources/directory/read':
            return directory(skills, params.uri);
        case 'skills/list': {
            const index = Number(params.cursor ?? 0);
            const skill = skills[index];
            const nextCursor = index + 1 < skills.length ? `${index + 1}` : undefined;
            return skill && { skills: [skill.entry], nextCursor };
        }
        case 'skills/get': {
            const found = skills.find(({ entry }) => entry.uri === params.uri);
            return found && { skill: found.entry };
        }
        default:
            return null;
    }
}

function answer(skills, { id, method, params = {} }) {
    const plain = result(skills, method, params);
    if (!plain) {
        const error =
            plain === null
                ? { code: -32601, message: 'Method not found' }
                : { code: -32602, message: 'Invalid params', data: { uri: params.uri } };
        return { jsonrpc: '2.0', id, error };
    }
    const isModern = params._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
    const modern = {
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': IDENTITY },
    };
    return { jsonrpc: '2.0', id, result: isModern ? { ...modern, ...plain } : plain };
}

/** Starts a server with these skills, in both eras and without sessions; returns its URL. */
async function startSkilled(scope, names) {
    const skills = names.map(skillNamed);
    const server = createServer((request, response) => {
        let body = '';
        request.setEncoding('utf8').on('data', (text) => (body += text));
        request.on('end', () => {
            const message = request.method === 'POST' ? JSON.parse(body) : {};
            if (message.id === undefined) {
                response.writeHead(request.method === 'POST' ? 202 : 405).end();
                return;
            }
            response
                .writeHead(200, { 'Content-Type': 'application/json' })
                .end(JSON.stringify(answer(skills, message)));
        });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    scope.defer(() => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(resolve));
    });
    return `http://localhost:${server.address().port}/mcp`;
}

async function figuresOf(scope, url, revision) {
    const sums = [];
    for (const scenario of SCENARIOS) {
        const options = ['--url', url, '--scenario', scenario, '--spec-version', revision, '--force'];
        const { scenarios } = await runConformance(scope, '0.2.0-alpha.12', ['server', ...options]);
        assert.deepEqual(problems(scenarios), []);
        sums.push(total(scenarios));
    }
    const add = (key) => sums.reduce((sum, figures) => sum + figures[key], 0);
    return { passed: add('passed'), warnings: add('warnings'), skipped: add('skipped') };
}

// A gateway declares skills once such a server is connected.
async function untilDeclared(url) {
    const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } };
    const headers = {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'server/discover',
    };
    const deadline = Date.now() + CONNECT_LIMIT_MS;
    for (;;) {
        const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
        const answered = await reply.json();
        if (answered.result?.capabilities?.extensions) {
            return;
        }
        assert.ok(Date.now() < deadline, `no skills declared: ${JSON.stringify(answered)}`);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
}

for (const revision of REVISIONS) {
    test(`skills pass as without the gateway in ${revision}`, { timeout: LIMIT_MS }, () =>
        withScope(async (scope) => {
            const one = await startSkilled(scope, ['pdf-forms', 'charts']);
            const two = await startSkilled(scope, ['letters']);
            const alone = await figuresOf(scope, one, revision);
            const servers = { one: { type: 'http', url: one }, two: { type: 'http', url: two } };
            const { url } = await startGateway(scope, servers);
            await untilDeclared(url);
            const through = await figuresOf(scope, url.replace('127.0.0.1', 'localhost'), revision);

            console.log(`${revision}: ${JSON.stringify({ alone, through })}`);
            assert.deepEqual(through, alone);
            assert.ok(alone.passed > 20, `only ${alone.passed} checks passed`);
        }),
    );
}
