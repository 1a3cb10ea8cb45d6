import { describe, expect, test } from 'vitest';
import { useTenantPerTest } from '../../server/test/support/accounts.ts';
import { keygenId, related } from '../../server/test/support/fake-keygen.ts';
import { newLicense, newPolicy, userId } from '../../server/test/support/keygen-account.ts';
import { type Line, useKeygen } from './keygen-suite.ts';

const suite = useTenantPerTest();
const account = useKeygen(suite);

describe('the terms of a policy', () => {
  const cases: readonly { readonly keygen: Line; readonly here: Line; readonly reported?: readonly string[] }[] = [
    { keygen: { overageStrategy: 'NO_OVERAGE' }, here: { activation_overage_percent: 0 } },
    { keygen: { overageStrategy: 'ALLOW_1_25X_OVERAGE' }, here: { activation_overage_percent: 25 } },
    { keygen: { overageStrategy: 'ALLOW_1_5X_OVERAGE' }, here: { activation_overage_percent: 50 } },
    { keygen: { overageStrategy: 'ALLOW_2X_OVERAGE' }, here: { activation_overage_percent: 100 } },
    { keygen: { overageStrategy: 'ALWAYS_ALLOW_OVERAGE' }, here: { activation_overage_percent: null } },
    { keygen: { duration: null }, here: { duration_days: null } },
    { keygen: { duration: 90_000 }, here: { duration_days: 2 }, reported: ['duration'] },
    { keygen: { floating: false, maxMachines: null }, here: { max_activations: 1 } },
    { keygen: { floating: true, maxMachines: null }, here: { max_activations: null } },
    { keygen: { maxMachines: 0 }, here: { max_activations: 0 } },
    { keygen: { expirationStrategy: 'REVOKE_ACCESS' }, here: { expiry_strategy: 'deny' } },
    { keygen: { expirationStrategy: 'ALLOW_ACCESS' }, here: { expiry_strategy: 'allow', maintenance_days: null } },
    { keygen: { expirationStrategy: 'MAINTAIN_ACCESS' }, here: { expiry_strategy: 'allow', maintenance_days: 365 } },
    { keygen: { expirationBasis: 'FROM_FIRST_VALIDATION' }, here: { expiry_basis: 'first_validation' } },
    { keygen: { expirationBasis: 'FROM_FIRST_ACTIVATION' }, here: { expiry_basis: 'first_activation' } },
    {
      keygen: { expirationBasis: 'FROM_FIRST_DOWNLOAD' },
      here: { expiry_basis: 'first_validation' },
      reported: ['expirationBasis'],
    },
    { keygen: { renewalBasis: 'FROM_NOW' }, here: { renewal_basis: 'from_now' } },
    { keygen: { renewalBasis: 'FROM_NOW_IF_EXPIRED' }, here: { renewal_basis: 'from_expiry_or_now' } },
    { keygen: { renewalBasis: 'FROM_ISSUE' }, here: { renewal_basis: 'from_expiry' }, reported: ['renewalBasis'] },
    { keygen: { strict: true }, here: { require_activation: true } },
    { keygen: { requireHeartbeat: true, heartbeatBasis: 'FROM_CREATION' }, here: { lease_seconds: 600 } },
    {
      keygen: { requireHeartbeat: true, heartbeatDuration: 60, heartbeatBasis: 'FROM_FIRST_PING' },
      here: { lease_seconds: 60 },
      reported: ['heartbeatBasis'],
    },
    {
      keygen: { requireHeartbeat: true, heartbeatCullStrategy: 'KEEP_DEAD' },
      here: { lease_seconds: null },
      reported: ['heartbeatCullStrategy'],
    },
    { keygen: { metadata: { tier: 'gold' } }, here: { metadata: { tier: 'gold', keygen_id: keygenId(2, 24) } } },
    { keygen: { name: ` ${'x'.repeat(120)}` }, here: { name: 'x'.repeat(100) }, reported: ['name'] },
    {
      keygen: {
        maxUses: 5,
        maxCores: 8,
        scheme: 'ED25519_SIGN',
        requireCheckIn: true,
        transferStrategy: 'RESET_EXPIRY',
      },
      here: {},
      reported: ['maxCores', 'maxUses', 'requireCheckIn', 'scheme', 'transferStrategy'],
    },
  ];

  test('each attribute becomes our term, or is reported with its name', async () => {
    const idOf = (index: number) => keygenId(2, index + 1);
    account.keygen.collections.set(
      'policies',
      cases.map((one, index) => newPolicy({ name: `Case ${index}`, ...one.keygen }, idOf(index))),
    );
    account.keygen.collections.set('licenses', []);
    account.keygen.collections.set('machines', []);
    const report = (await account.imported()).report.filter(({ resource: kind }) => kind === 'policies');
    const policies = await account.list('/policies');
    for (const [index, { keygen: attributes, here, reported = [] }] of cases.entries()) {
      const fields = report.filter(({ id }) => id === idOf(index)).map(({ field }) => field);
      expect({ attributes, fields: fields.sort() }).toEqual({ attributes, fields: reported });
      const name = String(attributes['name'] ?? `Case ${index}`)
        .trim()
        .slice(0, 100);
      expect(policies.find((policy) => policy['name'] === name)).toMatchObject(here);
    }
  });
});

