import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPackage, npm, type Project } from './support/packed.ts';

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
  const frameworks = join(root, 'examples/test/frameworks/node_modules');
  for (const name of ['@types', 'electron', 'express', 'fastify', 'hono', 'react', 'undici-types']) {
    await symlink(join(frameworks, name), join(project.folder, 'node_modules', name));
  }
  manifest = JSON.parse(await readFile(join(project.installed, 'package.json'), 'utf8'));
});

afterAll(() => rm(project.folder, { recursive: true, force: true }));

const textOf = (file: string) => readFile(join(project.installed, file), 'utf8');

test('`npm pack` in the folder of the package packs the same files, and leaves none behind', async () => {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  const { stdout } = await npm(folder, 'pack', '--json', '--pack-destination', project.folder);
  // npm 11 returns a list, and later versions an object by the name of the package.
  const [packed] = Object.values<{ files: { path: string }[] }>(JSON.parse(stdout));
  expect(packed?.files.map(({ path }) => path).sort()).toEqual(project.files);
  expect(existsSync(join(folder, 'dist'))).toBe(false);
});

describe('the packed package', () => {
  test('contains the compiled files, the licence and the README, and nothing else', () => {
    const others = project.files.filter((file) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(file));
    expect(others).toEqual(['LICENSE', 'README.md', 'dist/cjs/package.json', 'package.json']);
  });

  test('has no dependencies, no install scripts, and no side effects except those of the preload script', () => {
    expect(manifest).toMatchObject({ type: 'module', license: 'MIT', engines: { node: '>=20' } });
    expect(manifest).toMatchObject({ sideEffects: ['./dist/cjs/electron/preload.js'] });
    // npm asks a registry even for a peer that is optional, and waits for minutes where there is none.
    for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies', 'scripts'])
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

  test('the preload script of Electron loads nothing but electron, as a sandbox demands', async () => {
    const text = await textOf('dist/cjs/electron/preload.js');
    expect([...text.matchAll(/\b(?:require\(|import\b).*/g)].map(String)).toEqual(['require("electron");']);
  });

  test('imports only its own files; Node only under ./node, React under ./react, Electron under ./electron', async () => {
    for (const file of project.files.filter((name) => /^dist\/.*\.(js|ts)$/.test(name))) {
      const imported = importsOf(file, await textOf(file));
      expect(
        imported.filter((target) => !project.files.includes(target)),
        file,
      ).toEqual([]);
    }
  });
});

/** The other modules that a folder may import. */
const allowed: Readonly<Record<string, RegExp>> = { node: /^node:/, react: /^react$/, electron: /^electron$/ };

/** Returns the paths in the tarball that a file imports. Modules that it may import besides are left out. */
function importsOf(file: string, text: string): string[] {
  const imports = text.matchAll(/^(?:(?:import|export)\b[^'"]*?from |.*\brequire\()"([^"]+)"/gm);
  const names = [...imports].map(([, name = '']) => name);
  const [, folder = ''] = /^dist\/(?:cjs\/)?(\w+)\//.exec(file) ?? [];
  const targets = names.filter((name) => !allowed[folder]?.test(name)).map((name) => join(dirname(file), name));
  return file.endsWith('.d.ts') ? targets.map((target) => target.replace(/\.js$/, '.d.ts')) : targets;
}

test('require() gives a program in CommonJS the same names, without Node loading an ES module for it', async () => {
  const program = `
    const names = ['', '/node', '/react', '/electron', '/webhooks'].map((name) => '@licensing/sdk' + name);
    const required = names.map((name) => require(name));
    const [sdk, node] = required;
    const client = new sdk.LicensingClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'vx_1', maxRetries: 0 });
    client.validate('key').catch(async (error) => {
      const modules = await Promise.all(names.map((name) => import(name)));
      const isSame = modules.every((module, index) => Object.keys(module)
        .filter((name) => !['default', 'module.exports', '__esModule'].includes(name))
        .every((name) => typeof module[name] === typeof required[index][name]));
      console.log(error instanceof sdk.LicensingError, error.code, isSame, typeof node.fileStore);
    });`;
  await writeFile(join(project.folder, 'program.cjs'), program);
  // Node 20.11 has no require() of ES modules.
  const args = ['--no-experimental-require-module', 'program.cjs'];
  const { stdout } = await run(process.execPath, args, { cwd: project.folder });
  expect(stdout.trim()).toBe('true NETWORK.UNREACHABLE true function');
});

test('every TypeScript snippet of its README compiles, with the types of the real frameworks', async () => {
  const given: Readonly<Record<string, string>> = {
    licenseKey: 'string',
    certificate: 'string',
    tenantId: 'string',
    jwks: "import('@licensing/sdk').Jwks",
    guard: "import('@licensing/sdk').LicenseGuard",
    expressApp: "import('express').Express",
    fastifyApp: "import('fastify').FastifyInstance",
    honoApp: "import('hono').Hono",
  };
  const snippets = [...(await textOf('README.md')).matchAll(/^```(tsx?)\n(.*?)^```/gms)];
  expect(snippets.length).toBeGreaterThan(8);
  const files = snippets.map(async ([, ending = '', code = ''], index) => {
    const missing = Object.entries(given).filter(
      ([name]) => !new RegExp(`const ${name}\\b|\\{ ${name} \\}:`).test(code),
    );
    const declarations = missing.map(([name, type]) => `declare const ${name}: ${type};`);
    const file = `snippet-${index}.${ending}`;
    await writeFile(join(project.folder, file), [...declarations, code, 'export {};'].join('\n'));
    return file;
  });
  const options = { moduleResolution: 'bundler', lib: ['dom', 'dom.iterable', 'es2023'], types: ['node'] };
  // The declarations of the frameworks are their own business.
  const more = { jsx: 'react-jsx', skipLibCheck: true };
  expect(await compile({ ...options, files: await Promise.all(files), more })).toBe('');
});

/** Compiles files of the project and returns the errors. */
async function compile(options: {
  readonly moduleResolution: string;
  readonly lib: readonly string[];
  readonly types: readonly string[];
  readonly files: readonly string[];
  readonly more?: Readonly<Record<string, string | boolean>>;
}): Promise<string> {
  const { files, moduleResolution, lib, types, more } = options;
  const module = moduleResolution === 'bundler' ? 'esnext' : 'node16';
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    noEmit: true,
    module,
    moduleResolution,
    lib,
    types,
    ...more,
  };
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
    // @ts-expect-error A fingerprint or components are required.
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
    expect(await compile({ moduleResolution, lib, types, files: ['application.ts'] })).toBe('');
  });
});
