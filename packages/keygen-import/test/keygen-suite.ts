import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { TenantSuite } from '../../server/test/support/accounts.ts';
import { type FakeKeygen, keygenToken, startFakeKeygen } from '../../server/test/support/fake-keygen.ts';
import { fillAccount } from '../../server/test/support/keygen-account.ts';
import { run } from '../src/main.ts';

/** A parsed object of a report or of a response. */
export type Line = Record<string, unknown>;

/** The output and the exit code of the program. */
interface Finished {
  readonly code: number;
  readonly report: Line[];
  readonly summary: string;
}

/** An account of Keygen, with two licenses and their machines before each test, and the program. */
export interface KeygenSuite {
  readonly keygen: FakeKeygen;
  /** Runs the program for the tenant of the test. */
  start(args: readonly string[], env?: NodeJS.ProcessEnv, stdin?: string): Promise<Finished>;
  /** Runs an import from the API that must succeed. */
  imported(...more: readonly string[]): Promise<Finished>;
  /** Returns the newest 100 resources of a list of the tenant. */
  list(path: string): Promise<Line[]>;
}

/** Starts a fake Keygen for the suite file, and the service on a port. */
export function useKeygen(suite: TenantSuite): KeygenSuite {
  let keygen: FakeKeygen;
  let service: string;
  beforeAll(async () => {
    keygen = await startFakeKeygen();
    service = await suite.app.http.listen({ host: '127.0.0.1', port: 0 });
  });
  beforeEach(() => {
    keygen.collections.clear();
    for (const path of ['entitlements', 'users']) keygen.collections.set(path, []);
    fillAccount(keygen, 2);
    keygen.requests.length = 0;
    Object.assign(keygen, { interfere: null, knowsCursors: true });
  });
  afterAll(() => keygen.close());

  async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}, stdin = ''): Promise<Finished> {
    const fields = { name: 'Keygen', role: 'admin' };
    const { token } = (await suite.tenant.asOwner('POST', '/access-tokens', fields)).body.data;
    const [report, notes]: [Line[], string[]] = [[], []];
    const code = await run(args, {
      env: { LICENSING_URL: service, LICENSING_TOKEN: token, KEYGEN_TOKEN: keygenToken, ...env },
      stdin: Readable.from([stdin]),
      print: (line) => report.push(JSON.parse(line)),
      note: (line) => notes.push(line),
    });
    return { code, report, summary: notes.join('\n') };
  }

  return {
    get keygen() {
      return keygen;
    },
    start,
    async imported(...more) {
      const finished = await start(['--url', keygen.url, '--account', 'acme', ...more]);
      expect(finished, finished.summary).toMatchObject({ code: 0 });
      return finished;
    },
    list: async (path) => (await suite.tenant.asOwner('GET', `${path}?limit=100`)).body.data,
  };
}
