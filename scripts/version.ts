// The version of the service and the SDKs. `node scripts/version.ts 1.2.3` sets it wherever it is stated; a test
// (packages/server/test/architecture/numbering.test.ts) compares the places. The examples accept any version of the same major.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const number = String.raw`\d+\.\d+\.\d+`;

/** Files, and what stands before and after the version in them. */
const kinds: readonly (readonly [files: string, before: string, after: string])[] = [
  ['package.json', '^  "version": "', '"'],
  ['packages/*/package.json', '^  "version": "', '"'],
  ['Dockerfile', '^ARG VERSION=', '$'],
  ['deploy/kubernetes/*/kustomization.yaml', 'newTag: ', '$'],
  ['sdks/python/src/licensing_sdk/_version.py', '^VERSION = "', '"'],
  ['sdks/c/CMakeLists.txt', '^project\\(licensing VERSION ', ' '],
  ['sdks/c/include/licensing/licensing.h', '^#define LICENSING_VERSION "', '"'],
  [
    '{packages/guides/{pages/**/*.md,test/fresh-clone.long.test.ts},packages/dashboard/src/**/*.ts,sdks/*/README.md,sdks/test/*.ts}',
    '(?:licensing_sdk-|licensing-c-|licensing\\.example\\.com/sdk[@ ]v)',
    '',
  ],
];

/** Returns each place that states the version: its file, and the version there. */
export function statedVersions(): { readonly file: string; readonly version: string }[] {
  return kinds.flatMap(([files, before, after]) =>
    globSync(files, { cwd: root }).flatMap((file) => {
      const pattern = new RegExp(`${before}(${number})${after}`, 'gm');
      return Array.from(readFileSync(join(root, file), 'utf8').matchAll(pattern), ([, version = '']) => ({
        file,
        version,
      }));
    }),
  );
}

function setVersion(version: string): void {
  for (const [files, before, after] of kinds) {
    for (const file of globSync(files, { cwd: root })) {
      const text = readFileSync(join(root, file), 'utf8');
      const pattern = new RegExp(`(${before})${number}(?=${after})`, 'gm');
      const changed = text.replace(pattern, (_all, start: string) => start + version);
      if (changed !== text) writeFileSync(join(root, file), changed);
    }
  }
}

if (import.meta.main) {
  const [version = ''] = process.argv.slice(2);
  if (!new RegExp(`^${number}$`).test(version)) {
    console.error('Name the version, such as 1.2.3.');
    process.exit(1);
  }
  setVersion(version);
  console.log(
    'Now run "npm install --package-lock-only" and "npm run openapi", which contain the version too, and add a section to CHANGELOG.md.',
  );
}
