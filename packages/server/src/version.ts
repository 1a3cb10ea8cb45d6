import { readFileSync } from 'node:fs';

const packageFile = new URL('../package.json', import.meta.url);

/** The version of this service, from its package.json. */
export const serviceVersion: string = JSON.parse(readFileSync(packageFile, 'utf8')).version;
