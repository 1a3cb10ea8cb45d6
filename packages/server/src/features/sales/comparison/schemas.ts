import { type Static, Type } from 'typebox';
import { Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';

const exampleComparison = {
  id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9b1',
  state: 'running',
  seen: 300,
  total: 1200,
  differences: 2,
  applies_itself: false,
  reason: null,
  continues_at: '2026-11-20T17:42:05.000000Z',
  started_at: '2026-11-20T17:42:00.123456Z',
  ended_at: null,
};

export const Comparison = Type.Object(
  {
    id: Uuid,
    state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')], {
      title: 'ComparisonState',
      description: '`failed`: see `reason`. What was found until then is kept.',
    }),
    seen: Type.Integer({ description: 'The number of sales of the shop that were read.' }),
    total: Nullable(Type.Integer(), { description: 'The number of sales in the shop; null if it does not say it.' }),
    differences: Type.Integer({ description: 'The number of differences that were found.' }),
    applies_itself: Type.Boolean({ description: 'Whether the differences are applied without a person.' }),
    reason: Nullable(Type.String(), { description: 'Why it failed, or why it waits, for people.' }),
    continues_at: Nullable(TimestampOut, {
      description: 'When the service continues: it waits while the shop accepts no requests. Null: it has ended.',
    }),
    started_at: TimestampOut,
    ended_at: Nullable(TimestampOut),
  },
  {
    title: 'Comparison',
    description: "A comparison of a shop's sales with the licenses here.",
    examples: [exampleComparison],
  },
);
export type Comparison = Static<typeof Comparison>;

export const ComparisonsQuery = PageQuery({});
export type ComparisonsQuery = Static<typeof ComparisonsQuery>;

const DifferenceState = Type.Union([Type.Literal('open'), Type.Literal('applied')], {
  title: 'ComparisonDifferenceState',
  description: '`open`: it waits for a decision. `applied`: the licenses match the shop now.',
});

const Buyer = Type.Object({
  reference: Nullable(Type.String(), { description: "The shop's id of the customer." }),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
});

export const ComparisonDifference = Type.Object(
  {
    id: Uuid,
    external_id: Type.String({ description: "The shop's id of the subscription or of the order." }),
    kind: Type.Union(
      [
        Type.Literal('missing_here'),
        Type.Literal('active_here_only'),
        Type.Literal('other_terms'),
        Type.Literal('problem'),
      ],
      {
        title: 'ComparisonDifferenceKind',
        description:
          '`missing_here`: paid there and no license here. `active_here_only`: ended or not paid there and usable here. ' +
          '`other_terms`: other seats, another end or another policy. `problem`: the offers do not fit the sale.',
      },
    ),
    summary: Type.String({ description: 'What differs, for people.' }),
    buyer: Nullable(Buyer),
    state: DifferenceState,
    license_ids: Type.Array(Uuid, { description: 'The licenses of the sale.' }),
  },
  {
    title: 'ComparisonDifference',
    description: 'A sale of a shop whose licenses here do not match it.',
    examples: [
      {
        id: '019a9b2f-6600-7a41-9b52-0c63d7e8f9b2',
        external_id: 'sub_1PZ',
        kind: 'missing_here',
        summary: 'It is paid in the shop, and no license exists here.',
        buyer: { reference: 'cus_9', name: 'Ada Lovelace', email: 'ada@example.com' },
        state: 'open',
        license_ids: [],
      },
    ],
  },
);
export type ComparisonDifference = Static<typeof ComparisonDifference>;

export const DifferencesQuery = PageQuery({
  state: Type.Optional(DifferenceState),
});
export type DifferencesQuery = Static<typeof DifferencesQuery>;

/** The path parameters of one comparison. */
export const ComparisonParams = Type.Object({ id: Uuid, comparison_id: Uuid });

/** The path parameters of one difference. */
export const DifferenceParams = Type.Object({ id: Uuid, comparison_id: Uuid, difference_id: Uuid });
