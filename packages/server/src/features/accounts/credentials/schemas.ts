import { Type } from 'typebox';
import { Nullable } from '../../../http/schema.ts';

/** The name of the creator of a credential. */
export const CreatorName = Nullable(Type.String(), {
  description:
    'The present name of the member or access token; null for others and for callers with an access token. Only in ' +
    'lists with `include=details`.',
});
