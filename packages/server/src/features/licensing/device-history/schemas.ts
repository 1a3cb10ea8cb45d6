import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';

/** At most this many checks are kept for a license: the newest. */
export const keptChecks = 100;

/** The version of the application that asks, as its vendor writes it. */
export const AppVersion = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'The version of your application. It changes no verdict; the checks of the license show it.',
  examples: ['4.2.1'],
});

const exampleCheck = {
  kind: 'activation',
  fingerprint: '5f8c1e0b7a2d4936',
  code: 'ACTIVATION.LIMIT_REACHED',
  is_allowed: false,
  app_version: '4.2.1',
  address: '203.0.113.7',
  first_at: '2026-11-21T10:02:00.000000Z',
  last_at: '2026-11-21T10:14:30.000000Z',
  count: 4,
};

/** What one device asked about a license, with one result. */
export const LicenseCheck = Type.Object(
  {
    kind: Type.Union([Type.Literal('validation'), Type.Literal('activation')], {
      title: 'LicenseCheckKind',
      description: 'What the device asked for.',
    }),
    fingerprint: Nullable(Type.String(), { description: 'The device; null: the request named none.' }),
    code: Type.String({
      description: 'The code of the verdict; of an activation `ACTIVATION.CREATED`, or the error code.',
    }),
    is_allowed: Type.Boolean({ description: 'Whether the device was allowed to use the license.' }),
    app_version: Nullable(Type.String(), { description: 'The newest `app_version` that the device sent.' }),
    address: Nullable(Type.String(), { description: 'The IP address of the newest request.' }),
    first_at: described(TimestampOut, 'The time of the first request with this result that is kept.'),
    last_at: described(TimestampOut, 'The time of the newest one.'),
    count: Type.Integer({ description: 'The number of requests of this device with this result.' }),
  },
  {
    title: 'LicenseCheck',
    description: 'What a device asked about a license, and what it was told, with the number of repetitions.',
    examples: [exampleCheck],
  },
);
export type LicenseCheck = Static<typeof LicenseCheck>;

export const LicenseChecksQuery = strictObject({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: keptChecks, default: keptChecks, description: 'Maximum number of rows.' }),
  ),
  is_allowed: Type.Optional(
    Type.Boolean({ description: 'Return only checks that were allowed, or only those that were refused.' }),
  ),
});
export type LicenseChecksQuery = Static<typeof LicenseChecksQuery>;

/** The `data` of the event `activation.limit_reached`. */
export const ActivationRefusal = Type.Object(
  {
    license_id: Uuid,
    fingerprint: Type.String({ description: 'The device that was refused.' }),
    name: Nullable(Type.String(), { description: 'The name of the device.' }),
    hostname: Nullable(Type.String(), { description: 'The host name of the device.' }),
    platform: Nullable(Type.String(), { description: 'The operating system of the device.' }),
    ip: Nullable(Type.String(), { description: 'The IP address of the device.' }),
    activations_count: Type.Integer({ description: 'The devices that hold a seat.' }),
    max_activations: Nullable(Type.Integer(), { description: 'The seats of the license.' }),
  },
  { title: 'ActivationRefusal', description: 'A device that was refused because every seat is taken.' },
);
export type ActivationRefusal = Static<typeof ActivationRefusal>;
