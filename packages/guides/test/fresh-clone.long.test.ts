import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { guidePages } from './support/pages.ts';
import { Reader } from './support/reader.ts';
import { repositoryRoot, type Service, startService } from './support/service.ts';
import { TypeScriptOfReaders } from './support/types.ts';
import { demoWorld, type World } from './support/world.ts';

// The commands of a reader's machine, without what this repository has installed.
const machinePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((entry) => !entry.includes('node_modules'))
  .join(delimiter);
const home = process.env['HOME'] ?? '/';
const parent = mkdtempSync(join(tmpdir(), 'licensing-clone-'));
const clone = join(parent, 'clone');

/** Runs `npm start` in the clone. The first time it installs and builds everything that it needs. */
function npmStart(): Promise<Service> {
  return startService(
    { PATH: machinePath, HOME: home },
    { command: ['npm', 'start'], folder: clone, startsWithinMs: 900_000 },
  );
}

/** The service that the tests share once the clone has what it needs. */
let started: Promise<Service> | undefined;

function startedService(): Promise<Service> {
  started ??= npmStart();
  return started;
}

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', repositoryRoot, clone]);
});

afterAll(async () => {
  await started?.then(
    (service) => service.stop(),
    () => undefined,
  );
  rmSync(parent, { recursive: true, force: true });
});

/** Follows a page as a reader whose machine has Node and npm. */
async function follow(
  path: string,
  reads: { readonly world: World | null; readonly startOwn?: () => Promise<Service> },
) {
  const page = guidePages().find((one) => one.path === path);
  if (page === undefined) throw new Error(`The page ${path} is missing.`);
  // The page asks for Node 22.18 or later, which the machine of the tests need not have.
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${machinePath}`, NO_COLOR: '1', TMPDIR: parent };
  const types = new TypeScriptOfReaders();
  const reader = new Reader(page, 'TypeScript', { tools: { env, remove: () => undefined }, types, ...reads });
  try {
    await reader.follow();
    expect(types.errors()).toBe('');
  } finally {
    await reader.close();
    types.remove();
  }
}

test('a fresh clone with npm start alone serves what the quickstart needs, with npm itself', async () => {
  await follow('run-the-service.md', { world: null, startOwn: npmStart });
  await follow('quickstart.md', { world: demoWorld(await startedService()) });
  expect(existsSync(join(clone, 'node_modules', 'typescript')), 'no tools of development').toBe(false);
}, 1_800_000);

test('pip installs the wheel that a fresh clone serves, and the package reaches the service', async () => {
  const service = await startedService();
  const python = join(parent, 'venv', 'bin', 'python');
  // `cryptography` comes from the system, because the machine of the tests may have no registry of Python.
  execFileSync('/usr/bin/python3', ['-m', 'venv', '--system-site-packages', join(parent, 'venv')]);
  const wheel = `${service.url}/docs/downloads/licensing_sdk-1.4.0-py3-none-any.whl`;
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--no-cache-dir', '--disable-pip-version-check', wheel]);
  const program = `import sys; from licensing_sdk import LicensingClient, __file__ as place
client = LicensingClient(base_url=sys.argv[1], api_key=sys.argv[2])
print(place.startswith(sys.prefix), client.validate(sys.argv[3])["code"])`;
  const { apiKey, tenant } = service.demo;
  const printed = execFileSync(python, ['-c', program, service.url, apiKey, tenant.licenseKey], { cwd: parent });
  expect(String(printed).trim()).toBe('True LICENSE.VALID');
}, 1_800_000);
