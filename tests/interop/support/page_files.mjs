// The files of the page as they are in the source tree.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { interopDirectory } from './gateway.mjs';

const webDirectory = join(interopDirectory, '..', '..', 'web');

/** Returns the exports of a module of the page; only app.js needs a browser. */
export function pageModule(name) {
    return import(pathToFileURL(join(webDirectory, name)).href);
}

/** Returns [{name, text}] of all files with this ending. */
export async function pageFiles(ending) {
    const names = (await readdir(webDirectory)).filter((name) => name.endsWith(ending));
    return Promise.all(
        names.map(async (name) => ({
            name,
            text: await readFile(join(webDirectory, name), 'utf8'),
        })),
    );
}
