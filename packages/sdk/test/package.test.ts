import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPackage, type Project } from './support/packed.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
let project: Project;
/** A target of `exports`: a path, or one for each condition. */
type Target = string | { readonly [condition: string]: Target };
let manifest: {
  readonly main: string;
  readonly module: string;
  readonly types: string;
  readonly exports: Readonly<Record<string, Target>>;
};

beforeAll(async () => {
  project = await installPackage();
  manifest = JSON.parse(await readFile(join(project.installed, 'package.json'), 'utf8'));
});

afterAll(() => rm(project.folder, { recursive: true, force: true }));

const textOf = (file: string) => readFile(join(project.installed, file), 'utf8');

describe('the packed package', () => {
  test('contains the compiled files, the licence and the README, and nothing else', () => {
    const others = project.files.filter((file) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(file));
    expect(others).toEqual(['LICENSE', 'README.md', 'dist/cjs/package.json', 'package.json']);
  });

  test('has no dependencies, no install scripts and no side effects', () => {
    expect(manifest).toMatchObject({ type: 'module', sideEffects: false, license: 'MIT', engines: { node: '>=20' } });
    for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies', 'scripts'])
      expect(manifest).not.toHaveProperty(field);
  });

  test('exports only files that it contains', () => {
    const targetsOf = (target: Target): string[] =>
      typeof target === 'string' ? [target] : Object.values(target).flatMap(targetsOf);
    const { main, module, types, exports } = manifest;
    const targets = targetsOf({ main, module, types, ...exports });
    expect(targets.map((target) => target.replace('./', '')).filter((file) => !project.files.includes(file))).toEqual(
      [],
    );
  });

  test('names no path of this machine and no registry', async () => {
    for (const file of project.files) {
      const text = await textOf(file);
      expect(text, file).not.toContain(root);
      expect(text, file).not.toMatch(/registry\.|sourceMappingURL/);
    }
  });

  test('imports only its own files, and Node only under ./node', async () => {
    for (const file of project.files.filter((name) => /^dist\/.*\.(js|ts)$/.test(name))) {
      const imported = importsOf(file, await textOf(file));
      expect(
        imported.filter((target) => !project.files.includes(target)),
        file,
      ).toEqual([]);
    }
  });
});

/** Returns the paths in the tarball that a file imports. Modules of Node are left out where they are allowed. */
function importsOf(file: string, text: string): string[] {
  const imports = text.matchAll(/^(?:(?:import|export)\b[^'"]*?from |.*\brequire\()"([^"]+)"/gm);
  const names = [...imports].map(([, name = '']) => name);
  const isOfNode = /^dist\/(cjs\/)?node\//.test(file);
  const targets = names
    .filter((name) => !(isOfNode && name.startsWith('node:')))
    .map((name) => join(dirname(file), name));
  return file.endsWith('.d.ts') ? targets.map((target) => target.replace(/\.js$/, '.d.ts')) : targets;
}

test('require() gives a program in CommonJS the same names, without Node loading an ES module for it', async () => {
  const program = `
    const [sdk, node] = [require('@licensing/sdk'), require('@licensing/sdk/node')];
    const client = new sdk.LicensingClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'vx_1', maxRetries: 0 });
    client.validate('key').catch(async (error) => {
      const modules = [await import('@licensing/sdk'), await import('@licensing/sdk/node')];
      const isSame = modules.every((module, index) => Object.keys(module)
        .filter((name) => !['default', 'module.exports', '__esModule'].includes(name))
        .every((name) => typeof module[name] === typeof [sdk, node][index][name]));
      console.log(error instanceof sdk.LicensingError, error.code, isSame, typeof node.fileStore);
    });`;
  await writeFile(join(project.folder, 'program.cjs'), program);
  // Node 20.11 has no require() of ES modules.
  const args = ['--no-experimental-require-module', 'program.cjs'];
  const { stdout } = await run(process.execPath, args, { cwd: project.folder });
  expect(stdout.trim()).toBe('true NETWORK.UNREACHABLE true function');
});

test('every TypeScript snippet of its README compiles', async () => {
  const given = `export {};
    declare const licenseKey: string, certificate: string, tenantId: string;
    declare const jwks: import('@licensing/sdk').Jwks;`;
  const snippets = [...(await textOf('README.md')).matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);
  expect(snippets.length).toBeGreaterThan(5);
  const files = snippets.map((_code, index) => `snippet-${index}.ts`);
  await Promise.all(files.map((file, index) => writeFile(join(project.folder, file), `${given}\n${snippets[index]}`)));
  expect(await compile({ moduleResolution: 'bundler', lib: ['dom', 'es2023'], types: [], files })).toBe('');
});

/** Compiles files of the project and returns the errors. */
async function compile(options: {
  readonly moduleResolution: string;
  readonly lib: readonly string[];
  readonly types: readonly string[];
  readonly files: readonly string[];
}): Promise<string> {
  const { files, moduleResolution, lib, types } = options;
  const module = moduleResolution === 'bundler' ? 'esnext' : 'node16';
  const compilerOptions = { strict: true, target: 'es2022', noEmit: true, module, moduleResolution, lib, types };
  const config = join(project.folder, 'tsconfig.json');
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  const { stdout } = await run(process.execPath, [compiler, '-p', config]).catch((error: { stdout: string }) => error);
  return stdout;
}

describe('its types', () => {
  const application = `
    import { LicensingClient, LicensingError, ManagementClient, verifyCertificate, type Verdict } from '@licensing/sdk';
    const client = new LicensingClient({ baseUrl: 'https://licensing.example.com', apiKey: 'vx_1', fetch, signal: AbortSignal.timeout(9) });
    const verdict: Verdict = await client.validate('key', { product: 'editor', versionReleasedAt: new Date() });
    const seats: number | null | undefined = verdict.license?.maxActivations;
    // @ts-expect-error The fields are in camelCase.
    verdict.license?.max_activations;
    // @ts-expect-error A fingerprint is required.
    await client.activate('key', {});
    const management = new ManagementClient({ baseUrl: 'https://licensing.example.com', accessToken: 'service_1' });
    for await (const license of management.licenses.list({ status: 'active' })) license.holder.email?.toUpperCase();
    const stream: ReadableStream<Uint8Array> = await management.licenses.export({ format: 'csv' });
    const { claims } = await verifyCertificate('token', { jwks: { keys: [] }, issuer: 'i', audience: 'a' });
    const end: number | undefined = claims?.exp;
    export const isOurs = (error: unknown) => error instanceof LicensingError && error.code;
    export { end, seats, stream };
  `;

  test.each([
    ['node16', ['dom', 'es2022'], []],
    ['bundler', ['dom', 'es2022'], []],
    ['node16', ['es2022'], ['node']],
  ])('are found with moduleResolution %s, lib %j and types %j', async (moduleResolution, lib, types) => {
    await writeFile(join(project.folder, 'application.ts'), application);
    if (types.length > 0) {
      for (const name of ['@types/node', 'undici-types']) {
        await cp(join(root, 'node_modules', name), join(project.folder, 'node_modules', name), { recursive: true });
      }
    }
    expect(await compile({ moduleResolution, lib, types, files: ['application.ts'] })).toBe('');
  });
});
