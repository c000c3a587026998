#!/usr/bin/env node
// issue_tracker HOST:PORT
//
// A small issue tracker with a JSON API and two issues in it.

import {createServer} from 'node:http';

const [address] = process.argv.slice(2);
const [host, port] = address.split(':');

const ISSUES = [
  {number: 7, title: 'Login fails behind a proxy', state: 'open', labels: ['network', 'bug'], votes: 12.5,
   body: 'The page reloads\nwithout a message when the proxy drops the session cookie.', author: {name: 'ada'}},
  {number: 9, title: 'Dark colours for the chart', state: 'open', labels: [], votes: 3,
   body: 'The chart is white.', author: {name: 'grace'}, milestone: '2.1'},
];

function listed(query) {
  const wanted = (query.get('q') ?? '').toLowerCase();
  return ISSUES.filter((one) => one.title.toLowerCase().includes(wanted)).slice(0, Number(query.get('limit') ?? 20));
}

function answerTo(request, text) {
  const url = new URL(request.url, `http://${address}`);
  const [, number, part] = /^\/issues\/(\d+)(?:\/(comments))?$/.exec(url.pathname) ?? [];
  if (request.headers.authorization !== 'Bearer secret') return [401, {error: {message: 'unknown token'}}];
  if (request.method === 'GET' && url.pathname === '/issues') return [200, listed(url.searchParams)];
  const issue = ISSUES.find((one) => one.number === Number(number));
  if (issue === undefined) return [404, {error: {message: `there is no issue ${number}`}}];
  if (request.method === 'GET' && !part) return [200, issue];
  if (request.method === 'POST' && part) return [201, {id: 31, issue: issue.number, text: JSON.parse(text).text}];
  return [405, {error: {message: 'method not allowed'}}];
}

const server = createServer((request, response) => {
  let text = '';
  request.on('data', (part) => { text += part; });
  request.on('end', () => {
    const [status, result] = answerTo(request, text);
    response.writeHead(status, {'content-type': 'application/json'});
    response.end(JSON.stringify(result));
  });
});
server.listen(Number(port), host, () => console.log(`listening on http://${address}`));
