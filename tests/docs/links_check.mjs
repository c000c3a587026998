// links_check.mjs FOLDER
//
// Prints each link of a page under FOLDER that leads to no file, or to no heading of its page.
// Links to other sites are not followed.

import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync, statSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';

const root = process.argv[2];
const pages = execFileSync('find', [root, '-name', '*.md', '-not', '-path', `${root}/build/*`, '-not', '-path',
                                    '*/node_modules/*', '-not', '-path', '*/.git/*'], {encoding: 'utf8'})
                  .trim().split('\n').sort();

const withoutBlocks = (text) => text.replace(/^```[\s\S]*?^```$/gm, '');

// As GitHub names headings.
function anchorsOf(page) {
  const anchors = new Set();
  for (const [, heading] of withoutBlocks(readFileSync(page, 'utf8')).matchAll(/^#+ (.*)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    anchors.add(plain.replace(/[^\p{L}\p{N}\- _]/gu, '').trim().replaceAll(' ', '-'));
  }
  return anchors;
}

let faults = 0;
for (const page of pages) {
  const text = withoutBlocks(readFileSync(page, 'utf8')).replace(/`[^`\n]*`/g, '');
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) {
      continue;
    }
    const [path, anchor] = target.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), decodeURI(path)));
    let fault = '';
    if (!existsSync(file)) {
      fault = 'there is no such file';
    } else if (anchor !== undefined && statSync(file).isFile() && !anchorsOf(file).has(anchor)) {
      fault = 'there is no such heading';
    }
    if (fault !== '') {
      console.log(`${page}: ${target}: ${fault}`);
      faults += 1;
    }
  }
}
if (pages.length < 2) {
  console.log(`${root}: has no pages`);
  faults += 1;
}
process.exit(faults === 0 ? 0 : 1);
