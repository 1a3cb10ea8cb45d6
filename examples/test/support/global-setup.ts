import { chmod, cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startService } from '../../../packages/guides/test/support/service.ts';
import { createWorld } from '../../../packages/guides/test/support/world.ts';
import { ManagementClient } from '../../../packages/sdk/src/index.ts';
import { installPackage } from '../../../packages/sdk/test/support/packed.ts';

/** What the suites share: one service with one vendor, and a folder with the examples and what they depend on. */
export interface Shared {
  /** The folder of the copies. */
  readonly folder: string;
  readonly serviceUrl: string;
  readonly tenantId: string;
  readonly apiKey: string;
  readonly accessToken: string;
  /** The ids of the vendor's products, by code. */
  readonly products: Readonly<Record<string, string>>;
  /** The port of the page in the browser, whose origin the service must know when it starts. */
  readonly pagePort: number;
}

declare module 'vitest' {
  interface ProvidedContext {
    examples: Shared;
  }
}

/** The names of the examples, which are also their folders. */
export const examples = [
  ...['cli', 'desktop', 'express', 'fastify', 'browser', 'react', 'webhooks', 'shop-webhook'],
] as const;

/** What every certificate and verdict names as its issuer. The examples reach the service at other addresses. */
export const issuer = 'https://licensing.example.com';
const root = resolve(import.meta.dirname, '../..');
const frameworks = join(root, 'test/frameworks/node_modules');

/** Starts the service and installs the examples. Vitest calls this function once, and the returned one at the end. */
export default async function setUpExamples(project: TestProject): Promise<() => Promise<void>> {
  const pagePort = await freePort();
  const service = await startService({ PUBLIC_URL: issuer });
  const folder = await installExamples();
  const world = await createWorld(service, 'Examples');
  const variable = async (name: string) => (await world.variable(name)) ?? '';
  const accessToken = await variable('LICENSING_TOKEN');
  const management = new ManagementClient({ baseUrl: service.url, accessToken });
  const scopes = [
    'licenses:validate',
    'activations:write',
    'entitlements:check',
    'usage:write',
    'trials:create',
  ] as const;
  project.provide('examples', {
    folder,
    serviceUrl: service.url,
    tenantId: await variable('LICENSING_TENANT_ID'),
    apiKey: (await management.apiKeys.create({ name: 'Examples', scopes: [...scopes] })).key ?? '',
    accessToken,
    products: await createCatalog(management),
    pagePort,
  });
  return async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Installs the packed SDK once, links the frameworks beside it, and copies the examples. */
async function installExamples(): Promise<string> {
  const { folder } = await installPackage();
  for (const name of [
    ...['express', 'fastify', 'hono', '@hono', 'react', 'react-dom', 'electron', '@types', 'undici-types'],
  ]) {
    await symlink(join(frameworks, name), join(folder, 'node_modules', name));
  }
  for (const name of examples) await cp(join(root, name), join(folder, name), { recursive: true });
  await mkdir(join(folder, 'bin'));
  const electron = join(folder, 'bin/electron');
  const standIn = join(import.meta.dirname, 'electron/register.mjs');
  await writeFile(electron, `#!/bin/sh\nexec "${process.execPath}" --import "${standIn}" main.js\n`);
  await chmod(electron, 0o755);
  await symlink(process.execPath, join(folder, 'bin/node'));
  // The dashboard is built with it too.
  await symlink(resolve(root, '../node_modules/vite/bin/vite.js'), join(folder, 'bin/vite'));
  return folder;
}

async function createCatalog(management: ManagementClient): Promise<Record<string, string>> {
  for (const code of ['export', 'preview', 'render']) {
    await management.entitlements.create({ code, name: code, type: 'boolean' });
  }
  const products: Record<string, string> = {};
  for (const code of ['editor', 'viewer']) {
    products[code] = (await management.products.create({ code, name: code })).id;
  }
  return products;
}

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
