import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { licensing } from '../commands/licensing.ts';
import { makeParty, type Party } from '../crash/evidence.ts';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { createSite, startApp, stopApp } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';
import { loopbackWebhooks, useReceiver } from '../support/webhook-receiver.ts';
import { Load, rounds, seed } from './load.ts';

const receiver = useReceiver();
const responsesPerStep = 15;

/** A way to make the operating system reject the writes of SQLite. */
interface Refusal {
  readonly how: string;
  /** The mounts that this process must be allowed: none, in memory, or of a file system in a file. */
  readonly mounts: 'nothing' | 'memory' | 'file';
  /** True if the disk refuses every write, and not only those to the databases. */
  readonly isOfDisk: boolean;
  /** Returns the data directory. */
  prepare(): string;
  begin(dataDir: string, processId: number): void;
  end(dataDir: string, processId: number): void;
}

const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { stdio: 'pipe' });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-storage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The data of every round must fit beside the file that fills the disk. */
const smallDisk = `${24 + 2 * rounds}M`;

/** Mounts a small ext4 file system, stored in the file `image`, on a folder. Throws without loop devices. */
function mountExt4(folder: string, image: string): void {
  run('truncate', '-s', smallDisk, image);
  run('mkfs.ext4', '-q', image);
  run('mount', '-o', 'loop', image, folder);
}

function prepareExt4(): string {
  const folder = temporaryFolder();
  mountExt4(folder, `${temporaryFolder()}/image`);
  onTestFinished(() => void run('umount', folder));
  return folder;
}

/** Returns a folder on a small file system: ext4, or tmpfs of the same size without loop devices. */
function prepareSmall(): string {
  if (canMount('file')) return prepareExt4();
  const folder = temporaryFolder();
  run('mount', '-t', 'tmpfs', '-o', `size=${smallDisk}`, 'tmpfs', folder);
  onTestFinished(() => void run('umount', folder));
  return folder;
}

const ballastOf = (dataDir: string) => join(dataDir, 'ballast');

