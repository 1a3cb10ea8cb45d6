import { type Static, Type } from 'typebox';
import { strictObject } from '../../../../http/schema.ts';
import { LicensesQuery } from '../schemas.ts';

// An export has the same filters as the list, but no pages and one order.
const { limit: _limit, cursor: _cursor, sort: _sort, ...filters } = LicensesQuery.properties;

export const ExportQuery = strictObject({
  format: Type.Optional(
    Type.Union([Type.Literal('csv'), Type.Literal('ndjson')], {
      default: 'csv',
      description: 'The format of the file: CSV with a header row, or one JSON object per line.',
    }),
  ),
  ...filters,
});
export type ExportQuery = Static<typeof ExportQuery>;
