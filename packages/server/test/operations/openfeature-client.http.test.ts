import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { type Client, OpenFeature } from '@openfeature/server-sdk';
import { type Hook, OpenFeature as WebOpenFeature } from '@openfeature/web-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestTenant, useAdmin } from '../support/accounts.ts';
import { booleanFlag, createFlag } from './flags.ts';

const suite = useAdmin();
let tenant: TestTenant;
let address: string;
let byKey: Client;
let byToken: Client;
let stranger: Client;

/** Connects the OpenFeature SDK to the service, as an application does. */
async function connect(domain: string, headers: Record<string, string>): Promise<Client> {
  const provider = new OFREPProvider({ baseUrl: address, headers: Object.entries(headers) });
  await OpenFeature.setProviderAndWait(domain, provider);
  return OpenFeature.getClient(domain);
}

const byPlan = { if: [{ in: [{ var: 'plan' }, ['free']] }, 'on', 'off'] };
const theme = { color: 'red', sizes: [1, 2] };

beforeAll(async () => {
  const { app } = suite;
  tenant = await suite.newTenant();
  const flags: Readonly<Record<string, object>> = {
    boolean: booleanFlag({ defaultVariant: 'on', metadata: { team: 'checkout', weight: 2, beta: true } }),
    text: { state: 'ENABLED', variants: { a: 'red', b: 'blue' }, defaultVariant: 'b' },
    number: { state: 'ENABLED', variants: { low: 1, high: 2.5 }, defaultVariant: 'high' },
    object: { state: 'ENABLED', variants: { theme }, defaultVariant: 'theme' },
    'by-plan': booleanFlag({ targeting: byPlan }),
    'by-tenant': booleanFlag({ targeting: { if: [{ '==': [{ var: 'tenant_id' }, tenant.id] }, 'on'] } }),
    'by-email': booleanFlag({ targeting: { if: [{ ends_with: [{ var: 'email' }, '@example.com'] }, 'on'] } }),
    parts: {
      state: 'ENABLED',
      variants: { a: 'a', b: 'b' },
      defaultVariant: 'a',
      targeting: {
        fractional: [
          ['a', 50],
          ['b', 50],
        ],
      },
    },
    all: booleanFlag({
      targeting: {
        fractional: [
          ['on', 1],
          ['off', 0],
        ],
      },
    }),
    disabled: booleanFlag({ state: 'DISABLED', defaultVariant: 'on' }),
    'in-code': booleanFlag({ defaultVariant: null }),
    computed: booleanFlag({ targeting: { var: 'variant' } }),
  };
  for (const [key, definition] of Object.entries(flags)) await createFlag(app, suite.admin, key, definition);
  address = await app.http.listen({ host: '127.0.0.1', port: 0 });
  byKey = await connect('key', { 'x-api-key': tenant.apiKey });
  byToken = await connect('token', { ...tenant.owner.auth, 'x-tenant-id': tenant.id });
  stranger = await connect('stranger', {});
});

afterAll(() => Promise.all([OpenFeature.close(), WebOpenFeature.close()]));

