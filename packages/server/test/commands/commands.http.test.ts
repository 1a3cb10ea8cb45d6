import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAdmin, createTenant, logIn, testPassword } from '../support/accounts.ts';
import { createSite, startApp, stopApp, type TestApp, type TestSite } from '../support/harness.ts';
import { licensing, licensingProcess } from './licensing.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  expect(await licensing(['migrate'], site.env)).toMatchObject({ code: 0 });
});
afterAll(() => site.remove());

test('the program exits with 2 for an invalid command line', async () => {
  const { code, stdout, stderr } = await licensingProcess(['serve', '--dmeo'], site.env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe("Unknown option '--dmeo'.\nUsage: licensing serve [--demo]\n");
});

describe('expected failures', () => {
  const noTenant = '01890000-0000-7000-8000-000000000000';
  const cases: readonly { readonly line: string; readonly env?: NodeJS.ProcessEnv; readonly says: string }[] = [
    { line: 'serve', env: { PORT: 'x', LOG_LEVEL: 'loud' }, says: 'The configuration has 2 mistakes:' },
    {
      line: 'tenants list',
      env: { APP_KEY: 'another-application-key-0123456789' },
      says: 'APP_KEY is not the application',
    },
    {
      line: 'doctor',
      env: { TENANT_DATABASE_URL: 'postgres://secret-word@db/x' },
      says: 'did you mean TENANT_DATABASE_URLS?',
    },
    {
      line: 'tenants list',
      env: { TENANT_DATABASE_URL: 'postgres://secret-word@db/x' },
      says: 'did you mean TENANT_DATABASE_URLS?',
    },
    { line: 'tenants create --name Acme --plan gold', says: 'plan_code: Choose an existing plan.' },
    { line: `tenants suspend ${noTenant}`, says: 'There is no such tenant.' },
    { line: 'serve', env: { HOST: '192.0.2.1' }, says: 'This machine does not have the address in HOST' },
    {
      line: 'migrate',
      env: { DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' },
      says: 'The PostgreSQL database none on 127.0.0.1:1',
    },
  ];

  test.for(cases)('"licensing $line" exits with 1 and "$says", without a stack trace', async ({ line, env, says }) => {
    // `serve` installs signal handlers, so it runs in its own process.
    const run = line === 'serve' ? licensingProcess : licensing;
    const { code, stdout, stderr } = await run(line.split(' '), { ...site.env, ...env });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(says);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).not.toContain('secret-word');
  });

  test('LOG_LEVEL=debug adds the stack trace to the message of a failure', async () => {
    const env = { ...site.env, APP_KEY: 'another-application-key-0123456789', LOG_LEVEL: 'debug' };
    expect((await licensing(['tenants', 'list'], env)).stderr).toMatch(/^\s+at /m);
  });
});

test('"keys generate" prints only a new key on standard output', async () => {
  const [one, two] = await Promise.all([
    licensingProcess(['keys', 'generate'], {}),
    licensing(['keys', 'generate'], {}),
  ]);
  expect(one.stdout).toMatch(/^[0-9a-f]{64}\n$/);
  expect(two.stdout).not.toBe(one.stdout);
  expect(one.stderr).toContain('APP_PREVIOUS_KEYS');
});

describe('commands while the service runs', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(site);
  });
  afterAll(() => stopApp(app));

  test('an admin created on the command line can log in, and the output does not contain the password', async () => {
    const args = ['admins', 'create', '--email', 'Root@Example.com', '--role', 'super_admin', '--password-stdin'];
    const made = await licensingProcess(args, site.env, `${testPassword}\n`);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/) });
    expect(made.stdout + made.stderr).not.toContain(testPassword);
    expect((await logIn(app, 'root@example.com', 'admin')).id).toBe(made.stdout.trim());
    expect(await licensing(args, site.env, { stdin: testPassword })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('An admin has this address already.'),
    });
  });

  test.each([
    ['1qaz2wsx3edc', 2, 'This is one of the most common passwords. Choose another one.'],
    ['weak@example.com', 1, 'password: Choose a password that is not your email address.'],
  ])('an admin with the weak password %s is not created on the command line', async (password, code, sentence) => {
    const args = ['admins', 'create', '--email', 'Weak@Example.com', '--role', 'admin', '--password-stdin'];
    const refused = await licensing(args, site.env, { stdin: password });
    expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) });
  });

  test('a tenant that is suspended on the command line loses access with the next request until it is reinstated', async () => {
    const { id, asApplication } = await createTenant(app, await createAdmin(app));
    const outcome = async () => {
      const { status, body } = await asApplication('/licenses/UNKNOWN/validate');
      return [status, body.error?.code];
    };
    expect(await licensing(['tenants', 'suspend', id], site.env)).toMatchObject({ code: 0 });
    expect(await outcome()).toEqual([403, 'TENANT.STATUS.SUSPENDED']);
    expect(await licensing(['tenants', 'reinstate', id], site.env)).toMatchObject({ code: 0 });
    expect(await outcome()).toEqual([200, undefined]);
  });

  test('a tenant created on the command line is listed first, and "migrate" reports it as current', async () => {
    const made = await licensing(['tenants', 'create', '--name', 'Acme', '--owner', 'new@example.com'], site.env);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await licensing(['tenants', 'list'], site.env);
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^${made.stdout.trim()}  active .* Acme$`));
    const migrated = await licensing(['migrate'], site.env);
    expect(migrated).toMatchObject({ code: 0, stderr: expect.stringMatching(/^The platform and (\d+) of \1 tenants/) });
  });
});
