import { createHmac } from 'node:crypto';
import { nowSeconds, type OfflineCase } from './tokens.ts';

const secretBytes = Buffer.from('the secret of the webhook cases!');
const oldSecretBytes = Buffer.from('the secret before the rotation..');
const secret = `whsec_${secretBytes.toString('base64')}`;
const oldSecret = `whsec_${oldSecretBytes.toString('base64')}`;
const id = '01920000-0000-7000-8000-00000000000a';
const event = {
  id,
  type: 'license.created',
  occurred_at: '2026-05-28T20:26:35.000000Z',
  tenant_id: '01920000-0000-7000-8000-000000000001',
  request_id: 'request-1',
  api_version: '1',
  data: { id: '01920000-0000-7000-8000-000000000002', brand_new_field: true, metadata: { someKey: 1, other_key: 'é' } },
};
const body = JSON.stringify(event);

function signature(text: string, timestamp: number | string, key: Buffer = secretBytes): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')}`;
}

/** Returns the cases of `verify_webhook` (Standard Webhooks). */
export function webhookCases(): OfflineCase[] {
  const headers = (text = body, timestamp: number | string = nowSeconds, key = secretBytes) => ({
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature(text, timestamp, key),
  });
  const given = (changes: object) => ({ body, headers: headers(), secret, now: nowSeconds, ...changes });
  const accepted = (title: string, changes: object, result: Record<string, unknown> = event): OfflineCase => {
    return { title, operation: 'verify_webhook', arguments: given(changes), result };
  };
  const refused = (title: string, code: unknown, changes: object): OfflineCase => {
    return { title, operation: 'verify_webhook', arguments: given(changes), error: { code } };
  };
  const invalid = 'WEBHOOK.SIGNATURE_INVALID';
  const late = 'WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE';
  const malformed = 'WEBHOOK.MALFORMED';
  const signed = headers();
  const both = `${signature(body, nowSeconds, oldSecretBytes)} ${signature(body, nowSeconds)}`;
  const without = (name: string) => Object.fromEntries(Object.entries(signed).filter(([key]) => key !== name));
  const unknown = JSON.stringify({ ...event, type: 'license.brand_new' });
  return [
    accepted('the event is returned with every field', {}),
    accepted('the names of headers may have capital letters', {
      headers: {
        'Webhook-Id': id,
        'WEBHOOK-TIMESTAMP': String(nowSeconds),
        'Webhook-Signature': signature(body, nowSeconds),
      },
    }),
    accepted('other headers are ignored', {
      headers: { ...signed, 'content-type': 'application/json', 'x-other': '1' },
    }),
    accepted(
      'types of a newer service are returned',
      { body: unknown, headers: headers(unknown) },
      { type: 'license.brand_new' },
    ),
    accepted('during a rotation, the new secret accepts a request with both signatures', {
      headers: { ...signed, 'webhook-signature': both },
    }),
    accepted('during a rotation, the old secret accepts a request with both signatures', {
      secret: oldSecret,
      headers: { ...signed, 'webhook-signature': both },
    }),
    accepted('one of two secrets accepts a request with the old signature', {
      secret: [secret, oldSecret],
      headers: headers(body, nowSeconds, oldSecretBytes),
    }),
    accepted('one of two secrets accepts a request with the new signature', { secret: [oldSecret, secret] }),
    accepted('signatures of other versions are ignored', {
      headers: { ...signed, 'webhook-signature': `v1a,AAAA ${signature(body, nowSeconds)} v2,BBBB` },
    }),
    accepted('a request is accepted for five minutes', { now: nowSeconds + 300 }),
    refused('a request is refused after five minutes', late, { now: nowSeconds + 301 }),
    accepted('a clock may be five minutes behind', { now: nowSeconds - 300 }),
    refused('a clock may not be further behind', late, { now: nowSeconds - 301 }),
    accepted('the tolerance can be changed', { tolerance_seconds: 600, now: nowSeconds + 600 }),
    refused('a changed tolerance ends', late, { tolerance_seconds: 10, now: nowSeconds + 11 }),
    refused('a changed body', invalid, { body: body.replace('license.created', 'license.deleted') }),
    refused('a body with a space more', invalid, { body: `${body} ` }),
    refused('another id', invalid, { headers: { ...signed, 'webhook-id': `${id}0` } }),
    refused('another timestamp', invalid, { headers: { ...signed, 'webhook-timestamp': String(nowSeconds + 1) } }),
    refused('another secret', invalid, { secret: oldSecret }),
    refused('the text of the secret as the key', invalid, { headers: headers(body, nowSeconds, Buffer.from(secret)) }),
    refused('the signature of an older version', invalid, {
      headers: { ...signed, 'webhook-signature': signature(body, nowSeconds).replace('v1,', 'v0,') },
    }),
    refused('a signature without a version', invalid, {
      headers: { ...signed, 'webhook-signature': signature(body, nowSeconds).slice(3) },
    }),
    refused('a shortened signature', invalid, {
      headers: { ...signed, 'webhook-signature': signature(body, nowSeconds).slice(0, 20) },
    }),
    refused('an empty signature', invalid, { headers: { ...signed, 'webhook-signature': 'v1,' } }),
    ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
      refused(`no header ${name}`, malformed, { headers: without(name) }),
    ),
    refused('a timestamp that is a date', malformed, { headers: { ...headers(body, '2026-05-28T20:26:40Z') } }),
    refused('a timestamp with letters at its end', malformed, { headers: { ...headers(body, `${nowSeconds}e3`) } }),
    refused('a signed body that is not JSON', malformed, { body: 'event', headers: headers('event') }),
    refused('a signed body that is a list', malformed, { body: '[]', headers: headers('[]') }),
    refused('a parsed body is a mistake of the caller', 'CONFIGURATION.INVALID', { body: event }),
    refused('no body is a mistake of the caller', 'CONFIGURATION.INVALID', { body: null }),
    refused('no headers are a mistake of the caller', 'CONFIGURATION.INVALID', { headers: null }),
    refused('an unset secret is a mistake of the caller', 'CONFIGURATION.INVALID', { secret: null }),
    refused('an unset secret of two is a mistake of the caller', 'CONFIGURATION.INVALID', { secret: [secret, null] }),
    refused('an empty secret is a mistake of the caller', 'CONFIGURATION.INVALID', { secret: '' }),
    refused('an empty list of secrets is a mistake of the caller', 'CONFIGURATION.INVALID', { secret: [] }),
    refused('a wrong secret is reported before wrong headers', 'CONFIGURATION.INVALID', { secret: '', headers: {} }),
    refused('one wrong secret of two is a mistake of the caller', 'CONFIGURATION.INVALID', { secret: [secret, ''] }),
    refused('a secret in base64 without padding is a mistake of the caller', 'CONFIGURATION.INVALID', {
      secret: secret.replaceAll('=', ''),
    }),
    refused('a signature in base64 without padding', invalid, {
      headers: { ...signed, 'webhook-signature': signature(body, nowSeconds).replaceAll('=', '') },
    }),
    refused('a signed event without an id', malformed, {
      body: '{"type":"license.created"}',
      headers: headers('{"type":"license.created"}'),
    }),
    refused('a secret that is not base64 is a mistake of the caller', 'CONFIGURATION.INVALID', { secret: 'whsec_!' }),
  ];
}
