import { type Static, Type } from 'typebox';
import { described, Nullable, strictObject, TimestampOut, Uuid } from '../../../http/schema.ts';
import { figuresMost } from '../../holders/trials/conversion-service.ts';
import { LimitUses } from '../../licensing/dev-tools/schemas.ts';
import { failuresMost } from '../../webhooks/endpoints/health-service.ts';
import { BucketIntervalName } from '../activity/schemas.ts';
import { examinedMost, expiringShown } from './queries.ts';

const LicenseCounts = Type.Object(
  {
    total: Type.Integer({ description: 'All licenses that are not deleted.' }),
    active: Nullable(Type.Integer(), {
      description: 'Null if it is not known, because another count is a lower bound.',
    }),
    pending: Type.Integer(),
    suspended: Type.Integer(),
    expired: Type.Integer(),
    revoked: Type.Integer(),
    expiring: Type.Integer({ description: 'Active licenses that expire within `expiring_soon_days` of the settings.' }),
    lower_bounds: Type.Array(Type.String(), {
      description: `The names of the counts that are lower bounds: each examines at most ${examinedMost} licenses.`,
    }),
  },
  { title: 'OverviewLicenses', description: 'The licenses of a tenant by status.' },
);

const ExpiringLicense = Type.Object(
  {
    id: Uuid,
    key: Type.String(),
    holder_name: Nullable(Type.String()),
    product_name: Type.String(),
    expires_at: TimestampOut,
  },
  { title: 'ExpiringLicense', description: 'A license that expires soon.' },
);

const ValidationPoint = Type.Object(
  {
    bucket_start: TimestampOut,
    total: Type.Integer({ description: 'All validations, including those that were counted before their codes were.' }),
    by_code: Type.Record(Type.String(), Type.Integer(), {
      description: 'The validations by the code of their verdict, without codes that did not occur.',
    }),
  },
  { title: 'ValidationPoint', description: 'The validations of one period by verdict.' },
);

const Validations = Type.Object(
  { interval: BucketIntervalName, points: Type.Array(ValidationPoint) },
  { title: 'ValidationSeries', description: 'Every bucket of the range, oldest first, without gaps.' },
);

const FailingWebhook = Type.Object(
  {
    id: Uuid,
    url: Type.String(),
    status: Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]),
    disabled_reason: Nullable(Type.String()),
    failed_deliveries: Type.Integer({
      description: `Deliveries of the last 24 hours that failed after all attempts; at most ${failuresMost}.`,
    }),
    retrying_deliveries: Type.Integer({
      description: `Deliveries that failed at least once and wait for the next attempt; at most ${failuresMost}.`,
    }),
  },
  { title: 'FailingWebhook', description: 'An endpoint that the service disabled, or that fails now.' },
);

const Trials = Type.Object(
  {
    days: Type.Integer({ description: 'The figures are of the trials that started in so many days.' }),
    started: Type.Integer({
      description: `Trials without a key that devices started; at most ${figuresMost}, the newest.`,
    }),
    converted: Type.Integer({ description: 'Those of them that were converted to a policy that is no trial.' }),
    conversion_rate: Nullable(Type.Number(), { description: 'From 0 to 1; null without a trial.' }),
    median_seconds_to_conversion: Nullable(Type.Integer(), {
      description: 'The median time from the start to the conversion; null without a conversion.',
    }),
  },
  { title: 'OverviewTrials', description: 'The trials without a key, and how many were bought.' },
);

const FirstSteps = Type.Object(
  {
    product: Type.Boolean(),
    policy: Type.Boolean(),
    license: Type.Boolean(),
    api_key: described(Type.Boolean(), 'There is an API key that is neither revoked nor expired.'),
    validation: described(Type.Boolean(), 'A license was validated.'),
  },
  { title: 'FirstSteps', description: 'The steps of a new tenant, and whether they are done.' },
);

/** Everything that the first screen of a tenant shows. */
export const Overview = Type.Object(
  {
    taken_at: TimestampOut,
    licenses: LicenseCounts,
    active_activations: Type.Integer(),
    expiring_soon_days: Type.Integer(),
    expiring_licenses: Type.Array(ExpiringLicense, {
      description: `The ${expiringShown} active licenses that expire first, within \`expiring_soon_days\`.`,
    }),
    validations: Validations,
    has_webhooks: Type.Boolean({ description: 'Whether the tenant has a webhook endpoint.' }),
    failing_webhooks: Type.Array(FailingWebhook),
    trials: Trials,
    limits: LimitUses,
    first_steps: FirstSteps,
  },
  {
    title: 'Overview',
    description: 'The state of a tenant at a glance.',
  },
);
export type Overview = Static<typeof Overview>;

export const FiguresQuery = strictObject({
  product_id: Type.Optional(described(Uuid, 'Count only licenses of this product.')),
});
export type FiguresQuery = Static<typeof FiguresQuery>;

const unknown = 'Null: audit records were removed.';

export const Figures = Type.Object(
  {
    timezone: Type.String(),
    months: Type.Array(
      Type.Object({
        month: Type.String(),
        issued: Type.Integer({ description: 'New licenses, without trials.' }),
        renewed: Nullable(Type.Integer(), { description: `Licenses that were renewed. ${unknown}` }),
        lost: Nullable(Type.Integer(), {
          description: `Licenses that ended and were not renewed since, were revoked or deleted. ${unknown}`,
        }),
        trials_started: Type.Integer({ description: 'Trials without a key.' }),
        trials_converted: Type.Integer(),
      }),
      { description: 'Oldest first.' },
    ),
    seats: Type.Array(Type.Object({ product_id: Uuid, product_name: Type.String(), seats: Type.Integer() }), {
      description: 'The seats that devices use now, by product.',
    }),
  },
  {
    title: 'Figures',
    description: 'What became of licenses and trials, by month.',
    examples: [
      {
        timezone: 'Europe/Berlin',
        months: [{ month: '2026-11', issued: 12, renewed: 30, lost: 4, trials_started: 40, trials_converted: 10 }],
        seats: [{ product_id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f708', product_name: 'Editor', seats: 58 }],
      },
    ],
  },
);
export type Figures = Static<typeof Figures>;
