// What the conformance cases of webhooks leave out: the types, kinds of headers and bodies, random forgeries, and remedies.
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { Activation, License, WebhookEvent } from '../src/api-types.ts';
import { verifyWebhook } from '../src/index.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const now = new Date('2026-11-20T12:00:00Z');
const body = JSON.stringify({
  id: 'event-1',
  type: 'license.created',
  occurred_at: '2026-11-20T12:00:00.000000Z',
  tenant_id: 'tenant-1',
  request_id: null,
  api_version: '1',
  data: { id: 'license-1', max_activations: 3, holder: { name: 'Ünï' }, metadata: { order_id: 7 } },
});

/** Signs as the standard's own library does. */
function headersOf(text = body, { at = now, by = secret, id = 'event-1' } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign(id, at, text),
  };
}

type Message = Parameters<typeof verifyWebhook>;

const codeOf = (content: Message[0], headers: Message[1], by: Message[2] = secret) =>
  verifyWebhook(content, headers, by, { now }).then(
    () => 'accepted',
    ({ code }: { readonly code: string }) => code,
  );

describe('a message of the service', () => {
  test('is an event in camelCase, with the metadata as they were stored', async () => {
    expect(await verifyWebhook(body, headersOf(), secret, { now })).toEqual({
      id: 'event-1',
      type: 'license.created',
      occurredAt: '2026-11-20T12:00:00.000000Z',
      tenantId: 'tenant-1',
      requestId: null,
      apiVersion: '1',
      data: { id: 'license-1', maxActivations: 3, holder: { name: 'Ünï' }, metadata: { order_id: 7 } },
    });
  });

  test.each<[string, Message[1]]>([
    ['Headers', new Headers(headersOf())],
    ['the headers of Node', { host: 'x', ...headersOf() }],
    [
      'headers with capitals and lists',
      Object.fromEntries(Object.entries(headersOf()).map(([name, value]) => [name.toUpperCase(), [value]])),
    ],
  ])('is accepted with %s', async (_what, headers) => {
    expect(await codeOf(body, headers)).toBe('accepted');
    const bytes = new TextEncoder().encode(body);
    expect(await codeOf(bytes, headers)).toBe('accepted');
    expect(await codeOf(bytes.buffer, headers)).toBe('accepted');
  });
});

describe('a forged message', () => {
  const headers = headersOf();
  test('is refused when it is signed, but null', async () => {
    expect(await codeOf('null', headersOf('null'))).toBe('WEBHOOK.MALFORMED');
  });

  test('is refused whichever byte of a valid body is changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const bytes = new TextEncoder().encode(body);
        bytes[place] = (bytes[place] ?? 0) ^ change;
        expect(await codeOf(bytes, headers)).toBe('WEBHOOK.SIGNATURE_INVALID');
      }),
      { numRuns: 300 },
    );
  });
});

describe('the type of an event', () => {
  test('tells the type of its data', () => {
    // The compiler checks this; the calls only keep the function in use.
    const read = (event: WebhookEvent): string => {
      if (event.type === 'license.created') {
        expectTypeOf(event.data).toEqualTypeOf<License>();
        return event.data.key;
      }
      switch (event.type) {
        case 'activation.created':
        case 'activation.expired':
          expectTypeOf(event.data).toEqualTypeOf<Activation>();
          return event.data.fingerprint;
        case 'entitlement.limit_reached':
          expectTypeOf(event.data.limit).toEqualTypeOf<number>();
          return event.data.licenseId;
        case 'webhook.test':
          return event.data.webhookId;
        default:
          return event.type;
      }
    };
    const later = { ...JSON.parse(body), type: 'license.transferred' } as WebhookEvent;
    expect(read(later)).toBe('license.transferred');
  });

  test('may be one of a later version, whose data pass through', async () => {
    const later = body.replace('license.created', 'license.transferred');
    const event = await verifyWebhook(later, headersOf(later), secret, { now });
    expect(event).toMatchObject({ type: 'license.transferred', data: { maxActivations: 3 } });
  });
});

test.each(['whsec_', 'secret'])('the secret %j is refused', async (wrong) => {
  expect(await codeOf(body, headersOf(), wrong)).toBe('CONFIGURATION.INVALID');
});

test.each<[string, unknown, unknown, unknown, RegExp]>([
  ['a parsed body', JSON.parse(body), headersOf(), secret, /raw body.*before any JSON parser/],
  ['a body that a parser has consumed', undefined, headersOf(), secret, /raw body/],
  ['a body that is null', null, headersOf(), secret, /raw body/],
  ['an unset secret', body, headersOf(), undefined, /environment variable/],
  ['an unset secret in a list', body, headersOf(), [secret, undefined], /environment variable/],
  ['a secret of another kind', body, headersOf(), new Uint8Array(32), /whsec_/],
  ['missing headers', body, undefined, secret, /request\.headers/],
  ['headers that are null', body, null, secret, /request\.headers/],
  ['headers that are a text', body, 'webhook-id: 1', secret, /request\.headers/],
])('%s is a CONFIGURATION.INVALID with the remedy', async (_what, content, headers, by, remedy) => {
  await expect(
    verifyWebhook(content as Message[0], headers as Message[1], by as Message[2], { now }),
  ).rejects.toMatchObject({
    name: 'LicensingError',
    code: 'CONFIGURATION.INVALID',
    message: expect.stringMatching(remedy),
  });
});
