import type { RequestedBy } from '../db/tables/tenant/bulk.ts';
import type { Actor } from './tenant.ts';

/** Returns the columns that name who asked for work that a job does. */
export function requesterColumns({ type, id, createdBy, requestId }: Actor): RequestedBy {
  return {
    requested_by_type: type,
    requested_by_id: id,
    requested_by_creator: createdBy ?? null,
    request_id: requestId,
  };
}

/** Returns who asked for work. The request is over, so its address is not known any more. */
export function requesterOf(row: RequestedBy): Actor {
  const { requested_by_type: type, requested_by_id: id, requested_by_creator: createdBy, request_id: requestId } = row;
  return { type, id, requestId, ip: null, ...(createdBy !== null && { createdBy }) };
}