/** Fills the disk to the last byte. */
function fill(file: string): void {
  for (const size of [1 << 20, 1 << 16, 1 << 12, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

const databaseFiles = (dataDir: string) =>
  (readdirSync(dataDir, { recursive: true }) as string[])
    // Without `-shm`: SQLite maps the WAL index into memory, where a failed write would kill the process.
    .filter((name) => /\.db(-wal)?$/.test(name))
    .map((name) => join(dataDir, name));

const refusals: readonly Refusal[] = [
  {
    how: 'a small disk is full',
    mounts: 'memory',
    isOfDisk: true,
    prepare: prepareSmall,
    begin: (dataDir) => fill(ballastOf(dataDir)),
    end: (dataDir) => rmSync(ballastOf(dataDir)),
  },
  {
    how: 'no file may grow (RLIMIT_FSIZE)',
    mounts: 'nothing',
    isOfDisk: true,
    prepare: temporaryFolder,
    begin: (_dataDir, processId) => void run('prlimit', `--pid=${processId}`, '--fsize=0:'),
    end: (_dataDir, processId) => void run('prlimit', `--pid=${processId}`, '--fsize=unlimited:'),
  },
  {
    // On ext4 this also affects processes that have the file open; on tmpfs it would not.
    how: 'files are immutable',
    mounts: 'file',
    isOfDisk: false,
    prepare: prepareExt4,
    begin: (dataDir) => void run('chattr', '+i', ...databaseFiles(dataDir)),
    end: (dataDir) => void run('chattr', '-i', ...databaseFiles(dataDir)),
  },
];

/** Mounting needs privileges that containers rarely have. A process limit can be set everywhere. */
function canMount(what: Refusal['mounts']): boolean {
  if (what === 'nothing') return true;
  const probe = mkdtempSync(join(tmpdir(), 'licensing-probe-'));
  const folder = join(probe, 'folder');
  mkdirSync(folder);
  try {
    if (what === 'file') mountExt4(folder, join(probe, 'image'));
    else run('mount', '-t', 'tmpfs', 'tmpfs', folder);
    run('umount', folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

interface Scene {
  readonly service: KillableService;
  readonly parties: readonly Party[];
  readonly reader: TestTenant;
  readonly license: { readonly id: string; readonly key: string };
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** The lines of the log of the service. */
  // biome-ignore lint/suspicious/noExplicitAny: any line.
  readonly log: () => any[];
}

async function begin({ prepare }: Refusal): Promise<Scene> {
  const dataDir = prepare();
  const site = await createSite();
  onTestFinished(() => site.remove());
  const env = { ...site.env, ...loopbackWebhooks, DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
  const app = await startApp({ ...site, dataDir, env });
  const admin = await createAdmin(app);
  const parties: Party[] = [];
  for (let index = 0; index < 2; index += 1) {
    parties.push(await makeParty(await createTenant(app, admin, `Tenant ${index}`), receiver));
  }
  const reader = await createTenant(app, admin, 'Reader');
  const license = await newLicense(reader);
  await stopApp(app);
  let text = '';
  const service = await startKillable(env, 0, {
    onLog(more) {
      text += more;
    },
  });
  const log = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { service, parties, reader, license, dataDir, env, log };
}

/** Expects reads to succeed while writes fail, and the readiness to say whether the disk does. */
async function expectReads({ service: { address }, reader, license }: Scene, ready: object): Promise<void> {
  const answer = async (path: string, init: RequestInit) => {
    const response = await fetch(address + path, init);
    return { status: response.status, body: (await response.json()) as { data: object } };
  };
  const verdict = await answer(`/api/v1/integration/licenses/${license.key}/validate`, {
    method: 'POST',
    headers: { 'x-api-key': reader.apiKey },
  });
  expect(verdict).toMatchObject({ status: 200, body: { data: { valid: true } } });
  const listed = await answer('/api/v1/tenant/licenses', { headers: reader.owner.auth });
  expect(listed).toMatchObject({ status: 200, body: { data: [{ id: license.id }] } });
  expect((await answer('/health', {})).status).toBe(200);
  await expect.poll(() => answer('/health/ready', {})).toMatchObject({ status: 200, body: { data: ready } });
}

/** Expects one line of level 50 when each of the `outages` of the disk began, one when it ended, and no other failure. */
async function expectTwoLinesPerOutage({ log: lines }: Scene, outages: number): Promise<void> {
  const ended = () => lines().filter(({ msg }) => msg.startsWith('an outage ended'));
  await expect.poll(() => ended().length).toBe(outages);
  const began = lines().filter(({ level }) => level === 50);
  expect(began.map(({ msg }) => msg)).toEqual(Array(outages).fill(expect.stringContaining('The data directory')));
  for (const { store, count } of ended()) expect([store, count > responsesPerStep]).toEqual(['DATA_DIR', true]);
  const others = lines().filter(({ err, level }) => err !== undefined && level !== 50);
  expect(others.slice(2 * outages)).toEqual([]);
}

describe.each(refusals)(`while $how (FAULT_SEED=${seed})`, (refusal) => {
  test.runIf(canMount(refusal.mounts))(
    `while ${refusal.how}, writes get 503, reads succeed and the log has two lines, and no acknowledged change is lost`,
    {
      timeout: 120_000 + rounds * 30_000,
    },
    async () => {
      const scene = await begin(refusal);
      const { service, parties, dataDir, env } = scene;
      const load = new Load(parties, () => service.address);
      await expectReads(scene, { status: 'ok' });
      for (let round = 0; round < rounds; round += 1) {
        await load.served(responsesPerStep);
        refusal.begin(dataDir, service.processId);
        onTestFinished(() => {
          try {
            refusal.end(dataDir, service.processId);
          } catch {
            // The test already ended the fault.
          }
        });
        const before = load.unavailable;
        await expect.poll(() => load.unavailable).toBeGreaterThan(before + responsesPerStep);
        // The time of the last use of a login, which is stored now and then, is due again.
        service.passTenMinutes();
        await expectReads(scene, refusal.isOfDisk ? { status: 'degraded', failing: 'disk' } : { status: 'ok' });
        refusal.end(dataDir, service.processId);
        await load.served(responsesPerStep);
      }
      await load.expectNothingLost(service.address, receiver, { jump: () => service.passTenMinutes() });
      await expectReads(scene, { status: 'ok' });
      if (refusal.isOfDisk) await expectTwoLinesPerOutage(scene, rounds);
      const { stdout } = await licensing(['doctor'], env);
      expect(stdout).toContain('3 of 3 tenant databases open and have the current schema');
      expect(stdout).not.toContain('damaged');
    },
  );
});
