// preset_page_check.mjs PRESET.json PAGE.md
//
// Compares the page of a preset with the preset itself, and prints a line for each difference:
// headings, the entry to copy, variables with their defaults, tools with their timeouts, circuits
// and attempts, and the figures of circuits and keys. README.md describes the tables.

import {readFileSync} from 'node:fs';
import {basename} from 'node:path';

const HEADINGS = ['Use it', 'Variables', 'Tools', 'What an agent sees', 'Change a figure',
                  'Differences from the original', 'Client timeout'];

const [presetFile, pageFile] = process.argv.slice(2);
const name = basename(presetFile, '.json');
const preset = JSON.parse(readFileSync(presetFile, 'utf8'));
const page = readFileSync(pageFile, 'utf8');

let faults = 0;
function fault(text) {
  console.log(`${pageFile}: ${text}`);
  faults += 1;
}

const quoted = (text) => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
const plain = (text) => text.replaceAll('`', '').replace(/\s+/g, '').toLowerCase();

// ---- the preset

// References of a text, outermost first: [{names: ['A', 'B'], fallback: '60s' or null}].
function referencesIn(text) {
  const found = [];
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', at)) {
    const names = [];
    let rest = text.slice(at);
    let depth = 0;
    for (let match; (match = /^\$\{(?:env:)?([A-Za-z0-9_]+)(:-)?/.exec(rest)); depth += 1) {
      names.push(match[1]);
      rest = rest.slice(match[0].length);
      if (!match[2]) {
        found.push({names, fallback: null});
        rest = null;
        break;
      }
    }
    if (rest !== null) {
      const end = rest.indexOf('}');
      found.push({names, fallback: rest.slice(0, end) + rest.slice(end + depth)});
      rest = rest.slice(end + depth);
    }
    at = rest === null ? at + 2 : text.length - rest.length;
  }
  return found;
}

// The variables of the preset, each with its default; null for none.
function variablesOf(value, found = new Map()) {
  if (typeof value === 'string') {
    for (const {names, fallback} of referencesIn(value)) {
      names.forEach((one) => found.set(one, fallback));
    }
  } else if (Array.isArray(value)) {
    value.forEach((one) => variablesOf(one, found));
  } else if (value !== null && typeof value === 'object') {
    if (typeof value.env === 'string') {
      found.set(value.env, null);  // the source of a credential
    }
    Object.values(value).forEach((one) => variablesOf(one, found));
  }
  return found;
}

// A value of the preset as it is without variables.
function resolved(value) {
  if (typeof value !== 'string') {
    return value;
  }
  const [reference] = referencesIn(value);
  return reference === undefined ? value : reference.fallback;
}

const globOf = (pattern) => new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);
const patternsOf = (rule) => [rule.match].flat();

// What the rules say about a tool; later rules are stronger.
function ruleOf(tool) {
  const rule = {};
  for (const one of preset.tools ?? []) {
    if (patternsOf(one).some((pattern) => globOf(pattern).test(tool))) {
      Object.assign(rule, one);
    }
  }
  return rule;
}

function policyOf(tool) {
  return {...preset.policies?.default, ...preset.policies?.[ruleOf(tool).policy]};
}

function attemptsOf(policy) {
  return policy.retry === undefined || policy.retry === 'none' ? 1 : policy.retry.attempts;
}

function circuitOf(circuit) {
  return {...preset.policies?.default?.circuit, ...preset.circuits?.[circuit]};
}

// ---- figures

const UNITS = {ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000};

// A duration in milliseconds; otherwise the text itself.
function figure(text) {
  const clean = plain(String(text)).replaceAll(',', '');
  const match = /^([0-9.]+)(ms|s|min|m|h)$/.exec(clean);
  return match ? Math.round(Number(match[1]) * UNITS[match[2]]) : clean;
}

function compare(what, shown, real) {
  if (figure(shown) !== figure(real)) {
    fault(`${what}: the page says "${shown.trim()}", the preset "${real}"`);
  }
}

// ---- the page

function sectionOf(heading) {
  const begin = page.indexOf(`\n## ${heading}\n`);
  const end = begin === -1 ? -1 : page.indexOf('\n## ', begin + 1);
  return begin === -1 ? '' : page.slice(begin, end === -1 ? undefined : end);
}

function tablesIn(text) {
  const tables = [];
  let rows = null;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) {
      rows = null;
      continue;
    }
    const cells = line.replaceAll('\\|', '\u0001').replace(/^\|/, '').replace(/\|\s*$/, '').split('|')
                      .map((cell) => cell.replaceAll('\u0001', '|').trim());
    if (rows === null) {
      rows = [];
      tables.push({columns: cells.map((cell) => cell.toLowerCase()), rows});
    } else if (!/^[-: ]+$/.test(cells[0])) {
      rows.push(cells);
    }
  }
  return tables;
}

