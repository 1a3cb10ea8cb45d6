import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPackage, type Project } from './support/packed.ts';

const run = promisify(execFile);
const compiler = createRequire(new URL('./runtimes/package.json', import.meta.url)).resolve('typescript/bin/tsc');
let project: Project;

/** Uses all entries. What a compiler does not find would be `any`, so a mistake must be an error. */
const application = `
  import { LicensingClient, LicensingError, type License, type Verdict } from '@licensing/sdk';
  import { exposeLicense, rendererLicense } from '@licensing/sdk/electron';
  import { fileStore, machineFingerprint } from '@licensing/sdk/node';
  import { useLicense } from '@licensing/sdk/react';
  import { expressWebhook, webhookHandler } from '@licensing/sdk/webhooks';
  const client = new LicensingClient({ baseUrl: 'https://licensing.example.com', apiKey: 'vx_1' });
  export const verdict: Promise<Verdict> = client.validate('key', { product: 'editor' });
  export const fingerprint: Promise<string> = machineFingerprint({ product: 'editor' });
  // @ts-expect-error There is no such method.
  client.nothing();
  // @ts-expect-error A store has a path.
  fileStore();
  export const mayExport: boolean = useLicense(rendererLicense()).has('export');
  export const POST: (request: Request) => Promise<Response> = webhookHandler({ secret: 'whsec_', onEvent: ({ id }) => id });
  // @ts-expect-error A guard is missing.
  exposeLicense({ origins: [] });
  // @ts-expect-error A secret is missing.
  expressWebhook({ onEvent() {} });
  // @ts-expect-error A guard is missing.
  useLicense();
  export { LicensingError, type License };
`;

beforeAll(async () => {
  project = await installPackage();
});

afterAll(() => rm(project.folder, { recursive: true, force: true }));

test.each([
  ['a CommonJS program with the resolution node10', 'application.cts', 'commonjs', 'node10'],
  ['a CommonJS program with the resolution node16', 'application.cts', 'node16', 'node16'],
  ['an ES module with the resolution node16', 'application.mts', 'node16', 'node16'],
  ['an ES module with the resolution bundler', 'application.mts', 'esnext', 'bundler'],
])('TypeScript 5.0 finds the types of all entries for %s', async (_name, file, module, moduleResolution) => {
  await writeFile(join(project.folder, file), application);
  const compilerOptions = { strict: true, target: 'es2022', noEmit: true, module, moduleResolution };
  const config = join(project.folder, 'tsconfig.json');
  const lib = { lib: ['dom', 'es2022'], types: [] };
  await writeFile(config, JSON.stringify({ compilerOptions: { ...compilerOptions, ...lib }, files: [file] }));
  const { stdout } = await run(process.execPath, [compiler, '-p', config]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});
