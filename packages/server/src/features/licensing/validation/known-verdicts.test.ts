import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ChangeMark } from '../../../db/change-mark.ts';
import { type KnownVerdict, KnownVerdicts, VerdictText } from './known-verdicts.ts';
import type { ValidateLicense, Verdict } from './schemas.ts';

const mark = new ChangeMark();
const from = '2026-11-20T12:00:00.000000Z';
const until = '2026-11-20T13:00:00.000000Z';
const [before, within] = ['2026-11-20T11:59:59.999999Z', '2026-11-20T12:59:59.999999Z'];

function verdictOf(metadata: object = {}): Verdict {
  return { valid: true, code: 'LICENSE.VALID', nonce: null, license: { metadata, last_validated_at: null } } as never;
}

/** Orders the fields as the schema of the response does. */
const serialise = (envelope: object) => {
  const { data, meta } = envelope as { data: Verdict; meta: object };
  return JSON.stringify({ data: { checked_at: data.checked_at, nonce: data.nonce, license: data.license }, meta });
};

function known(question: ValidateLicense, text = VerdictText.of(verdictOf(), serialise)): KnownVerdict {
  if (text === undefined) throw new Error('There is no text.');
  return { question, licenseId: '1', changes: mark.changes, code: 'LICENSE.VALID', from, until, text };
}

test('a verdict is known only for its mark, key, question and time', () => {
  const verdicts = new KnownVerdicts();
  const question = { fingerprint: 'a', entitlements: ['export'] };
  const verdict = known(question);
  verdicts.keep(mark, 'KEY', verdict);
  expect(verdicts.find(mark, 'KEY', { ...question, nonce: 'other' }, within)).toBe(verdict);
  expect(verdicts.find(new ChangeMark(), 'KEY', question, within)).toBeUndefined();
  expect(verdicts.find(mark, 'OTHER', question, within)).toBeUndefined();
  expect(verdicts.find(mark, 'KEY', question, before)).toBeUndefined();
  expect(verdicts.find(mark, 'KEY', question, until)).toBeUndefined();
  const others: ValidateLicense[] = [
    {},
    { fingerprint: 'a' },
    { ...question, fingerprint: 'b' },
    { ...question, product: 'editor' },
    { ...question, entitlements: ['export', 'print'] },
    { ...question, version_released_at: from },
  ];
  for (const other of others) expect(verdicts.find(mark, 'KEY', other, within)).toBeUndefined();
});

test('verdicts in use stay known while the memory is limited', () => {
  const verdicts = new KnownVerdicts(20_000);
  const question = { fingerprint: 'a' };
  verdicts.keep(mark, 'busy', known(question));
  for (let index = 0; index < 100; index += 1) {
    verdicts.keep(mark, `KEY-${index}`, known(question));
    expect(verdicts.find(mark, 'busy', question, within)).toBeDefined();
  }
  expect(verdicts.find(mark, 'KEY-0', question, within)).toBeUndefined();
});

test('the verdicts of a mark are freed when nothing has the mark any more', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const verdicts = new KnownVerdicts();
  const keepUnder = (kept: ChangeMark) => {
    const verdict = known({});
    verdicts.keep(kept, 'KEY', verdict);
    return new WeakRef(verdict);
  };
  const [current, former] = [keepUnder(mark), keepUnder(new ChangeMark())];
  // A weak reference holds its object until the current turn of the event loop ends.
  await nextTurn();
  collectGarbage();
  expect(current.deref()).toBeDefined();
  expect(former.deref()).toBeUndefined();
});

test('devices of one license replace the verdicts of the longest unasked devices', () => {
  const verdicts = new KnownVerdicts();
  const devices = Array.from({ length: 20 }, (_, index) => ({ fingerprint: `device ${index}` }));
  for (const question of devices) verdicts.keep(mark, 'KEY', known(question));
  const found = devices.filter((question) => verdicts.find(mark, 'KEY', question, within) !== undefined);
  expect(found).toEqual(devices.slice(-found.length));
  expect(found.length).toBeLessThan(devices.length);
});

test.each([undefined, 'a "quoted" nonce'])(
  'the text of a verdict contains the time, the request and the nonce %s',
  (nonce) => {
    const text = VerdictText.of(verdictOf({ seat: 7 }), serialise)?.with({
      now: within,
      nonce,
      requestId: 'request-1',
    });
    expect(JSON.parse(text ?? '')).toEqual({
      data: { checked_at: within, nonce: nonce ?? null, license: { metadata: { seat: 7 }, last_validated_at: within } },
      meta: { request_id: 'request-1', api_version: '1' },
    });
  },
);

test('a verdict is not kept if a text of its license looks like the place of a variable', () => {
  expect(VerdictText.of(verdictOf({ note: '\u0001now' }), serialise)).toBeUndefined();
});