describe.each([
  ['an API key', () => byKey],
  ["a user's token", () => byToken],
])('the OpenFeature SDK with %s', (_title, client) => {
  test('the SDK gets a boolean with its reason, variant and metadata', async () => {
    expect(await client().getBooleanDetails('boolean', false)).toMatchObject({
      value: true,
      reason: 'STATIC',
      variant: 'on',
      flagMetadata: { team: 'checkout', weight: 2, beta: true },
    });
  });

  test('the SDK gets strings, numbers and objects', async () => {
    expect(await client().getStringValue('text', '')).toBe('blue');
    expect(await client().getNumberValue('number', 0)).toBe(2.5);
    expect(await client().getObjectValue('object', {})).toEqual(theme);
  });

  test("rules see the plan and the tenant of the credential, not those in the client's context", async () => {
    const lie = { plan: 'enterprise', tenant_id: 'another', targetingKey: 'another' };
    for (const key of ['by-plan', 'by-tenant']) {
      const details = await client().getBooleanDetails(key, false, lie);
      expect(details).toMatchObject({ value: true, reason: 'TARGETING_MATCH', variant: 'on' });
    }
  });

  test("rules see the other fields of the client's context", async () => {
    const details = (email: string) => client().getBooleanDetails('by-email', true, { email });
    expect(await details('ada@example.com')).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    expect(await details('ada@example.org')).toMatchObject({ value: false, reason: 'DEFAULT', variant: 'off' });
  });

  test("a fractional rule returns the same variant for a tenant, whatever the client's targeting key", async () => {
    expect(await client().getBooleanValue('all', false)).toBe(true);
    const answers = await Promise.all(
      ['', 'a', 'b', 'c', 'd', 'e'].map((targetingKey) => client().getStringValue('parts', 'none', { targetingKey })),
    );
    expect(new Set(answers).size).toBe(1);
    expect(['a', 'b']).toContain(answers[0]);
  });

  test('the SDK returns its default for a flag that is disabled, unknown, mistyped or without a value', async () => {
    expect(await client().getBooleanValue('disabled', false)).toBe(false);
    expect(await client().getBooleanValue('in-code', true)).toBe(true);
    expect(await client().getBooleanDetails('unknown', true)).toMatchObject({
      value: true,
      reason: 'ERROR',
      errorCode: 'FLAG_NOT_FOUND',
    });
    expect(await client().getStringDetails('boolean', 'mine')).toMatchObject({
      value: 'mine',
      errorCode: 'TYPE_MISMATCH',
    });
  });

  test('the SDK reports an error when a rule returns a value that is not a variant', async () => {
    const details = await client().getBooleanDetails('computed', true, { variant: 'gold' });
    expect(details).toMatchObject({ value: true, reason: 'ERROR', errorCode: 'GENERAL' });
    expect(details.errorMessage).toContain('gold');
  });

  test('a changed or deleted flag applies to the next request of the SDK', async () => {
    const id = await createFlag(suite.app, suite.admin, 'switch', booleanFlag());
    expect(await client().getBooleanValue('switch', true)).toBe(false);
    const one = { url: `/api/v1/admin/feature-flags/${id}`, headers: suite.admin.auth };
    await suite.app.request({ method: 'PUT', ...one, payload: { definition: booleanFlag({ defaultVariant: 'on' }) } });
    expect(await client().getBooleanValue('switch', false)).toBe(true);
    await suite.app.request({ method: 'DELETE', ...one });
    expect(await client().getBooleanDetails('switch', false)).toMatchObject({ errorCode: 'FLAG_NOT_FOUND' });
  });
});

test('the OpenFeature SDK without a credential returns its default', async () => {
  expect(await stranger.getBooleanDetails('boolean', false)).toMatchObject({ value: false, reason: 'ERROR' });
});

/** The provider declares its hooks as possibly undefined, which the SDK's types refuse. */
class WebProvider extends OFREPWebProvider {
  override readonly hooks: Hook[] = [];
}

describe('the web SDK', () => {
  /** The status of every response. */
  const statuses: number[] = [];
  const client = () => WebOpenFeature.getClient();

  beforeAll(() =>
    WebOpenFeature.setProviderAndWait(
      new WebProvider({
        baseUrl: address,
        headers: [['x-api-key', tenant.apiKey]],
        cacheMode: 'disabled',
        pollInterval: 0,
        changeDetection: 'none',
        async fetchImplementation(request: Request, init?: RequestInit) {
          const response = await fetch(request, init);
          statuses.push(response.status);
          return response;
        },
      }),
    ),
  );

  test('the web SDK gets values of each type, reasons and metadata, and its default for a flag without a value', async () => {
    await WebOpenFeature.setContext({ email: 'ada@example.com' });
    expect(client().getBooleanDetails('boolean', false)).toMatchObject({
      value: true,
      reason: 'STATIC',
      variant: 'on',
      flagMetadata: { team: 'checkout', weight: 2, beta: true },
    });
    expect(client().getStringValue('text', '')).toBe('blue');
    expect(client().getNumberValue('number', 0)).toBe(2.5);
    expect(client().getObjectValue('object', {})).toEqual(theme);
    expect(client().getBooleanDetails('by-email', false)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    for (const key of ['in-code', 'disabled']) {
      const details = client().getBooleanDetails(key, true);
      expect([key, details.value, details.errorCode]).toEqual([key, true, undefined]);
    }
    expect(client().getBooleanDetails('unknown', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' });
  });

  test('the web SDK gets 304 while nothing changes, and the new value after a change of a flag or of the context', async () => {
    const targeting = { if: [{ '==': [{ var: 'beta' }, true] }, 'on'] };
    const id = await createFlag(suite.app, suite.admin, 'etag', booleanFlag({ targeting }));
    statuses.length = 0;
    const valueFor = async (context: Record<string, boolean>) => {
      await WebOpenFeature.setContext(context);
      return client().getBooleanValue('etag', false);
    };
    expect([await valueFor({ beta: false }), await valueFor({ beta: false })]).toEqual([false, false]);
    expect([await valueFor({ beta: true }), await valueFor({ beta: true })]).toEqual([true, true]);
    expect(statuses).toEqual([200, 304, 200, 304]);
    await suite.asAdmin('PUT', `/feature-flags/${id}`, { definition: booleanFlag() });
    expect([await valueFor({ beta: true }), statuses.slice(4)]).toEqual([false, [200]]);
  });
});
