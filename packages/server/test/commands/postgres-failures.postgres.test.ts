import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { createSite, type TestSite } from '../support/harness.ts';
import { createPlatformDatabase, onServer } from '../support/platform-template.ts';
import { licensing, licensingProcess } from './licensing.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.remove());

/** Returns the URL of the site's database, with some parts replaced. */
function urlWith(parts: Partial<Pick<URL, 'username' | 'password' | 'hostname' | 'port' | 'pathname' | 'search'>>) {
  return Object.assign(new URL(site.env['DATABASE_URL'] ?? ''), parts).href;
}

interface Failure {
  readonly wrong: string;
  readonly url: () => string | Promise<string>;
  readonly says: RegExp;
}

const failures: readonly Failure[] = [
  {
    wrong: 'a wrong password',
    url: () => urlWith({ password: 'secret-word' }),
    says: /rejects the user or the password of its URL: correct them \(password authentication failed for user/,
  },
  {
    wrong: 'an unknown role',
    url: () => urlWith({ username: 'nobody', password: 'secret-word' }),
    says: /rejects the user or the password of its URL: correct them \(.* "nobody"\)/,
  },
  {
    wrong: 'a role that may not log in',
    async url() {
      await onServer(inject('postgresUrl'), [`create role idle nologin password 'secret-word'`]);
      onTestFinished(() => onServer(inject('postgresUrl'), ['drop role idle']));
      return urlWith({ username: 'idle', password: 'secret-word' });
    },
    says: /does not let the role of its URL log in: as a superuser, run ALTER ROLE … LOGIN/,
  },
  {
    wrong: 'a missing database',
    url: () => urlWith({ pathname: '/absent' }),
    says: /The PostgreSQL database absent on \S+ does not exist on its server: create it with CREATE DATABASE, or correct/,
  },
  {
    wrong: 'a refused connection',
    url: async () => urlWith({ port: String(await freePort()) }),
    says: /refuses connections: start PostgreSQL there, or correct the host and port of its URL \(connect ECONNREFUSED/,
  },
  {
    wrong: 'a host name that cannot be resolved',
    url: () => urlWith({ hostname: 'database.invalid' }),
    says: /on database\.invalid:\d+ has a host name that (cannot be resolved: correct the host|no name server resolves)/,
  },
  {
    wrong: 'a server without TLS',
    url: () => urlWith({ search: '?sslmode=require' }),
    says: /does not offer TLS: enable TLS on the server, or remove sslmode from its URL/,
  },
  {
    wrong: 'a server that requires TLS',
    url: requireTls,
    says: /accepts no unencrypted connection of this role from this machine: add sslmode=verify-full to its URL/,
  },
];

/** Makes the server refuse the role `encrypted` without TLS until the end of the test. */
async function requireTls(): Promise<string> {
  const serverUrl = inject('postgresUrl');
  const url = urlWith({ username: 'encrypted', password: 'secret-word' });
  await onServer(serverUrl, [`create role encrypted login password 'secret-word'`]);
  await rewriteHba((lines) => `hostnossl all encrypted all reject\n${lines}`);
  onTestFinished(async () => {
    await rewriteHba((lines) => lines.replace(/^hostnossl all encrypted .*\n/m, ''));
    await onServer(serverUrl, ['drop role encrypted']);
  });
  // The server applies its new rules shortly after it was told to.
  await eventually(() => expect(onServer(url, [])).rejects.toThrow('pg_hba.conf'));
  return url;
}

/** Changes the rules of authentication of the server, in the file on its machine. */
async function rewriteHba(change: (lines: string) => string): Promise<void> {
  const client = new Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select current_setting('hba_file') as path, pg_read_file(current_setting('hba_file')) as lines`,
    );
    const [{ path, lines }] = rows;
    const quoted = change(lines)
      .split('\n')
      .map((line, index) => `(${index}, ${client.escapeLiteral(line)})`);
    await client.query(
      `copy (select line from (values ${quoted.join()}) as rule (position, line) order by position) to '${path}' (delimiter E'\\x01')`,
    );
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}

describe('a PostgreSQL server that cannot be used', () => {
  test.for(failures)('"migrate" and "doctor" explain $wrong, and how to correct it', async ({ url, says }) => {
    const env = { ...site.env, DATABASE_URL: await url() };
    const migrated = await licensing(['migrate'], env);
    expect(migrated.stderr).toMatch(says);
    expect(migrated.code).toBe(1);
    const examined = await licensing(['doctor'], env);
    expect(examined.stdout).toMatch(says);
    expect(examined.stdout.match(/^problem/gm)).toHaveLength(1);
    expect(examined.code).toBe(1);
    for (const { stdout, stderr } of [migrated, examined]) {
      expect(stdout + stderr).not.toContain('secret-word');
      // Of these failures, only a silent name server passes by itself.
      if (!(stdout + stderr).includes('no name server')) expect(stdout + stderr).not.toContain('try again');
    }
  });

  test('"serve" ends with the reason of a missing database', async () => {
    const { code, stderr } = await licensingProcess(['serve'], {
      ...site.env,
      DATABASE_URL: urlWith({ pathname: '/absent' }),
    });
    expect(stderr).toMatch(/^The PostgreSQL database absent on \S+ does not exist on its server: create it .*\n$/);
    expect(code).toBe(1);
  });
});

test('"doctor" calls an empty database empty, not one with an older schema', async () => {
  const serverUrl = inject('postgresUrl');
  const url = await createPlatformDatabase(serverUrl, 'still_empty', 'template0');
  onTestFinished(() => onServer(serverUrl, ['drop database still_empty with (force)']));
  const { code, stdout } = await licensing(['doctor'], { ...site.env, DATABASE_URL: url });
  expect(stdout).toContain('ok       The platform database is empty; the first start creates its tables');
  expect(stdout).not.toContain('older schema');
  expect(code).toBe(0);
});
