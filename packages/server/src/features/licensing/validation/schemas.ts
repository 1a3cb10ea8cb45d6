import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, TimestampIn, TimestampOut } from '../../../http/schema.ts';
import { Activation, deviceFields, exampleActivation, Fingerprint } from '../activations/schemas.ts';
import { AppVersion } from '../device-history/schemas.ts';
import { EntitlementCheck, EntitlementCodes, exampleCheck } from '../entitlement-checks/schemas.ts';
import { exampleLicense, License } from '../licenses/schemas.ts';
import { VerdictClaims, VerdictCodeName } from './verdict-catalog.ts';

export const ValidateLicense = strictObject(
  {
    product: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The id or the code of the product that the license must belong to.',
        examples: ['editor'],
      }),
    ),
    fingerprint: Type.Optional(
      described(Fingerprint, 'The device that the license must be activated for, if its policy requires activation.'),
    ),
    components: deviceFields.components,
    entitlements: Type.Optional(
      described(
        EntitlementCodes,
        'The entitlements that the license must grant. If absent, the verdict lists all granted entitlements.',
      ),
    ),
    version_released_at: Type.Optional(
      described(TimestampIn, 'When your release was published; it must not be after the end of the maintenance.'),
    ),
    nonce: Type.Optional(
      Type.String({
        maxLength: 255,
        description: 'The response contains it unchanged. With `proof` it is required and has 16 to 128 characters.',
        examples: ['b4f1c09de7a25836'],
      }),
    ),
    app_version: Type.Optional(AppVersion),
    proof: Type.Optional(Type.Boolean({ default: false, description: 'Whether the verdict shall be signed.' })),
  },
  {
    title: 'ValidateLicense',
    description: 'Asks whether a license may be used. Every field is optional and adds a condition.',
    examples: [{ product: 'editor', fingerprint: '5f8c1e0b7a2d4936', entitlements: ['export'] }],
  },
);
export type ValidateLicense = Static<typeof ValidateLicense>;

/** The license of a verdict: the license as the tenant's API presents it, with its effective limit of activations. */
const VerdictLicense = Type.Object(
  {
    ...License.properties,
    max_activations: Nullable(Type.Integer(), {
      description: "The effective limit: the license's own, otherwise its policy's. Null: unlimited.",
    }),
  },
  {
    title: 'VerdictLicense',
    description: 'The license with its effective limit of activations; null for an unknown key.',
  },
);

export const Verdict = Type.Object(
  {
    valid: Type.Boolean({ description: 'Whether the license may be used as the request asks.' }),
    code: VerdictCodeName,
    detail: Type.String({ description: 'The reason as an English sentence.' }),
    checked_at: described(TimestampOut, "The time of the verdict, by the service's clock."),
    nonce: Nullable(Type.String(), { description: 'The `nonce` of the request.' }),
    license: Nullable(VerdictLicense),
    activation: Nullable(Activation, { description: 'The activation of the `fingerprint`, if there is one.' }),
    entitlements: Type.Array(EntitlementCheck, {
      description: 'The requested entitlements; without a request, all that the license grants.',
    }),
    proof: Type.Optional(
      Type.String({
        contentMediaType: 'application/jwt',
        contentSchema: VerdictClaims,
        description:
          'The signed verdict, if the request asked for it: a compact JWS (EdDSA) of type `verdict+jwt`. Verify it with ' +
          'the JWK Set of the tenant, and compare its claims with the question, first of all the `nonce`.',
      }),
    ),
  },
  {
    title: 'Verdict',
    description: 'Whether a license may be used now, and why.',
    examples: [
      {
        valid: true,
        code: 'LICENSE.VALID',
        detail: 'The license is valid.',
        checked_at: '2026-11-21T08:15:30.000000Z',
        nonce: null,
        license: { ...exampleLicense, max_activations: 3 },
        activation: exampleActivation,
        entitlements: [exampleCheck],
      },
    ],
  },
);
export type Verdict = Static<typeof Verdict>;
