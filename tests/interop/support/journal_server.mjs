// An MCP server whose writes can be counted: it appends the key of each executed write to a file.
//
//   journal_server.mjs <file> [--http]
//
// Both tools take a while before and after they do their work, so that the end of this process
// meets calls at every stage.

import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const STAGE_MS = 100; // at most, before the work and after it

const [file, mode] = process.argv.slice(2);

const tools = [
    {
        name: 'read',
        description: 'Returns the value of a key.',
        inputSchema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
        annotations: { readOnlyHint: true },
    },
    {
        name: 'write',
        description: 'Stores a key.',
        inputSchema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
        annotations: { readOnlyHint: false, idempotentHint: false },
    },
];

async function resultOf({ method, params }) {
    switch (method) {
        case 'initialize':
            return {
                protocolVersion: '2025-06-18',
                capabilities: { tools: {} },
                serverInfo: { name: 'journal', version: '1' },
            };
        case 'tools/list':
            return { tools };
        case 'ping':
            return {};
        case 'tools/call': {
            const { key } = params.arguments;
            await pause(Math.random() * STAGE_MS);
            if (params.name === 'write') {
                appendFileSync(file, `${key}\n`);
            }
            await pause(Math.random() * STAGE_MS);
            return { content: [{ type: 'text', text: `${params.name} ${key}` }] };
        }
    }
}

async function answerTo(text) {
    const message = JSON.parse(text);
    if (message.id === undefined || message.method === undefined) {
        return undefined;
    }
    const result = await resultOf(message);
    const rest = result ? { result } : { error: { code: -32601, message: 'Method not found' } };
    return JSON.stringify({ jsonrpc: '2.0', id: message.id, ...rest });
}

if (mode === '--http') {
    const server = createServer((request, response) => {
        if (request.method !== 'POST') {
            response.writeHead(405).end();
            return;
        }
        let text = '';
        request.setEncoding('utf8').on('data', (part) => (text += part));
        request.on('end', async () => {
            const answer = await answerTo(text);
            response.writeHead(answer ? 200 : 202, { 'Content-Type': 'application/json' });
            response.end(answer);
        });
    });
    server.listen(0, '127.0.0.1', () => {
        console.error(`journal: listening on http://127.0.0.1:${server.address().port}/mcp`);
    });
} else {
    createInterface({ input: process.stdin }).on('line', async (line) => {
        const answer = await answerTo(line);
        if (answer) {
            process.stdout.write(`${answer}\n`);
        }
    });
}