describe('the fields of a license', () => {
  const others = { owner: related('users', null) };
  const cases: readonly {
    readonly what: string;
    readonly keygen: Line;
    readonly relationships?: Line;
    readonly here: Line | null;
    readonly reported?: readonly string[];
  }[] = [
    { what: 'a suspended license', keygen: { suspended: true, status: 'SUSPENDED' }, here: { status: 'suspended' } },
    { what: 'a license of a banned user', keygen: { status: 'BANNED' }, here: { status: 'revoked' } },
    { what: 'an expired license', keygen: { expiry: '2024-06-01T00:00:00.000Z' }, here: { status: 'expired' } },
    { what: 'a license without an end', keygen: { expiry: null }, here: { expires_at: null } },
    { what: 'its own limit', keygen: { maxMachines: 7 }, here: { max_activations: 7 } },
    { what: 'the limit of its policy', keygen: { maxMachines: 3 }, here: { max_activations: null } },
    { what: 'metadata', keygen: { metadata: { orderId: 'A-1' } }, here: { metadata: { orderId: 'A-1' } } },
    {
      what: 'a name without an owner',
      keygen: { name: 'Studio' },
      relationships: others,
      here: { holder: { name: 'Studio', email: null, reference: null } },
    },
    { what: 'a name with an owner', keygen: { name: 'Studio' }, here: { metadata: { keygen_name: 'Studio' } } },
    { what: 'an end before its creation', keygen: { expiry: '2023-01-01T00:00:00.000Z' }, here: { status: 'expired' } },
    { what: 'uses', keygen: { uses: 4 }, here: { status: 'active' }, reported: ['uses'] },
    { what: 'a limit of cores', keygen: { maxCores: 4 }, here: { status: 'active' }, reported: ['maxCores'] },
    {
      what: 'further users',
      keygen: {},
      relationships: { users: { meta: { count: 2 } } },
      here: {},
      reported: ['users'],
    },
    {
      what: 'metadata beyond 4 levels',
      keygen: { metadata: { a: { b: { c: { d: { e: 1 } } } } } },
      here: { metadata: {} },
      reported: ['metadata'],
    },
    { what: 'text with NUL', keygen: { metadata: { a: 'b\u0000c' } }, here: { metadata: { a: 'bc' } } },
    { what: 'a key that needs encoding', keygen: { key: 'key/abc=' }, here: null, reported: ['key'] },
    { what: 'a key that is too long', keygen: { key: 'x'.repeat(129) }, here: null, reported: ['key'] },
    { what: 'no key', keygen: { key: undefined }, here: null, reported: ['key'] },
    { what: 'an expiry that is not a date', keygen: { expiry: 'soon' }, here: null, reported: ['expiry'] },
    {
      what: 'no policy',
      keygen: {},
      relationships: { policy: related('policies', keygenId(2, 99)) },
      here: null,
      reported: ['policy'],
    },
    {
      what: 'an unknown owner',
      keygen: {},
      relationships: { owner: related('users', keygenId(3, 99)) },
      here: { holder: { name: null, email: null, reference: keygenId(3, 99) } },
      reported: ['owner'],
    },
    {
      what: 'the owner of an older API',
      keygen: {},
      relationships: { owner: undefined, user: related('users', userId) },
      here: { holder: { name: 'Ada Lovelace', email: 'ada@example.com', reference: userId } },
    },
  ];

  test('each kind of license is imported, or refused with the field that is wrong', async () => {
    account.keygen.collections.set(
      'licenses',
      cases.map((one, index) => newLicense(index + 1, one.keygen, one.relationships)),
    );
    account.keygen.collections.set('machines', []);
    const report = (await account.imported()).report.filter(({ resource: kind }) => kind === 'licenses');
    expect(JSON.stringify(report)).not.toMatch(/key\/abc|KEY-0|ada@/);
    const licenses = await account.list('/licenses');
    for (const [index, { what, keygen: attributes, here, reported = [] }] of cases.entries()) {
      const fields = report.filter(({ id }) => id === keygenId(4, index + 1)).map(({ field }) => field);
      expect({ what, fields }).toEqual({ what, fields: reported });
      const license = licenses.find(
        ({ key }) => key === (attributes['key'] ?? newLicense(index + 1).attributes['key']),
      );
      if (here === null) expect(license, what).toBeUndefined();
      else expect(license, what).toMatchObject(here);
    }
  });
});
