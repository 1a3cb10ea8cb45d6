import { closeSync, copyFileSync, openSync, renameSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { licensing } from '../commands/licensing.ts';
import { createAdmin, createTenant, type TestTenant } from '../support/accounts.ts';
import { type Answer, createSite, startApp, stopApp, type TestApp } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';

interface Party {
  readonly name: string;
  readonly tenant: TestTenant;
  readonly file: string;
  readonly license: { readonly id: string; readonly key: string };
}

interface Damage {
  readonly what: string;
  /** Damages a tenant's file; `other` is the file of another tenant. */
  readonly to: (file: string, other: string) => unknown;
  /** Matches the finding of "doctor". */
  readonly doctor: RegExp;
}

function overwrite(file: string, from: number, length: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(length, 0x5a), 0, length, from);
  closeSync(descriptor);
}

const notADatabase = /is not a database/;
const damaged = /is damaged/;
const belongsToAnother = /belongs to tenant/;
const cannotBeOpened = /cannot be opened/;

const damages: readonly Damage[] = [
  { what: 'an overwritten header', to: (file) => overwrite(file, 0, 100), doctor: notADatabase },
  { what: 'overwritten pages', to: (file) => overwrite(file, 4096, statSync(file).size - 4096), doctor: damaged },
  { what: 'its second half cut off', to: (file) => truncateSync(file, statSync(file).size / 2), doctor: damaged },
  { what: 'no content', to: (file) => truncateSync(file, 0), doctor: /belongs to no tenant/ },
  { what: "another tenant's content", to: (file, other) => copyFileSync(other, file), doctor: belongsToAnother },
  {
    what: "another tenant's file in its place",
    to(file, other) {
      copyFileSync(other, `${file}.new`);
      renameSync(`${file}.new`, file);
    },
    doctor: belongsToAnother,
  },
  { what: 'no file', to: (file) => rmSync(file), doctor: cannotBeOpened },
  {
    what: 'a folder in its place',
    async to(file) {
      rmSync(file);
      await mkdir(file);
    },
    doctor: cannotBeOpened,
  },
];

/** Checkpoints the WAL into the file, so that reads use the file. */
function emptyLog(file: string): void {
  const database = new DatabaseSync(file);
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  database.close();
}

async function prepare(app: TestApp): Promise<{ bystander: Party; parties: Map<string, Party> }> {
  const admin = await createAdmin(app);
  const make = async (name: string): Promise<Party> => {
    const tenant = await createTenant(app, admin, name);
    const file = join(app.config.dataDir, 'tenants', tenant.id.slice(-2), `${tenant.id}.db`);
    return { name, tenant, file, license: await newLicense(tenant, { max_activations: 2 }) };
  };
  const bystander = await make('bystander');
  const parties = new Map<string, Party>();
  for (const { what } of damages) parties.set(what, await make(what));
  return { bystander, parties };
}

const validate = ({ tenant, license }: Party) => tenant.asApplication(`/licenses/${license.key}/validate`);
const activate = ({ tenant, license }: Party) =>
  tenant.asApplication(`/licenses/${license.key}/activations`, { fingerprint: 'one' });
const read = ({ tenant, license }: Party) => tenant.asOwner('GET', `/licenses/${license.id}`);

const summaryOf = ({ status, body, headers }: Answer) => [status, body.error?.code, headers['retry-after']];
const unavailable = [503, 'SERVICE.UNAVAILABLE', '1'];

async function expectToWork(party: Party): Promise<void> {
  expect((await validate(party)).body.data, party.name).toMatchObject({ valid: true });
  expect((await read(party)).body.data, party.name).toMatchObject({ id: party.license.id });
}

describe.each([
  { state: 'open', poolSize: '500' },
  { state: 'closed', poolSize: '1' },
])('a tenant whose file is damaged while it is $state', ({ state, poolSize }) => {
  test(`a tenant whose file is damaged while it is ${state} gets 503, is reported, affects no other, and recovers`, async () => {
    const site = await createSite();
    onTestFinished(() => site.remove());
    const copies = await mkdtemp(join(tmpdir(), 'licensing-copies-'));
    onTestFinished(() => rm(copies, { recursive: true }));
    const app = await startApp(site, { TENANT_POOL_SIZE: poolSize });
    const { bystander, parties } = await prepare(app);

    for (const { what, to } of damages) {
      const party = parties.get(what) as Party;
      await expectToWork(party);
      if (state === 'closed') await expectToWork(bystander);
      await app.services.validationTimes.flush();
      emptyLog(party.file);
      emptyLog(bystander.file);
      copyFileSync(party.file, join(copies, party.tenant.id));
      await to(party.file, bystander.file);
    }

    for (const { what } of damages) {
      const party = parties.get(what) as Party;
      // A read may use cached pages of the file for up to a second.
      await eventually(async () => expect(summaryOf(await validate(party)), what).toEqual(unavailable));
      expect(summaryOf(await activate(party)), what).toEqual(unavailable);
      expect(summaryOf(await read(party)), what).toEqual(unavailable);
      expect(app.secrets.logged(party.tenant.id), what).toBe(true);
      await expectToWork(bystander);
    }

    const { code, stdout } = await licensing(['doctor'], site.env);
    const problems = stdout.split('\n').filter((line) => line.startsWith('problem'));
    for (const { what, doctor } of damages) {
      const named = problems.filter((line) => line.includes(`enant ${parties.get(what)?.tenant.id}`));
      expect(named, `${what}\n${stdout}`).toEqual([expect.stringMatching(doctor)]);
    }
    expect({ code, problems: problems.length }).toEqual({ code: 1, problems: damages.length });

    for (const party of parties.values()) {
      rmSync(party.file, { recursive: true, force: true });
      copyFileSync(join(copies, party.tenant.id), party.file);
    }
    for (const party of parties.values()) {
      await expectToWork(party);
      expect((await activate(party)).status, party.name).toBe(201);
      expect((await read(party)).body.data.activations_count, party.name).toBe(1);
    }
    await stopApp(app);
  });
});
