// Agents: the public SDK clients in every mode and on every transport, with one interface, so that
// a test states once what must hold for all of them.

import assert from 'node:assert/strict';
import { Client as Sdk2Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as Sdk1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Sdk1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
    StreamableHTTPClientTransport as Sdk1Http,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import {
    CallToolResultSchema,
    CreateMessageRequestSchema,
    ElicitRequestSchema,
    ListRootsRequestSchema,
    ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';

import { gatewayChild, startGateway } from './gateway.mjs';

const NOTIFICATION_LIMIT_MS = 10_000;
const MAX_PAGES = 1000;

const IDENTITY = { name: 'holdfast-interop', version: '1.0.0' };

/** The capabilities of an agent that can be asked anything. */
export const ALL_EARS = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };

const QUESTIONS = [
    {
        capability: 'sampling',
        method: 'sampling/createMessage',
        schema: CreateMessageRequestSchema,
    },
    { capability: 'elicitation', method: 'elicitation/create', schema: ElicitRequestSchema },
    { capability: 'roots', method: 'roots/list', schema: ListRootsRequestSchema },
];

/**
 * A connected client. It records `questions` and `notifications`; `answers` maps the method of a
 * question to a function from its params to the result.
 */
export class Agent {
    questions = [];
    notifications = [];
    answers = {};
    #listeners = new Set();

    constructor(kind, client, capabilities) {
        this.kind = kind;
        this.client = client;
        for (const { method, capability, schema } of QUESTIONS) {
            if (!capabilities[capability]) {
                continue;
            }
            const answer = async ({ params }) => {
                this.questions.push({ method, params });
                assert.ok(this.answers[method], `the agent has no answer to ${method}`);
                return this.answers[method](params);
            };
            client.setRequestHandler(kind.sdk === 1 ? schema : method, answer);
        }
    }

    async connect(transport) {
        if (this.kind.sdk === 1) {
            // SDK v1 passes the revision only to its transport.
            const tellTransport = transport.setProtocolVersion?.bind(transport);
            transport.setProtocolVersion = (revision) => {
                this.revision = revision;
                tellTransport?.(revision);
            };
        }
        await this.client.connect(transport);
        this.revision ??= this.client.getNegotiatedProtocolVersion();
        this.#watch(transport);
    }

    /** Sends one request and returns the unchanged result. */
    request(method, params = {}, options = {}) {
        const request = { method, params };
        return this.kind.sdk === 1
            ? this.client.request(request, ResultSchema, options)
            : this.client.request(request, options);
    }

    call(name, args = {}, options = {}, meta = undefined) {
        const params = { name, arguments: args, ...(meta && { _meta: meta }) };
        return this.kind.sdk === 1
            ? this.client.callTool(params, CallToolResultSchema, options)
            : this.client.callTool(params, options);
    }

    /** Returns the text blocks of a tool's answer, which must not be an error. */
    async callForText(name, args, options) {
        const result = await this.call(name, args, options);
        const texts = result.content.filter((block) => block.type === 'text');
        const text = texts.map((block) => block.text).join('\n');
        assert.ok(!result.isError, `${name} failed: ${text}`);
        return text;
    }

    /** Returns all items of a list, page by page; `key` is the field that holds them. */
    async list(method, key) {
        const items = [];
        let cursor;
        for (let page = 0; page < MAX_PAGES; ++page) {
            const result = await this.request(method, cursor === undefined ? {} : { cursor });
            items.push(...result[key]);
            if (result.nextCursor === undefined) {
                return items;
            }
            assert.notEqual(result.nextCursor, cursor, `${method} repeats a cursor`);
            cursor = result.nextCursor;
        }
        throw new Error(`${method} has more than ${MAX_PAGES} pages.`);
    }

    /** Returns the first notification, past or future, that `wanted` accepts. */
    async notification(wanted, limitMs = NOTIFICATION_LIMIT_MS) {
        let listener;
        let timer;
        try {
            return await new Promise((resolve, reject) => {
                listener = () => {
                    const found = this.notifications.find(wanted);
                    if (found) {
                        resolve(found);
                    }
                };
                timer = setTimeout(() => {
                    const seen = JSON.stringify(this.notifications);
                    reject(new Error(`No such notification in ${limitMs} ms; seen: ${seen}`));
                }, limitMs);
                this.#listeners.add(listener);
                listener();
            });
        } finally {
            clearTimeout(timer);
            this.#listeners.delete(listener);
        }
    }

    // Notifications are read from the wire, because the SDKs drop the last progress of a call if it
    // arrives together with the answer.
    #watch(transport) {
        const handle = transport.onmessage;
        transport.onmessage = (message, extra) => {
            if (message.method !== undefined && message.id === undefined) {
                this.notifications.push(message);
                this.#listeners.forEach((listener) => listener());
            }
            handle(message, extra);
        };
    }
}

