import { describe, expect, test } from 'vitest';
import { argumentsAt } from '../../server/test/architecture/calls.ts';
import { readSourceFiles } from '../../server/test/architecture/source-files.ts';
import { saysWhatToDo } from '../../server/test/support/instructions.ts';
import { type GuardState, type LicensingCode, type LicensingError, verifyCertificate } from '../src/index.ts';
import { newSigningKey, signedToken } from './support/signing.ts';

/** The calls that take a sentence, with its position. */
const makers: readonly (readonly [call: RegExp, position: number])[] = [
  [/(?<!function )configurationError\(/g, 0],
  [/(?<!function )\b(?:refused|refusal|deny)\(/g, 1],
  [/(?<!function )wrapped\(/g, 2],
];

const literal = /^(?:'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)$/s;

/** Returns the sentences of a source: those of the calls, and each constant or field named `message` or `detail`. */
function sentencesIn(text: string): string[] {
  const given = makers.flatMap(([call, position]) =>
    [...text.matchAll(call)].map((match) => argumentsAt(text, match.index + match[0].length - 1)[position] ?? ''),
  );
  const named = [...text.matchAll(/\b(?:message|detail)(?:: | = )('(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)/g)];
  return [...given, ...named.map(([, value = '']) => value)].flatMap((value) => {
    const [, plain, template] = literal.exec(value) ?? [];
    const sentence = plain ?? template ?? '';
    // A text that ends with another one gets the instruction from that.
    return sentence === '' || sentence.endsWith('}') ? [] : sentence;
  });
}

describe('every message of the package', () => {
  const sentences = readSourceFiles('packages/sdk/src/**/*.ts').flatMap(({ text }) => sentencesIn(text));

  test('is found in the source', () => {
    expect(sentences.length).toBeGreaterThan(60);
  });

  test('says what to do', () => {
    expect(sentences.filter((sentence) => !saysWhatToDo(sentence))).toEqual([]);
  });
});

const key = newSigningKey('key-1');
const claims = { iss: 'https://one.example.com', aud: 'tenant-1', sub: 'license-1', iat: 0, nbf: 0, exp: 9e9 };
const certificate = signedToken(key, { alg: 'EdDSA', typ: 'license+jwt', kid: 'key-1' }, claims);
const expected = { jwks: { keys: [key.jwk] }, issuer: claims.iss, audience: claims.aud };

describe('a statement of another service or tenant', () => {
  test.each([
    [{ issuer: 'https://two.example.com' }, /https:\/\/one\..*https:\/\/two\..*Set `issuer` to the PUBLIC_URL/],
    [{ audience: 'tenant-2' }, /tenant-1.*tenant-2.*Set `audience` to the id of your tenant/],
  ])('is refused with both values and what to set: %o', async (options, message) => {
    const { detail } = await verifyCertificate(certificate, { ...expected, ...options });
    expect(detail).toMatch(message);
  });

  test.each(['issuer', 'audience'])('cannot be recognised without `%s`: the error names it', async (name) => {
    await expect(verifyCertificate(certificate, { ...expected, [name]: undefined })).rejects.toMatchObject({
      code: 'CONFIGURATION.INVALID',
      message: expect.stringMatching(new RegExp(`^\`${name}\` is missing\\. Set it`)),
    });
  });
});

test('the known codes are literal types, and unknown ones pass through', () => {
  const known: LicensingCode[] = ['LICENSE.EXPIRED', 'PLAN.LIMIT_REACHED', 'GUARD.STOPPED', 'PROOF.ISSUER_MISMATCH'];
  const later: LicensingCode = 'LICENSE.OF_A_LATER_VERSION';
  // Both have that type, so an editor completes the codes.
  const reason: LicensingCode = ({ reason: later } satisfies Pick<GuardState, 'reason'>).reason;
  const code: LicensingError['code'] = reason;
  expect([...known, code]).toHaveLength(5);
});
