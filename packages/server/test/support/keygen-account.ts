import { type FakeKeygen, keygenId, related, resource } from './fake-keygen.ts';

type Attributes = Record<string, unknown>;

/** The ids of the one product, policy and user of `fillAccount`. */
export const productId = keygenId(1, 1);
export const policyId = keygenId(2, 1);
export const userId = keygenId(3, 1);

/** Keygen's defaults of a policy. */
const policyDefaults = {
  name: 'Yearly',
  duration: 31_536_000,
  strict: false,
  floating: true,
  maxMachines: 3,
  maxProcesses: null,
  maxUsers: null,
  maxCores: null,
  maxUses: null,
  machineUniquenessStrategy: 'UNIQUE_PER_LICENSE',
  machineMatchingStrategy: 'MATCH_ANY',
  expirationStrategy: 'RESTRICT_ACCESS',
  expirationBasis: 'FROM_CREATION',
  renewalBasis: 'FROM_EXPIRY',
  transferStrategy: 'KEEP_EXPIRY',
  authenticationStrategy: 'TOKEN',
  overageStrategy: 'NO_OVERAGE',
  scheme: null,
  requireHeartbeat: false,
  heartbeatDuration: null,
  heartbeatCullStrategy: 'DEACTIVATE_DEAD',
  heartbeatResurrectionStrategy: 'NO_REVIVE',
  heartbeatBasis: 'FROM_FIRST_PING',
};

export const newPolicy = (attributes: Attributes = {}, id = policyId) =>
  resource('policies', id, { ...policyDefaults, ...attributes }, { product: related('products', productId) });

/** Returns the license with a number, which is part of its key and its id. */
export function newLicense(number: number, attributes: Attributes = {}, relationships: Attributes = {}) {
  return resource(
    'licenses',
    keygenId(4, number),
    {
      name: null,
      key: `KEY-${String(number).padStart(8, '0')}`,
      expiry: '2030-01-02T03:04:05.678Z',
      status: 'ACTIVE',
      uses: 0,
      suspended: false,
      maxMachines: 3,
      lastValidated: null,
      ...attributes,
    },
    {
      product: related('products', productId),
      policy: related('policies', policyId),
      owner: related('users', userId),
      users: { meta: { count: 0 } },
      ...relationships,
    },
  );
}

/** Returns a machine of the license with a number. */
export function newMachine(number: number, license: number, attributes: Attributes = {}) {
  return resource(
    'machines',
    keygenId(5, number),
    {
      fingerprint: `fp-${number}`,
      name: null,
      hostname: `host-${number}`,
      platform: 'linux',
      ip: '192.0.2.1',
      ...attributes,
    },
    { license: related('licenses', keygenId(4, license)) },
  );
}

/** Fills an account with a product, a policy, a user, `licenses` licenses and a machine for each. */
export function fillAccount(keygen: FakeKeygen, licenses: number): void {
  const { collections } = keygen;
  const numbers = Array.from({ length: licenses }, (_, index) => index + 1);
  const user = { fullName: 'Ada Lovelace', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' };
  collections.set('products', [
    resource('products', productId, { name: 'Editor', code: 'editor', platforms: ['linux'] }),
  ]);
  collections.set('policies', [newPolicy()]);
  collections.set('users', [resource('users', userId, { ...user, role: 'user', status: 'ACTIVE' })]);
  collections.set(
    'licenses',
    numbers.map((number) => newLicense(number)),
  );
  collections.set(
    'machines',
    numbers.map((number) => newMachine(number, number)),
  );
}