const PINNED = { pin: '2026-07-28' };

/** All transports and eras in which an agent can use the gateway. */
export const agentKinds = [
    { name: 'SDK v1 over HTTP', sdk: 1, era: 'legacy', transport: 'http' },
    { name: 'SDK v1 over stdio', sdk: 1, era: 'legacy', transport: 'stdio' },
    { name: 'SDK v1 over WebSocket', sdk: 1, era: 'legacy', transport: 'websocket' },
    { name: 'SDK v2 legacy over HTTP', sdk: 2, mode: 'legacy', era: 'legacy', transport: 'http' },
    { name: 'SDK v2 legacy over stdio', sdk: 2, mode: 'legacy', era: 'legacy', transport: 'stdio' },
    { name: 'SDK v2 auto over HTTP', sdk: 2, mode: 'auto', era: 'modern', transport: 'http' },
    { name: 'SDK v2 auto over stdio', sdk: 2, mode: 'auto', era: 'modern', transport: 'stdio' },
    { name: 'SDK v2 pinned over HTTP', sdk: 2, mode: PINNED, era: 'modern', transport: 'http' },
    { name: 'SDK v2 pinned over stdio', sdk: 2, mode: PINNED, era: 'modern', transport: 'stdio' },
];

function makeClient(kind, capabilities) {
    if (kind.sdk === 1) {
        return new Sdk1Client(IDENTITY, { capabilities });
    }
    const versionNegotiation = { mode: kind.mode };
    return new Sdk2Client(IDENTITY, { capabilities, versionNegotiation });
}

function makeStdio(kind, { command, environment }) {
    const parameters = {
        command: command[0],
        args: command.slice(1),
        env: { ...process.env, ...environment },
        stderr: 'ignore',
    };
    return kind.sdk === 1 ? new Sdk1Stdio(parameters) : new StdioClientTransport(parameters);
}

function makeHttpOrWebSocket(kind, { url, webSocketUrl }) {
    if (kind.transport === 'websocket') {
        return new WebSocketClientTransport(new URL(webSocketUrl));
    }
    const Http = kind.sdk === 1 ? Sdk1Http : StreamableHTTPClientTransport;
    return new Http(new URL(url));
}

/** Starts an agent of any kind with its own gateway in front of `servers`. */
export async function startAgent(scope, kind, servers, capabilities = {}) {
    const transport =
        kind.transport === 'stdio'
            ? makeStdio(kind, await gatewayChild(scope, servers))
            : makeHttpOrWebSocket(kind, await startGateway(scope, servers));
    return connectThrough(scope, kind, transport, capabilities);
}

/** Connects an agent over HTTP or WebSocket to a running gateway from `startGateway`. */
export function connectAgent(scope, kind, gateway, capabilities = {}) {
    return connectThrough(scope, kind, makeHttpOrWebSocket(kind, gateway), capabilities);
}

/** Connects an agent over a transport of the SDK. */
export function connectAgentOver(scope, kind, transport, capabilities = {}) {
    return connectThrough(scope, kind, transport, capabilities);
}

async function connectThrough(scope, kind, transport, capabilities) {
    const client = makeClient(kind, capabilities);
    const agent = new Agent(kind, client, capabilities);
    await agent.connect(transport);
    scope.defer(() => client.close());
    return agent;
}
