import type { CreateLicense, ImportResult, License, LicenseFilters, UpdateLicense } from '../api-types.ts';
import { dataOf } from '../client.ts';
import { type CallOptions, type CreateOptions, randomKey } from '../request.ts';
import { EditableResource } from './resource.ts';

/** The content of an import: a text, bytes, a file, or a stream of them. */
export type ImportContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** The form of an imported or exported file. */
export interface ImportOptions extends CreateOptions {
  /** `application/x-ndjson` by default. */
  readonly contentType?: 'application/x-ndjson' | 'text/csv' | undefined;
  /** True creates every valid row. By default an invalid row refuses the whole import. */
  readonly partial?: boolean | undefined;
}

/** What is exported, and in which form. */
export interface ExportOptions extends Omit<LicenseFilters, 'limit'> {
  /** `ndjson` by default. */
  readonly format?: 'ndjson' | 'csv' | undefined;
}

/** The options of a call that changes the status of a license. */
export interface StatusOptions extends CallOptions {
  /** Why it is done: the license shows it, and the audit log keeps it. At most 500 characters. */
  readonly reason?: string | undefined;
}

/** The options of a renewal. Without a duration the policy decides. */
export interface RenewOptions extends CreateOptions {
  readonly durationDays?: number | undefined;
  /** Months of the calendar in the tenant's timezone; a year is 12. */
  readonly durationMonths?: number | undefined;
}

/** The licenses of the vendor. */
export class Licenses extends EditableResource<License, LicenseFilters, CreateLicense, UpdateLicense> {
  /** Makes a license invalid until it is reinstated. */
  suspend(id: string, options?: StatusOptions): Promise<License> {
    return this.#changeStatus(id, 'suspend', options);
  }

  /** Ends a suspension. */
  reinstate(id: string, options?: StatusOptions): Promise<License> {
    return this.#changeStatus(id, 'reinstate', options);
  }

  /** Makes a license invalid for ever. */
  revoke(id: string, options?: StatusOptions): Promise<License> {
    return this.#changeStatus(id, 'revoke', options);
  }

  #changeStatus(id: string, action: string, { reason, ...call }: StatusOptions = {}): Promise<License> {
    return this.endpoint.act([id, action], call, {
      actsAgain: false,
      ...(reason !== undefined && { body: { reason } }),
    });
  }

  /**
   * Moves the end of a license as its policy says, or by a duration. However often the request is sent, the service renews
   * once.
   */
  renew(id: string, { durationDays, durationMonths, ...call }: RenewOptions = {}): Promise<License> {
    const hasDuration = durationDays !== undefined || durationMonths !== undefined;
    return this.endpoint.once([id, 'renew'], call, hasDuration ? { durationDays, durationMonths } : undefined);
  }

  /** Gives a license a new key, once however often the request is sent. The former key ends at once. */
  rotateKey(id: string, call?: CreateOptions): Promise<License> {
    return this.endpoint.once([id, 'rotate-key'], call);
  }

  /**
   * Imports licenses, by default as NDJSON, with one object of the API (snake_case) per line. A stream is sent while it
   * is read, and has one attempt. There is no time limit unless `timeoutMs` is given.
   */
  async import(content: ImportContent, options: ImportOptions = {}): Promise<ImportResult> {
    const { contentType: type = 'application/x-ndjson', partial, idempotencyKey = randomKey() } = options;
    const answer = await this.endpoint.connection.json(
      {
        method: 'POST',
        path: this.endpoint.path('import'),
        query: { partial },
        content: { type, data: bodyOf(content) },
        idempotencyKey,
      },
      { timeoutMs: Number.POSITIVE_INFINITY, ...options },
    );
    return dataOf(answer);
  }

  /** Exports licenses as a stream that `import` accepts. The deadline ends with the first byte. */
  export(filters: ExportOptions = {}, call?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.endpoint.export(filters, call);
  }
}

function bodyOf(content: ImportContent): string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> {
  if (typeof content === 'string' || content instanceof Blob || content instanceof ReadableStream) return content;
  if (content instanceof Uint8Array) return new Uint8Array(content);
  return streamOf(content);
}

/** `ReadableStream.from` is missing in Chromium. */
function streamOf(chunks: AsyncIterable<Uint8Array | string>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
