import { existsSync, readFileSync } from 'node:fs';

const packageFile = new URL('../package.json', import.meta.url);
/** `scripts/setup.mjs` writes it. Absent when the sources run without it. */
const buildFile = new URL('../build.json', import.meta.url);

/** The version of this service, from its package.json. */
export const serviceVersion: string = JSON.parse(readFileSync(packageFile, 'utf8')).version;

/** The installed commit, with `-dirty` if files were changed, and its time (RFC 3339). Both are empty if they are unknown. */
export const build: { readonly commit: string; readonly committedAt: string } = {
  commit: '',
  committedAt: '',
  ...(existsSync(buildFile) ? JSON.parse(readFileSync(buildFile, 'utf8')) : {}),
};

/** The version with the commit, which tells builds of one version apart: `1.0.0+f51a97f71234` (https://semver.org, rule 10). */
export const fullVersion = build.commit === '' ? serviceVersion : `${serviceVersion}+${build.commit}`;
