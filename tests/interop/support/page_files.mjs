// The files of the page as they are in the source tree.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { interopDirectory } from './gateway.mjs';

const webDirectory = join(interopDirectory, '..', '..', 'web');

/** The exports of a module of the page; none of them but app.js needs a browser to be loaded. */
export function pageModule(name) {
    return import(pathToFileURL(join(webDirectory, name)).href);
}

/** [{name, text}] of all files with this ending. */
export async function pageFiles(ending) {
    const names = (await readdir(webDirectory)).filter((name) => name.endsWith(ending));
    return Promise.all(
        names.map(async (name) => ({
            name,
            text: await readFile(join(webDirectory, name), 'utf8'),
        })),
    );
}
