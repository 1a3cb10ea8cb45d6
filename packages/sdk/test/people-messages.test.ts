import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readMessages } from '../scripts/messages.ts';
import { messageFor } from '../src/messages.ts';

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'));
const verdicts: readonly string[] = document.components.schemas.VerdictCode.enum;
const general = messageFor('*');

describe('the texts for the users of an application', () => {
  test.each(Object.entries(readMessages()))(
    'about %s are one or two sentences without names of code',
    (_code, texts) => {
      expect(Object.keys(texts)).toEqual(['en', 'de', 'fr']);
      for (const text of Object.values(texts)) {
        expect(text).not.toMatch(/[`_]|\w\(|seat|activation |holder|certificate/i);
        expect(text).toMatch(/^[^.]+\.(?: [^.]+\.)?$/);
      }
    },
  );

  test.each([
    ...verdicts,
    ...['LICENSE.KEY_MISSING', 'GUARD.CHECKING', 'GUARD.NOT_STARTED', 'GUARD.STOPPED', 'CLOCK.SET_BACK'],
    ...['NETWORK.TIMEOUT', 'PROOF.SIGNATURE_INVALID', 'CERTIFICATE.EXPIRED', 'ACTIVATION.LIMIT_REACHED'],
  ])('exist for %s', (code) => {
    expect(messageFor(code)).not.toBe(general);
  });

  test.each([
    ['de', 'LICENSE.VALID', 'Die Lizenz ist gültig.'],
    ['de-AT', 'LICENSE.VALID', 'Die Lizenz ist gültig.'],
    ['FR_ca', 'LICENSE.VALID', 'La licence est valable.'],
    ['it', 'LICENSE.VALID', 'The license is valid.'],
    ['', 'LICENSE.VALID', 'The license is valid.'],
    ['en', 'NETWORK.LATER', messageFor('NETWORK.TIMEOUT')],
    ['en', 'LATER.CODE', general],
    ['en', 'constructor', general],
  ])('in the language "%s" about %s are: %s', (language, code, text) => {
    expect(messageFor(code, language)).toBe(text);
  });
});
