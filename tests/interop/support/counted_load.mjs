// Agents on every transport that call tools one after another and account for each call: it was
// answered, or turned away (the connection was refused, or ended in order), or lost.
//
// They speak the protocol themselves, because a client library may repeat or hide a call.

import { Agent as HttpAgent, request as httpRequest } from 'node:http';

import { WebSocket } from 'ws';

const MODERN_META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
};
const NEVER_SENT = new Set(['ECONNREFUSED']);

function toolCall(id, { name, args }, isModern) {
    const params = { name, arguments: args, ...(isModern && { _meta: MODERN_META }) };
    return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** The message in the body of a response: JSON, or the last event of a stream. */
function messageIn(body, contentType) {
    if (!contentType?.startsWith('text/event-stream')) {
        return JSON.parse(body);
    }
    const messages = [...body.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data));
    return messages.findLast((message) => 'result' in message || 'error' in message);
}

/** One agent over HTTP. `call` resolves with {answer}, {turnedAway} or {lost}. */
export class HttpCaller {
    #agent;
    #session;
    #lastId = 0;

    /** `options.isModern`, and `options.keepsAlive`: whether calls share a connection. */
    constructor(url, options) {
        this.url = url;
        this.options = options;
        this.name = `${options.isModern ? 'modern' : 'legacy'} HTTP${options.keepsAlive ? ', kept alive' : ''}`;
        this.#agent = options.keepsAlive ? new HttpAgent({ keepAlive: true, maxSockets: 1 }) : false;
    }

    async open() {
        if (this.options.isModern) {
            return;
        }
        const params = {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'load', version: '1' },
        };
        const message = { jsonrpc: '2.0', id: 0, method: 'initialize', params };
        const { headers } = await this.#post(JSON.stringify(message), {});
        this.#session = headers['mcp-session-id'];
    }

    async call(tool) {
        const id = ++this.#lastId;
        const headers = this.options.isModern
            ? { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': tool.name }
            : { 'Mcp-Session-Id': this.#session };
        try {
            const { status, body, type } = await this.#post(
                toolCall(id, tool, this.options.isModern),
                headers,
            );
            // A session that has ended with the gateway is a refusal, too.
            return status === 404 ? { turnedAway: true } : { answer: messageIn(body, type) };
        } catch (error) {
            return NEVER_SENT.has(error.code) ? { turnedAway: true } : { lost: error.message };
        }
    }

    close() {
        if (this.#agent) {
            this.#agent.destroy();
        }
    }

    #post(text, headers) {
        return new Promise((resolve, reject) => {
            const request = httpRequest(this.url, {
                method: 'POST',
                agent: this.#agent,
                headers: {
                    'Content-Type': 'application/json',
                    Accept: 'application/json, text/event-stream',
                    'Content-Length': Buffer.byteLength(text),
                    ...headers,
                },
            });
            request.once('error', reject);
            request.once('response', (response) => {
                let body = '';
                response.setEncoding('utf8').on('data', (part) => (body += part));
                response.once('error', reject);
                response.once('end', () =>
                    resolve({
                        status: response.statusCode,
                        headers: response.headers,
                        type: response.headers['content-type'],
                        body,
                    }),
                );
            });
            request.end(text);
        });
    }
}

/** Calls on a channel: their answers come in any order. */
class ChannelCaller {
    #waiting = new Map();
    #lastId = 0;
    #end;

    call(tool) {
        if (this.#end) {
            return Promise.resolve({ turnedAway: true });
        }
        return new Promise((resolve) => {
            const id = ++this.#lastId;
            this.#waiting.set(id, resolve);
            this.send(toolCall(id, tool, true));
        });
    }

    onMessage(text) {
        const message = JSON.parse(text);
        if (!('method' in message)) {
            this.#waiting.get(message.id)?.({ answer: message });
            this.#waiting.delete(message.id);
        }
    }

    /** `why` is empty if the gateway ended the channel in order. */
    onEnd(why) {
        this.#end = why ? { lost: why } : { turnedAway: true };
        for (const resolve of this.#waiting.values()) {
            resolve(this.#end);
        }
        this.#waiting.clear();
    }
}

export class WebSocketCaller extends ChannelCaller {
    name = 'WebSocket';

    constructor(url) {
        super();
        this.socket = new WebSocket(url, ['mcp'], { perMessageDeflate: false });
        this.socket.on('message', (data) => this.onMessage(data.toString()));
        this.socket.on('error', () => {}); // "close" follows
        this.socket.once('close', (code) => this.onEnd(code === 1000 ? '' : `closed with ${code}`));
    }

    open() {
        return new Promise((resolve, reject) => {
            this.socket.once('open', resolve);
            this.socket.once('error', reject);
        });
    }
    send(text) {
        this.socket.send(text, () => {});
    }
    close() {
        this.socket.terminate();
    }
}

/** On the standard streams of a program: {stdin, stdout}. */
export class StdioCaller extends ChannelCaller {
    name = 'stdio';
    #rest = '';

    constructor({ stdin, stdout }) {
        super();
        this.stdin = stdin;
        stdin.on('error', () => {}); // the end of its output follows
        stdout.setEncoding('utf8').on('data', (text) => {
            const lines = (this.#rest + text).split('\n');
            this.#rest = lines.pop();
            lines.forEach((line) => this.onMessage(line));
        });
        stdout.once('end', () => this.onEnd(this.#rest ? 'cut inside a message' : ''));
    }

    async open() {}
    send(text) {
        this.stdin.write(`${text}\n`);
    }
    close() {
        this.stdin.end();
    }
}
