// Generates clients from an OpenAPI document: node tools/codegen/generate.mjs <document> <folder> [generator …]
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [document = '', folder = '', ...wanted] = process.argv.slice(2);
const bin = join(import.meta.dirname, 'node_modules', '.bin');
const input = resolve(document);

/** The arguments of each generator, which writes to a folder of its own. */
const generators = {
  'openapi-typescript': (output) => ['openapi-typescript', input, '--output', join(output, 'schema.ts')],
  'openapi-ts': (output) => [
    'openapi-ts',
    ...['--input', input, '--output', output, '--client', '@hey-api/client-fetch', '--silent'],
  ],
  orval: (output) => ['orval', '--input', input, '--output', join(output, 'client.ts'), '--client', 'fetch'],
};

for (const name of wanted.length === 0 ? Object.keys(generators) : wanted) {
  const generator = generators[name];
  if (generator === undefined) throw new Error(`${name} is not one of ${Object.keys(generators).join(', ')}.`);
  const output = join(resolve(folder), name);
  mkdirSync(output, { recursive: true });
  const [program, ...args] = generator(output);
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [join(bin, program), ...args], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  if (error !== undefined || status !== 0) {
    console.error(`${name} failed:\n${stdout}\n${stderr}`);
    process.exit(1);
  }
}
