#!/usr/bin/env node
// commontrace_backend HOST:PORT [slow | broken]
//
// A knowledge base with the HTTP API of CommonTrace and two traces in it. It refuses what the schemas
// of the published backend refuse. "slow" answers after 3 s, "broken" with status 503.

import {createServer} from 'node:http';

const [address, mode = 'well'] = process.argv.slice(2);
const [host, port] = address.split(':');

const TRACES = [
  {
    id: '6f1c7a52-3d0e-4b8e-9a51-0c4b7d2f9e10',
    title: 'Retry a flaky test in CI',
    context_text: 'A test of the network layer fails about once in 50 runs.',
    solution_text: 'Wait for the listener to report its port instead of sleeping.',
    status: 'validated', trust_score: 4.2, tags: ['testing', 'ci'], retrieval_count: 12, depth_score: 2,
    similarity_score: 0.91, related_traces: [],
  },
  {
    id: '0b7f4a6e-52f4-4d5e-8d0b-5f0d3c1a7b22',
    title: 'Cache compiled objects between jobs',
    context_text: 'Each job compiles everything again.',
    solution_text: 'Share the folder of ccache.',
    status: 'pending', trust_score: 1, tags: ['ci'], retrieval_count: 3, depth_score: 1,
    similarity_score: 0.4, related_traces: [],
  },
];

class Refusal extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

function traceOf(id) {
  const trace = TRACES.find((one) => one.id === id);
  if (trace === undefined) {
    throw new Refusal(404, 'Trace not found');
  }
  return trace;
}

function requireText(body, key, max) {
  if (typeof body[key] !== 'string' || body[key].length < 1 || body[key].length > max) {
    throw new Refusal(422, `${key}: 1 to ${max} characters are required`);
  }
}

function refuseOthers(body, known) {
  const other = Object.keys(body).find((key) => !known.includes(key));
  if (other !== undefined) {
    throw new Refusal(422, `${other}: extra inputs are not permitted`);
  }
}

function search(body) {
  refuseOthers(body, ['q', 'tags', 'limit', 'context']);
  if (!body.q && !(body.tags?.length > 0)) {
    throw new Refusal(422, 'q or tags is required');
  }
  const word = (body.q ?? '').split(' ')[0].toLowerCase();
  const results = TRACES.filter((one) => `${one.title} ${one.context_text}`.toLowerCase().includes(word) &&
                                         (body.tags ?? []).every((tag) => one.tags.includes(tag)));
  return {results: results.slice(0, body.limit ?? 10), total: results.length, query: body.q ?? null};
}

function contribute(body) {
  refuseOthers(body, ['title', 'context_text', 'solution_text', 'tags', 'supersedes_trace_id', 'review_after',
                      'watch_condition']);
  requireText(body, 'title', 200);
  requireText(body, 'context_text', 50_000);
  requireText(body, 'solution_text', 50_000);
  return {id: 'c2a9d1c4-77aa-4f0c-9a3e-1b8f2f6f4d31', status: 'pending'};
}

function vote(id, body) {
  refuseOthers(body, ['vote_type', 'feedback_tag', 'feedback_text']);
  if (!['up', 'down'].includes(body.vote_type)) {
    throw new Refusal(422, 'vote_type: up or down is required');
  }
  if (body.vote_type === 'down' && body.feedback_tag === undefined) {
    throw new Refusal(422, 'feedback_tag is required for downvotes');
  }
  return {id: '5b0e8d3e-2a44-4f35-8f33-3f4e0a0d9b11', trace_id: traceOf(id).id, ...body};
}

function amend(id, body) {
  refuseOthers(body, ['improved_solution', 'explanation']);
  requireText(body, 'improved_solution', 50_000);
  requireText(body, 'explanation', 10_000);
  return {id: '9d4b1f8c-11c2-4e57-b6a7-7c2c5c9e2a47', original_trace_id: traceOf(id).id};
}

function answerTo(method, path, body) {
  const [, id, part] = /^\/api\/v1\/traces\/([0-9a-f-]{36})(?:\/([a-z]+))?$/.exec(path) ?? [];
  if (method === 'POST' && path === '/api/v1/traces/search') return search(body);
  if (method === 'GET' && path === '/api/v1/tags') return {tags: ['testing', 'ci']};
  if (method === 'POST' && path === '/api/v1/traces') return contribute(body);
  if (method === 'GET' && id && !part) return traceOf(id);
  if (method === 'POST' && part === 'votes') return vote(id, body);
  if (method === 'POST' && part === 'amendments') return amend(id, body);
  throw new Refusal(404, 'Not Found');
}

function answer(request, text) {
  try {
    if (mode === 'broken') {
      throw new Refusal(503, 'database unavailable');
    }
    if (!request.headers['x-api-key']) {
      throw new Refusal(401, 'API key required');
    }
    const result = answerTo(request.method, request.url, text === '' ? {} : JSON.parse(text));
    return {status: request.method === 'POST' && !request.url.endsWith('/search') ? 201 : 200, result};
  } catch (refusal) {
    return {status: refusal.status ?? 500, result: {detail: refusal.message}};
  }
}

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => { text += part; });
  request.on('end', () => setTimeout(() => {
    const {status, result} = answer(request, text);
    response.writeHead(status, {'content-type': 'application/json'});
    response.end(JSON.stringify(result));
  }, mode === 'slow' ? 3_000 : 0));
});
server.listen(Number(port), host, () => console.log(`listening on http://${address}`));
