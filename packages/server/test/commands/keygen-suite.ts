import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { TenantSuite } from '../support/accounts.ts';
import { type FakeKeygen, keygenToken, startFakeKeygen } from '../support/fake-keygen.ts';
import { fillAccount } from '../support/keygen-account.ts';
import { type Finished, licensing } from './licensing.ts';

/** A parsed object of a report or of a response. */
export type Line = Record<string, unknown>;

/** An account of Keygen for a suite, with two licenses and their machines before each test, and the command. */
export interface KeygenSuite {
  readonly keygen: FakeKeygen;
  /** Returns the arguments and the environment of the import into the tenant of the test. */
  command(...more: readonly string[]): [string[], NodeJS.ProcessEnv];
  /** Runs that import. */
  importing(...more: readonly string[]): Promise<Finished>;
  /** Runs an import that must succeed, and returns its report. */
  imported(...more: readonly string[]): Promise<Line[]>;
  /** Returns the newest 100 resources of a list of the tenant. */
  list(path: string): Promise<Line[]>;
}

/** Returns the report without the collections that the fake account never has. */
export function reportOf({ stdout }: Finished): Line[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const findings: Line[] = lines.map((line) => JSON.parse(line));
  return findings.filter(({ id, outcome }) => !(id === null && outcome === 'left_out'));
}

/** Starts a fake Keygen for the suite file. */
export function useKeygen(suite: TenantSuite): KeygenSuite {
  let keygen: FakeKeygen | undefined;
  const running = () => {
    if (keygen === undefined) throw new Error('The fake Keygen exists only inside tests and hooks.');
    return keygen;
  };
  beforeAll(async () => {
    keygen = await startFakeKeygen();
  });
  beforeEach(() => {
    const { collections, requests } = running();
    collections.clear();
    for (const path of ['entitlements', 'products', 'policies', 'users', 'licenses', 'machines'])
      collections.set(path, []);
    fillAccount(running(), 2);
    requests.length = 0;
    Object.assign(running(), { interfere: null, knowsCursors: true });
  });
  afterAll(() => keygen?.close());

  function command(...more: readonly string[]): [string[], NodeJS.ProcessEnv] {
    const target = ['--url', running().url, '--account', 'acme', '--tenant', suite.tenant.id];
    return [['import', 'keygen', ...target, ...more], { ...suite.app.site.env, KEYGEN_TOKEN: keygenToken }];
  }

  const importing = (...more: readonly string[]) => licensing(...command(...more));

  return {
    get keygen() {
      return running();
    },
    command,
    importing,
    async imported(...more) {
      const finished = await importing(...more);
      expect(finished, finished.stderr).toMatchObject({ code: 0 });
      return reportOf(finished);
    },
    list: async (path) => (await suite.tenant.asOwner('GET', `${path}?limit=100`)).body.data,
  };
}
