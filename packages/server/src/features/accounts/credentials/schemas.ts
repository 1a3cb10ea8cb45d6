import { Type } from 'typebox';
import { Nullable } from '../../../http/schema.ts';

/** The name of the creator of a credential. */
export const CreatorName = Nullable(Type.String(), {
  description:
    'The present name of the member or access token. Null for others, for callers with an access token, and in ' +
    'events and the response to the creation, because these are stored.',
});
