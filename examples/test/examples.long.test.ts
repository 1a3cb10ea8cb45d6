import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, test } from 'vitest';
import { examples } from './support/global-setup.ts';

const root = resolve(import.meta.dirname, '..');
const maxLines = 150;

/** Returns the texts of an example's files with an ending, without what a start of it leaves there. */
async function textsOf(example: string, ending: RegExp): Promise<string[]> {
  const files = (await readdir(join(root, example))).filter((name) => ending.test(name));
  return await Promise.all(files.map((name) => readFile(join(root, example, name), 'utf8')));
}

describe.each(examples)('%s', (example) => {
  test(`has fewer than ${maxLines} lines of code, blank lines aside`, async () => {
    const lines = (await textsOf(example, /\.(jsx?|html)$/)).flatMap((text) => text.split('\n'));
    expect(lines.filter((line) => line.trim() !== '').length).toBeLessThan(maxLines);
  });

  test('explains its one command and every environment variable that it reads', async () => {
    const code = (await textsOf(example, /\.jsx?$/)).join('\n');
    const [readme = ''] = await textsOf(example, /^README\.md$/);
    const read = [...code.matchAll(/process\.env\['(\w+)'\]|process\.env\.(\w+)|required\('(\w+)'\)/g)];
    const taken = [...code.matchAll(/const \{([^}]*)\} = process\.env/g)].flatMap(([, names = '']) => names.split(','));
    const names = [...read.map((match) => match[1] ?? match[2] ?? match[3] ?? ''), ...taken.map((name) => name.trim())];
    for (const name of names.map((text) => text.split(/[ :=]/)[0] ?? '')) expect(readme).toContain(`\`${name}\``);
    expect(names.length).toBeGreaterThan(0);
    expect(readme).toMatch(/npm install && (\w+=\S+ )?npm start/);
  });

  test('depends on the published SDK and is no package of this repository', async () => {
    const { private: isPrivate, dependencies } = JSON.parse((await textsOf(example, /^package\.json$/))[0] ?? '');
    expect(isPrivate).toBe(true);
    expect(dependencies['@licensing/sdk']).toMatch(/^\^\d/);
  });
});

test('the types of all examples are right, with the strict compiler, the packed SDK and the real frameworks', async () => {
  const { folder } = inject('examples');
  const typed = join(folder, 'typed');
  await mkdir(typed);
  const key = { kty: 'OKP', crv: 'Ed25519', kid: 'kid', x: 'x', alg: 'EdDSA', use: 'sig' };
  const vendor = { baseUrl: '', apiKey: '', issuer: '', audience: '', jwks: { keys: [key] } };
  for (const example of examples) {
    await cp(join(root, example), join(typed, example), { recursive: true });
    await writeFile(join(typed, example, 'vendor.json'), JSON.stringify(vendor));
  }
  const compilerOptions = {
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    jsx: 'react-jsx',
    noUncheckedIndexedAccess: true,
    target: 'esnext',
    module: 'nodenext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: ['node'],
    typeRoots: [join(folder, 'node_modules/@types')],
    resolveJsonModule: true,
    skipLibCheck: true,
  };
  await writeFile(
    join(typed, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*/*.js', '*/*.jsx', '*/app/**/*.js'] }),
  );
  const compiler = resolve(root, '../node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', typed]).catch((error) => error);
  expect(stdout).toBe('');
});
