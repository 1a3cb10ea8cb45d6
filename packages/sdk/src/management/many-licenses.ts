import type {
  BulkOperation,
  BulkOperationFilters,
  BulkPreview,
  CreateBulkOperation,
  CreateLicenseBatch,
  LicenseBatch,
  LicenseBatchFilters,
} from '../api-types.ts';
import type { CallOptions, CreateOptions } from '../request.ts';
import { type FileOptions, ReadableResource } from './resource.ts';

/** A change of many licenses, of which the method says whether it is only tried. */
export type BulkChangeRequest = Omit<CreateBulkOperation, 'dryRun'>;

/** The changes of many licenses at once. */
export class BulkOperations extends ReadableResource<BulkOperation, BulkOperationFilters> {
  /** Begins a change of many licenses. `get` returns its progress. */
  create(change: BulkChangeRequest, call?: CreateOptions): Promise<BulkOperation> {
    return this.endpoint.once([], call, { ...change, dryRun: false });
  }

  /** Returns what a change would do, and changes nothing. */
  preview(change: BulkChangeRequest, call?: CreateOptions): Promise<BulkPreview> {
    return this.endpoint.once([], call, { ...change, dryRun: true });
  }

  /** Ends a change that runs. What it changed so far stays. */
  cancel(id: string, call?: CallOptions): Promise<BulkOperation> {
    return this.endpoint.act([id, 'cancel'], call, { actsAgain: false });
  }

  /** Begins to take back a change: every field that nobody changed since. */
  undo(id: string, call?: CreateOptions): Promise<BulkOperation> {
    return this.endpoint.once([id, 'undo'], call);
  }

  /** Returns what was changed from what to what, as a stream. */
  exportChanges(id: string, options: FileOptions = {}, call?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.endpoint.export([id, 'changes'], options, call);
  }
}

/** The licenses that were created together, for a reseller. */
export class LicenseBatches extends ReadableResource<LicenseBatch, LicenseBatchFilters> {
  /** Begins to create up to 10,000 licenses of a policy. `get` returns the progress. */
  create(fields: CreateLicenseBatch, call?: CreateOptions): Promise<LicenseBatch> {
    return this.endpoint.once([], call, fields);
  }

  /** Ends a batch whose licenses are still being created. Those that exist stay. */
  cancel(id: string, call?: CallOptions): Promise<LicenseBatch> {
    return this.endpoint.act([id, 'cancel'], call, { actsAgain: false });
  }

  /** Returns the keys of a batch as a stream. */
  exportKeys(id: string, options: FileOptions = {}, call?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.endpoint.export([id, 'keys'], options, call);
  }
}
