import { queryOptions } from '@tanstack/react-query';
import type { Surface } from '../surfaces.ts';
import { dataOf, once } from './body.ts';
import { apiOf } from './client.ts';
import { onSurface } from './endpoints.ts';
import { keyOf } from './query-client.ts';
import type { components } from './schema.gen.ts';

export type BulkOperation = components['schemas']['BulkOperation'];
export type BulkPreview = components['schemas']['BulkPreview'];
export type BulkAction = components['schemas']['BulkAction'];
export type LicenseBatch = components['schemas']['LicenseBatch'];
type CreateBulkOperation = components['schemas']['CreateBulkOperation'];

/** What a bulk operation is about, without how it is sent. */
export type BulkRequest = Omit<CreateBulkOperation, 'dry_run'>;

/** Query-key prefix of bulk operations. */
export const bulkKey = (surface: Surface) => keyOf(surface, 'bulk-operations');
/** Query-key prefix of batches of licenses. */
export const batchesKey = (surface: Surface) => keyOf(surface, 'license-batches');

const liveMs = 1_500;
/** Reads again while the work runs. */
const whileRunning = (state: string | undefined) => (state === 'running' ? liveMs : false);

/** Reads one page of bulk operations. */
export const bulkOperationsQuery = onSurface.page('/api/v1/tenant/bulk-operations', ['bulk-operations', 'list'], {
  refetchInterval: ({ state }) => whileRunning(state.data?.data.find((row) => row.state === 'running')?.state),
});

/** Reads one bulk operation, and its progress while it runs. */
export const bulkOperationQuery = onSurface.one('/api/v1/tenant/bulk-operations/{id}', ['bulk-operations'], {
  refetchInterval: ({ state }) => whileRunning(state.data?.state),
});

/** Returns what an operation would do. */
export async function previewBulkOperation(surface: Surface, request: BulkRequest): Promise<BulkPreview> {
  const answer = await post(surface, { body: { ...request, dry_run: true } });
  if ('examples' in answer) return answer;
  throw new Error('The service started an operation instead of answering what it would do. Open the bulk operations.');
}

/** Reads what an operation would do. */
export function previewQuery(surface: Surface, request: BulkRequest) {
  return queryOptions({
    queryKey: [...bulkKey(surface), 'preview', request],
    queryFn: () => previewBulkOperation(surface, request),
  });
}

/** Starts an operation, once per `idempotencyKey`. */
export async function startBulkOperation(
  surface: Surface,
  body: BulkRequest,
  idempotencyKey: string,
): Promise<BulkOperation> {
  const answer = await post(surface, { params: once(idempotencyKey), body });
  if ('id' in answer) return answer;
  throw new Error('The service did not start the operation. Try again.');
}

// Not an interface: the client's options have an index signature.
type PostOptions = {
  readonly params?: ReturnType<typeof once>;
  readonly body: CreateBulkOperation;
};

/** The response depends on `dry_run`, which the types of the paths do not say. */
function post(surface: Surface, options: PostOptions): Promise<BulkPreview | BulkOperation> {
  return dataOf<BulkPreview | BulkOperation>(apiOf(surface).POST('/api/v1/tenant/bulk-operations', options));
}

/** Ends a running operation. */
export const cancelBulkOperation = onSurface.POST('/api/v1/tenant/bulk-operations/{id}/cancel');

/** Starts the operation that takes another one back. */
export const undoBulkOperation = onSurface.POST('/api/v1/tenant/bulk-operations/{id}/undo');

/** Reads what an operation changed, as a file. */
export const exportBulkChanges = onSurface.file('/api/v1/tenant/bulk-operations/{id}/changes');

/** Reads one page of batches. */
export const batchesQuery = onSurface.page('/api/v1/tenant/license-batches', ['license-batches', 'list'], {
  refetchInterval: ({ state }) => whileRunning(state.data?.data.find((row) => row.state === 'running')?.state),
});

/** Reads one batch, and its progress while its licenses are issued. */
export const batchQuery = onSurface.one('/api/v1/tenant/license-batches/{id}', ['license-batches'], {
  query: { include: 'details' },
  refetchInterval: ({ state }) => whileRunning(state.data?.state),
});

/** Issues many licenses, once per `idempotencyKey`. */
export const createBatch = onSurface.POST('/api/v1/tenant/license-batches');

/** Ends a batch that is still issued. */
export const cancelBatch = onSurface.POST('/api/v1/tenant/license-batches/{id}/cancel');

/** Reads the keys of a batch, as a file. */
export const exportBatchKeys = onSurface.file('/api/v1/tenant/license-batches/{id}/keys');
