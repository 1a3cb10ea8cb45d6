import { type Static, Type } from 'typebox';
import { annotated, described, strictObject, TimestampIn } from '../../../http/schema.ts';

const intervalText = {
  title: 'SeriesInterval',
  description: 'The length of a bucket, in UTC. Hours are kept for 60 days, days for three years.',
};

/** The length of the buckets of a series. */
export const BucketIntervalName = Type.Union([Type.Literal('hour'), Type.Literal('day')], intervalText);

/** The query parameters that select the range and the interval of a series. */
export const seriesFilters = {
  from: Type.Optional(
    described(
      TimestampIn,
      'A time in the first bucket. Default: 24 hours before `to` for hours, 30 days before `to` for days. A range ' +
        'may have at most 1,100 buckets.',
    ),
  ),
  to: Type.Optional(described(TimestampIn, 'The end of the range, exclusive. Default: now.')),
  interval: Type.Optional(annotated(BucketIntervalName, { ...intervalText, default: 'day' })),
};

/** A query with only the range and the interval of a series. */
export const SeriesQuery = strictObject(seriesFilters);
export type SeriesQuery = Static<typeof SeriesQuery>;