function checkHeadings() {
  let last = -1;
  for (const heading of HEADINGS) {
    const at = page.indexOf(`\n## ${heading}\n`);
    if (at === -1) {
      fault(`there is no section "## ${heading}"`);
    } else if (at < last) {
      fault(`the section "## ${heading}" is out of order`);
    }
    last = Math.max(last, at);
  }
  const start = page.slice(page.indexOf('\n') + 1, page.indexOf('\n## '));
  if (!page.startsWith('# ') || start.trim() === '') {
    fault('it does not begin with a title and what the preset is for');
  }
}

function checkEntry() {
  const blocks = [...sectionOf('Use it').matchAll(/```json\n([\s\S]*?)```/g)].map((match) => match[1]);
  if (!blocks.some((block) => block.includes('"mcpServers"') && block.includes(`"preset": "${name}"`))) {
    fault(`"Use it" has no complete config with "preset": "${name}"`);
  }
}

function checkVariables() {
  const real = variablesOf(preset);
  const shown = new Map();
  for (const {columns, rows} of tablesIn(sectionOf('Variables'))) {
    const at = columns.indexOf('default');
    if (at === -1 || !columns.includes('unit')) {
      fault('a table of "Variables" has no column "unit" or no column "default"');
      continue;
    }
    rows.forEach((cells) => quoted(cells[0]).forEach((one) => shown.set(one, cells[at])));
  }
  for (const [variable, fallback] of real) {
    if (!shown.has(variable)) {
      fault(`the variable ${variable} is missing`);
    } else {
      compare(`the default of ${variable}`, shown.get(variable), fallback ?? 'none');
    }
  }
  for (const variable of shown.keys()) {
    if (!real.has(variable)) {
      fault(`the preset has no variable ${variable}`);
    }
  }
}

function checkTool(tool, cells, columns) {
  const rule = ruleOf(tool);
  const policy = policyOf(tool);
  const real = {
    'timeout': resolved(policy.timeout),
    'circuit': rule.circuit,
    'attempts': attemptsOf(policy),
    'kind': rule.readOnly === true ? 'read' : rule.idempotent === true ? 'repeatable' : 'write',
  };
  for (const [column, value] of Object.entries(real)) {
    const at = columns.indexOf(column);
    if (at !== -1) {
      compare(`${column} of ${tool}`, cells[at], value);
    }
  }
}

function checkTools() {
  const wanted = new Set((preset.rest?.tools ?? []).map((tool) => tool.name));
  (preset.tools ?? []).flatMap(patternsOf).filter((pattern) => !pattern.includes('*'))
      .forEach((tool) => wanted.add(tool));
  for (const {columns, rows} of tablesIn(sectionOf('Tools'))) {
    if (columns[0] === 'tools') {
      for (const cells of rows) {
        for (const tool of quoted(cells[0]).flatMap((text) => text.split(' '))) {
          // A pattern stands for a tool that no other rule names.
          checkTool(tool.replaceAll('*', 'Zz'), cells, columns);
          if (!wanted.delete(tool) && !tool.includes('*')) {
            fault(`the preset has no tool ${tool}, or the page names it twice`);
          }
        }
      }
    } else if (columns[0] === 'circuit') {
      for (const cells of rows) {
        const [circuit] = quoted(cells[0]);
        const real = circuitOf(circuit);
        for (const key of ['failures', 'successes', 'open', 'probes']) {
          const at = columns.indexOf(key);
          if (at !== -1) {
            compare(`${key} of the circuit ${circuit}`, cells[at], resolved(real[key]));
          }
        }
      }
      const shown = rows.flatMap((cells) => quoted(cells[0]));
      Object.keys(preset.circuits ?? {}).filter((circuit) => !shown.includes(circuit))
          .forEach((circuit) => fault(`the circuit ${circuit} is missing`));
    }
  }
  wanted.forEach((tool) => fault(`the tool ${tool} is missing`));
}

// Tables with the columns "key" and "preset": keys of the preset, or of its default policy.
function checkKeys() {
  for (const {columns, rows} of tablesIn(page)) {
    const at = columns.indexOf('preset');
    if (columns[0] !== 'key' || at === -1) {
      continue;
    }
    for (const cells of rows) {
      for (const key of quoted(cells[0])) {
        const lookup = (object) => key.split('.').reduce((value, part) => value?.[part], object);
        const real = lookup(preset) ?? lookup(preset.policies?.default);
        if (real === undefined) {
          fault(`the preset has no key ${key}`);
        } else {
          compare(key, cells[at], typeof real === 'object' ? JSON.stringify(real) : resolved(real));
        }
      }
    }
  }
}

checkHeadings();
checkEntry();
checkVariables();
checkTools();
checkKeys();
process.exit(faults === 0 ? 0 : 1);
