import { type Static, Type } from 'typebox';
import { fileQuery } from '../../../http/file-export.ts';
import {
  described,
  FilterText,
  includeDetails,
  Name,
  Nullable,
  PageQuery,
  strictObject,
  TimestampOut,
  Uuid,
} from '../../../http/schema.ts';

const countMax = 10_000;

export const CreateLicenseBatch = strictObject(
  {
    name: described(Name, 'How people recognise the batch.'),
    policy_id: described(Uuid, 'The policy that the licenses are issued under.'),
    count: Type.Integer({ minimum: 1, maximum: countMax, description: 'The number of licenses.' }),
    note: Type.Optional(Nullable(FilterText(1000, 'Your own note, such as the order of the reseller.'))),
  },
  {
    title: 'CreateLicenseBatch',
    description: 'Licenses of a policy that are issued together.',
    examples: [
      {
        name: 'Reseller Nord, spring',
        policy_id: '019a9b1c-6b40-7d11-a2c4-0e9f3b7d5a18',
        count: 500,
        note: 'Purchase order 4711',
      },
    ],
  },
);
export type CreateLicenseBatch = Static<typeof CreateLicenseBatch>;

export const LicenseBatch = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    policy_id: Uuid,
    note: Nullable(Type.String()),
    count: Type.Integer({ description: 'The number of licenses that were asked for.' }),
    issued: Type.Integer({ description: 'The number of licenses that were issued.' }),
    used: Type.Optional(
      Type.Integer({ description: 'Those that were validated or activated. Only with `include=details`.' }),
    ),
    state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')], {
      title: 'LicenseBatchState',
      description: '`failed`: see `reason`. The licenses that were issued until then are kept.',
    }),
    reason: Nullable(Type.String(), { description: 'Why it failed, for people.' }),
    created_at: TimestampOut,
    ended_at: Nullable(TimestampOut),
  },
  {
    title: 'LicenseBatch',
    description: 'Licenses that were issued together. The list of licenses has a filter for them.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f72a',
        name: 'Reseller Nord, spring',
        policy_id: '019a9b1c-6b40-7d11-a2c4-0e9f3b7d5a18',
        note: 'Purchase order 4711',
        count: 500,
        issued: 500,
        state: 'done',
        reason: null,
        created_at: '2026-11-20T17:42:00.123456Z',
        ended_at: '2026-11-20T17:42:02.000000Z',
      },
    ],
  },
);
export type LicenseBatch = Static<typeof LicenseBatch>;

export const LicenseBatchQuery = strictObject(includeDetails('`details` adds `used`.'));

export const LicenseBatchesQuery = PageQuery({});
export type LicenseBatchesQuery = Static<typeof LicenseBatchesQuery>;

/** The query of the file of keys. */
export const BatchKeysQuery = strictObject({ ...fileQuery });
