import { type Static, Type } from 'typebox';
import { strictObject, TimestampIn } from '../../../http/schema.ts';

/** Which part of time a series tells of. */
export const seriesFilters = {
  from: Type.Optional(
    Type.Unsafe<string>({
      ...TimestampIn,
      description:
        'In the first bucket. Absent: 24 hours before `to` for hours, 30 days for days. 1,100 buckets at most.',
    }),
  ),
  to: Type.Optional(Type.Unsafe<string>({ ...TimestampIn, description: 'The end, not included. Absent: now.' })),
  interval: Type.Optional(
    Type.Union([Type.Literal('hour'), Type.Literal('day')], {
      default: 'day',
      description: 'Of UTC. Hours are kept for 60 days, days for three years.',
    }),
  ),
};

export const SeriesQuery = strictObject(seriesFilters);
export type SeriesQuery = Static<typeof SeriesQuery>;
