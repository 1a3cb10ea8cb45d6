import type { Static } from 'typebox';
import { FormatQuery } from '../../../../http/file-export.ts';
import { strictObject } from '../../../../http/schema.ts';
import { LicensesQuery } from '../schemas.ts';

// An export has the same filters as the list, but no pages and one order.
const { limit: _limit, cursor: _cursor, sort: _sort, ...filters } = LicensesQuery.properties;

export const ExportQuery = strictObject({
  format: FormatQuery,
  ...filters,
});
export type ExportQuery = Static<typeof ExportQuery>;
