import type {
  Activation,
  Certificate,
  ConvertLicense,
  CreateActivation,
  CreateLicense,
  EntitlementChecks,
  ImportResult,
  IssueCertificate,
  License,
  LicenseCheck,
  LicenseCheckFilters,
  LicenseFilters,
  LicenseImport,
  LicenseSale,
  PortalLink,
  UpdateLicense,
  ValidateLicense,
  Verdict,
} from '../api-types.ts';
import { dataOf } from '../client.ts';
import { type CallOptions, type CreateOptions, randomKey } from '../request.ts';
import { EditableResource, type FileOptions } from './resource.ts';

/** The content of an import: a text, bytes, a file, or a stream of them. */
export type ImportContent =
  | string
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** The form of a file that is imported after the request. */
export interface BackgroundImportOptions extends CreateOptions {
  /** `application/x-ndjson` by default. */
  readonly contentType?: 'application/x-ndjson' | 'text/csv' | undefined;
  /** True sends each holder with an address the mail about the new license. */
  readonly notifyHolder?: boolean | undefined;
}

/** The form of an imported file, and what happens with its rows. */
export interface ImportOptions extends BackgroundImportOptions {
  /** True creates every valid row. By default an invalid row refuses the whole import. */
  readonly partial?: boolean | undefined;
  /** True creates nothing, and returns what a partial import would do. */
  readonly dryRun?: boolean | undefined;
}

/** What is exported, and in which form. */
export interface ExportOptions extends FileOptions, Omit<LicenseFilters, 'limit'> {}

/** The options of a revocation. */
export interface RevokeOptions extends CallOptions {
  /** Why it is done: the license shows it, and the audit log keeps it. At most 500 characters. */
  readonly reason?: string | undefined;
}

/** The options of a call that changes the status of a license. */
export interface StatusOptions extends RevokeOptions {
  /** Whether the holder gets a mail about it. By default the settings decide. */
  readonly notifyHolder?: boolean | undefined;
}

/** The options of a new key. */
export interface RotateKeyOptions extends CreateOptions {
  /** Whether the holder gets a mail about it. By default the settings decide. */
  readonly notifyHolder?: boolean | undefined;
}

/** The options of a renewal. Without a duration the policy decides. */
export interface RenewOptions extends RotateKeyOptions {
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
  revoke(id: string, options?: RevokeOptions): Promise<License> {
    return this.#changeStatus(id, 'revoke', options);
  }

  #changeStatus(id: string, action: string, { reason, notifyHolder, ...call }: StatusOptions = {}): Promise<License> {
    return this.endpoint.act([id, action], call, { actsAgain: false, ...given({ reason, notifyHolder }) });
  }

  /**
   * Moves the end of a license as its policy says, or by a duration. However often the request is sent, the service renews
   * once.
   */
  renew(id: string, { durationDays, durationMonths, notifyHolder, ...call }: RenewOptions = {}): Promise<License> {
    return this.endpoint.once([id, 'renew'], call, given({ durationDays, durationMonths, notifyHolder }).body);
  }

  /** Gives a license a new key, once however often the request is sent. The former key ends at once. */
  rotateKey(id: string, { notifyHolder, ...call }: RotateKeyOptions = {}): Promise<License> {
    return this.endpoint.once([id, 'rotate-key'], call, given({ notifyHolder }).body);
  }

  /** Turns a trial license into a license of another policy of its product. */
  convert(id: string, fields: ConvertLicense, call?: CreateOptions): Promise<License> {
    return this.endpoint.once([id, 'convert'], call, fields);
  }

  /** Returns the verdict that an application would get. Nothing changes: a term does not begin with it. */
  validate(id: string, question: ValidateLicense = {}, call?: CallOptions): Promise<Verdict> {
    return this.endpoint.act([id, 'validate'], call, { body: question, actsAgain: false });
  }

  /** Activates a device for its user, as the application would. */
  activate(id: string, device: CreateActivation, call?: CreateOptions): Promise<Activation> {
    return this.endpoint.once([id, 'activations'], call, device);
  }

  /** Returns what devices asked lately and what they were told, the newest first. */
  checks(id: string, filters?: LicenseCheckFilters, call?: CallOptions): Promise<LicenseCheck[]> {
    return this.endpoint.read([id, 'checks'], filters, call);
  }

  /** Returns everything that a license grants, with its counters. */
  checkEntitlements(id: string, call?: CallOptions): Promise<EntitlementChecks> {
    return this.endpoint.read([id, 'entitlements'], undefined, call);
  }

  /** Returns a certificate for a device without a network. */
  issueCertificate(id: string, options: IssueCertificate = {}, call?: CallOptions): Promise<Certificate> {
    return this.endpoint.act([id, 'certificate'], call, { body: options, actsAgain: false });
  }

  /** Returns a link that logs the holder in to the portal, once. */
  createPortalLink(id: string, call?: CallOptions): Promise<PortalLink> {
    return this.endpoint.act([id, 'portal-link'], call, { actsAgain: false });
  }

  /** Returns the sale of a connected shop to which a license belongs; null if there is none. */
  async getSale(id: string, call?: CallOptions): Promise<LicenseSale | null> {
    const answer = await this.endpoint.connection.json({ method: 'GET', path: this.endpoint.path(id, 'sale') }, call);
    return (answer as { readonly data?: null }).data === null ? null : dataOf(answer);
  }

  /**
   * Imports licenses, by default as NDJSON, with one object of the API (snake_case) per line. A stream is sent while it
   * is read, and has one attempt. There is no time limit unless `timeoutMs` is given.
   */
  import(content: ImportContent, options: ImportOptions = {}): Promise<ImportResult> {
    return this.#import(content, options, { partial: options.partial, dryRun: options.dryRun });
  }

  /** Imports the valid rows after the response, also when this program ends. `getImport` returns the progress. */
  startImport(content: ImportContent, options: BackgroundImportOptions = {}): Promise<LicenseImport> {
    return this.#import(content, options, { background: true });
  }

  async #import<Result extends object>(
    content: ImportContent,
    { contentType: type = 'application/x-ndjson', idempotencyKey = randomKey(), ...call }: BackgroundImportOptions,
    query: object,
  ): Promise<Result> {
    const answer = await this.endpoint.connection.json(
      {
        method: 'POST',
        path: this.endpoint.path('import'),
        query: { ...query, notifyHolder: call.notifyHolder },
        content: { type, data: bodyOf(content) },
        idempotencyKey,
      },
      { timeoutMs: Number.POSITIVE_INFINITY, ...call },
    );
    return dataOf(answer);
  }

  /** Returns the progress of an import that `startImport` began. */
  getImport(id: string, call?: CallOptions): Promise<LicenseImport> {
    return this.endpoint.read(['imports', id], undefined, call);
  }

  /** Ends an import that runs. The licenses that it created so far stay. */
  cancelImport(id: string, call?: CallOptions): Promise<LicenseImport> {
    return this.endpoint.act(['imports', id, 'cancel'], call, { actsAgain: false });
  }

  /** Exports licenses as a stream that `import` accepts. The deadline ends with the first byte. */
  export(filters: ExportOptions = {}, call?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.endpoint.export(['export'], filters, call);
  }
}

/** A body with these fields; none if every field is absent. */
function given(fields: object): { readonly body?: object } {
  return Object.values(fields).some((value) => value !== undefined) ? { body: fields } : {};
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
