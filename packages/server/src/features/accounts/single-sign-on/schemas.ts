import { Type } from 'typebox';
import { annotated, described, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { AbilityName, SecondFactorCode } from '../identity/schemas.ts';

/** Whether people can log in with a provider, for login screens. */
export const SingleSignOn = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether single sign-on is configured.' }),
    name: Type.Union([Type.String(), Type.Null()], { description: 'The name of the provider; null without one.' }),
    abilities: Type.Array(AbilityName, { description: 'The kinds of account that can log in with it.' }),
    sign_up: Type.Boolean({ description: 'Whether a user without an account gets one.' }),
  },
  {
    title: 'SingleSignOn',
    description: 'Whether users and admins can log in through an identity provider.',
    examples: [{ enabled: true, name: 'Example ID', abilities: ['tenant'], sign_up: false }],
  },
);

/** A path of the dashboard. Browsers read `//host` and `/\host` as other hosts, and skip control characters. */
const ReturnTo = Type.Refine(
  Type.String({ maxLength: 500, description: 'The path of the dashboard to open after the login.' }),
  (path) => /^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(path),
  () => 'Enter a path of the dashboard, such as /licenses.',
);

/** The query of a request that starts a login. */
export const StartQuery = strictObject({
  ability: Type.Optional(
    annotated(AbilityName, { default: 'tenant', description: 'Whether a user or an admin logs in.' }),
  ),
  return_to: Type.Optional(ReturnTo),
});

/** The body with which the dashboard exchanges the code of a finished login. */
export const ExchangeCode = strictObject(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The code in the fragment of the URL to which the login returned. It works once, for 5 minutes.',
    }),
    two_factor_code: Type.Optional(
      described(SecondFactorCode, 'The code of the authenticator app or a recovery code, if two-factor login is on.'),
    ),
    device_name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'The name of the device in the list of sessions.' }),
    ),
  },
  {
    title: 'ExchangeSignOnCode',
    description: 'Exchanges the code of a single sign-on for an access token.',
    examples: [{ code: 'Zk3pQ8vN' }],
  },
);

/** An identity at a provider with which the user can log in. */
export const Identity = Type.Object(
  {
    id: Uuid,
    issuer: Type.String({ description: 'The URL that identifies the provider.' }),
    email: Type.String({ description: 'The address that the provider had verified when the identity was linked.' }),
    linked_at: described(TimestampOut, 'When the identity was linked.'),
    last_used_at: described(TimestampOut, 'The last login with it.'),
  },
  {
    title: 'Identity',
    description: 'An identity at the provider of single sign-on.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f719',
        issuer: 'https://login.example.com',
        email: 'ada@example.com',
        linked_at: '2026-11-20T17:42:00.123456Z',
        last_used_at: '2026-11-21T08:15:30.000000Z',
      },
    ],
  },
);
