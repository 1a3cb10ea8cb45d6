// Writes the generated sources that only development needs, if what they come from has changed since: the dashboard's types
// of the API, and the conformance cases with signatures.
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFolder } from './built-folder.mjs';
import { sdkSources } from './sdk-sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const schema = 'packages/dashboard/scripts/generate-schema.mjs';
const conformance = 'packages/sdk/conformance';
const caseFiles = ['certificates', 'fingerprints', 'guard', 'offline-files', 'updates', 'verdicts', 'webhooks'];

const parts = [
  builtFolder({
    folder: 'packages/dashboard/src/api',
    outputs: ['packages/dashboard/src/api/schema.gen.ts'],
    script: schema,
    inputs: ['openapi.json', schema, 'tools/codegen/package-lock.json'],
    builder: 'typescript',
  }),
  builtFolder({
    folder: `${conformance}/cases`,
    outputs: caseFiles.map((name) => `${conformance}/cases/${name}.json`),
    script: `${conformance}/generate.ts`,
    inputs: [
      ...['generate.ts', 'generator', 'guard', 'runner'].map((name) => `${conformance}/${name}`),
      'packages/sdk/src',
    ],
    needs: sdkSources,
    builder: 'typescript',
  }),
];

/** The generated sources as one part of the setup; only an installation for development has their generators. */
export const generatedSources = {
  isCurrent: () => parts.every((part) => part.isCurrent()),
  canBuild: () => parts.every((part) => part.canBuild()),
};

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (!generatedSources.isCurrent()) spawnSync('sh', [join(root, 'scripts', 'setup-codegen.sh')], { stdio: 'inherit' });
  for (const part of parts) part.build();
}
