import { type Static, Type } from 'typebox';
import { described, Email, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import {
  Activation,
  CreateActivation,
  deviceFields,
  exampleActivation,
  Fingerprint,
  namesDevice,
} from '../../licensing/activations/schemas.ts';
import { exampleLicense, LicenseStatus } from '../../licensing/licenses/schemas.ts';

const { name, hostname, platform } = CreateActivation.properties;

export const StartTrial = strictObject(
  {
    product: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The code or the id of the product.',
      examples: ['editor'],
    }),
    ...deviceFields,
    email: Type.Optional(described(Email, "The user's email address. The policy decides whether it is required.")),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "The user's name.", examples: ['Ada Lovelace'] }),
    ),
    device: Type.Optional(
      strictObject(
        { name, hostname, platform },
        { title: 'TrialDevice', description: 'The device, as people recognise it.' },
      ),
    ),
  },
  {
    ...namesDevice,
    title: 'StartTrial',
    description: 'Starts the trial of a product on a device.',
    examples: [{ product: 'editor', fingerprint: '5f8c1e0b7a2d4936', email: 'ada@example.com' }],
  },
);
export type StartTrial = Static<typeof StartTrial>;

export const ConfirmTrial = strictObject(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The code from the mail, in any case, with or without its dash.',
      examples: ['K7QF-9M2P'],
    }),
  },
  {
    title: 'ConfirmTrial',
    description: 'Confirms the email address of a trial.',
    examples: [{ code: 'K7QF-9M2P' }],
  },
);

/** A trial with its license. */
export const Trial = Type.Object(
  {
    status: Type.Literal('started'),
    license_key: Type.String({
      description: 'The key of the license. The application validates and activates with it.',
    }),
    license_status: LicenseStatus,
    expires_at: Nullable(TimestampOut, { description: 'The end of the license; null: it has none.' }),
    activation: Nullable(Activation, {
      description: 'The seat of the device; null: it has none.',
    }),
  },
  {
    title: 'Trial',
    description: 'A trial: its license, and the seat of the device.',
    examples: [
      {
        status: 'started',
        license_key: exampleLicense.key,
        license_status: 'active',
        expires_at: '2026-12-04T17:42:00.123456Z',
        activation: exampleActivation,
      },
    ],
  },
);
export type Trial = Static<typeof Trial>;

/** A trial that waits for the confirmation of its address. */
export const PendingTrial = Type.Object(
  {
    status: Type.Literal('confirmation_required'),
    email: Type.String({ description: 'The address of the request, to which the code was sent.' }),
    expires_at: described(TimestampOut, 'The code works until this time.'),
  },
  {
    title: 'PendingTrial',
    description: 'The trial starts when its email address is confirmed.',
    examples: [
      { status: 'confirmation_required', email: 'ada@example.com', expires_at: '2026-11-21T17:42:00.123456Z' },
    ],
  },
);
export type PendingTrial = Static<typeof PendingTrial>;

export const ConvertLicense = strictObject(
  { policy_id: described(Uuid, "The policy that was bought: one of the license's product, other than the trial's.") },
  {
    title: 'ConvertLicense',
    description: 'Turns a trial license into a license of another policy.',
    examples: [{ policy_id: exampleLicense.policy_id }],
  },
);
export type ConvertLicense = Static<typeof ConvertLicense>;

export const AllowTrial = strictObject(
  {
    fingerprint: Type.Optional(described(Fingerprint, 'The device that had a trial.')),
    email: Type.Optional(described(Email, 'The address that had a trial.')),
  },
  {
    title: 'AllowTrial',
    description: 'Names the device or the address, or both, that may have another trial.',
    examples: [{ email: 'ada@example.com' }],
  },
);
export type AllowTrial = Static<typeof AllowTrial>;

/** What allowing another trial did. */
export const AllowedTrial = Type.Object(
  { forgotten: Type.Integer({ description: 'The trials that were forgotten; 0: none was known.' }) },
  { title: 'AllowedTrial', description: 'The result of allowing another trial.', examples: [{ forgotten: 1 }] },
);
