import { describe, expect, test } from 'vitest';
import { useTenantPerTest } from '../support/accounts.ts';
import { type FakeKeygen, keygenId, keygenToken, resource, send } from '../support/fake-keygen.ts';
import { fillAccount, newLicense, newMachine, newPolicy } from '../support/keygen-account.ts';
import { useKeygen } from './keygen-suite.ts';

const suite = useTenantPerTest();
const account = useKeygen(suite);

describe('the connection to Keygen', () => {
  test('pages are followed by cursor, 100 at a time, and by number on an older server', async () => {
    fillAccount(account.keygen, 250);
    for (const knowsCursors of [true, false]) {
      account.keygen.knowsCursors = knowsCursors;
      const { stderr, code } = await account.importing();
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringMatching(/licenses: 250/) });
    }
    expect(
      account.keygen.requests.filter((request) => request.startsWith('licenses?') && request.includes('page[cursor]=')),
    ).toHaveLength(4);
  });

  test('limits, failures and broken connections are repeated, and Retry-After is obeyed', async () => {
    const answers = [429, 500, 503, 0, 502];
    account.keygen.interfere = (request, response, path) => {
      const status = path === 'licenses' ? answers.shift() : undefined;
      if (status === undefined) return false;
      if (status === 0) request.socket.destroy();
      else send(response, status, { errors: [{ title: 'Busy' }] }, { 'retry-after': '0' });
      return true;
    };
    const { code, stderr } = await account.importing();
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Trying again in 0.0 s.') });
    expect(answers).toEqual([]);
    expect(stderr).toContain('licenses: 2 created');
  });

  const failures: readonly {
    readonly what: string;
    readonly interfere: FakeKeygen['interfere'];
    readonly says: string;
  }[] = [
    {
      what: 'a refused token',
      interfere: (_request, response) => {
        send(response, 401, { errors: [{ detail: 'Token is invalid' }] });
        return true;
      },
      says: 'Keygen refused the token (401).',
    },
    {
      what: 'a wrong account',
      interfere: (_request, response) => {
        send(response, 404, { errors: [{ detail: 'The requested account was not found' }] });
        return true;
      },
      says: 'Check --url and --account.',
    },
    {
      what: 'HTML of another server',
      interfere: (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>');
        return true;
      },
      says: 'did not answer with a page of JSON:API',
    },
    {
      what: 'a redirect, which is not followed with the token',
      interfere: (_request, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
        return true;
      },
      says: 'Keygen answered 302',
    },
    {
      what: 'a token that may not read licenses',
      interfere: (_request, response, path) => {
        if (path !== 'licenses') return false;
        send(response, 403, { errors: [{ detail: 'You do not have permission' }] });
        return true;
      },
      says: 'Keygen does not show licenses to this token.',
    },
    {
      what: 'a next page on another server',
      interfere: (_request, response, path) => {
        if (path !== 'licenses') return false;
        send(response, 200, {
          data: [newLicense(1)],
          links: { next: 'https://evil.example/v1/accounts/acme/licenses' },
        });
        return true;
      },
      says: 'leads elsewhere (evil.example',
    },
    {
      what: 'pages that never end',
      interfere: (request, response, path) => {
        if (path !== 'licenses') return false;
        const number = Number(/n=(\d+)/.exec(request.url ?? '')?.[1] ?? '0');
        send(response, 200, {
          data: [newLicense(1), newLicense(2)],
          links: { next: `/v1/accounts/acme/licenses?n=${number + 1}` },
        });
        return true;
      },
      says: 'pages of licenses repeat',
    },
  ];

  test.for(failures)(
    '$what ends the import with an explanation that does not contain the token',
    async ({ interfere, says }) => {
      account.keygen.interfere = interfere;
      const { code, stdout, stderr } = await account.importing('--dry-run');
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
      expect(stdout + stderr).not.toContain(keygenToken);
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  test('entries that are not resources, dead machines and everything without a counterpart are reported one by one', async () => {
    account.keygen.collections.set('policies', [
      newPolicy({ requireHeartbeat: true, heartbeatBasis: 'FROM_CREATION' }),
    ]);
    account.keygen.collections.set('machines', [
      newMachine(1, 1, { heartbeatStatus: 'DEAD' }),
      newMachine(2, 2, { cores: 8 }),
    ]);
    account.keygen.collections.set('groups', [resource('groups', keygenId(7, 1), { name: 'Sales' })]);
    account.keygen.collections.set('components', [resource('components', keygenId(8, 1), { fingerprint: 'cpu' })]);
    const person = { email: 'root@example.com', role: 'admin' };
    const buyer = { email: 'buyer@example.com', role: 'user' };
    account.keygen.collections
      .get('users')
      ?.push(resource('users', keygenId(3, 2), person), resource('users', keygenId(3, 3), buyer));
    const lines = (await account.imported()).map(({ resource: kind, id, field, outcome }) => ({
      kind,
      id,
      field,
      outcome,
    }));
    expect(lines).toEqual([
      { kind: 'users', id: keygenId(3, 2), field: 'role', outcome: 'left_out' },
      { kind: 'machines', id: keygenId(5, 1), field: 'heartbeatStatus', outcome: 'refused' },
      { kind: 'machines', id: keygenId(5, 2), field: 'cores', outcome: 'left_out' },
      { kind: 'components', id: keygenId(8, 1), field: undefined, outcome: 'left_out' },
      { kind: 'groups', id: keygenId(7, 1), field: undefined, outcome: 'left_out' },
      { kind: 'users', id: keygenId(3, 3), field: undefined, outcome: 'left_out' },
    ]);
  });
});
