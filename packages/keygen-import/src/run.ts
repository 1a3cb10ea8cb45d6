import { LicensingError, type ManagementClient } from '../../sdk/src/index.ts';
import { type Note, type Notes, refusal } from './finding.ts';
import type { Holder, PolicyTraits } from './mapping.ts';
import type { KeygenSource, Resource } from './resource.ts';

type Result = 'created' | 'updated' | 'unchanged' | 'refused' | 'conflict';

/** The request of an import. */
export interface ImportOptions {
  readonly client: ManagementClient;
  readonly source: KeygenSource;
  /** True to report everything and write nothing. */
  readonly isDryRun: boolean;
  /** True to take the state of Keygen where something exists here. */
  readonly overwrites: boolean;
  /** False to skip the request per license that reads its own entitlements. */
  readonly readsLicenseEntitlements: boolean;
  /** Takes a difference: one object per line of the report. */
  readonly report: (finding: object) => void;
}

/** The number of resources with each result, by collection. */
export type Counts = Record<string, Partial<Record<Result | Note['outcome'], number>>>;

/** A policy of Keygen that was imported. */
export interface KnownPolicy extends PolicyTraits {
  readonly id: string;
  /** False in a dry run for a policy that does not exist yet. */
  readonly exists: boolean;
  readonly codes: ReadonlySet<string>;
}

/** What one import remembers, by Keygen's ids. */
export class Run {
  readonly counts: Counts = {};
  readonly options: ImportOptions;
  readonly codes = new Map<string, string>();
  readonly products = new Map<string, string>();
  readonly policies = new Map<string, KnownPolicy>();
  readonly users = new Map<string, Holder>();
  readonly owners = new Set<string>();
  /** The keys of licenses. */
  readonly keys = new Map<string, string>();

  constructor(options: ImportOptions) {
    this.options = options;
  }

  /** Counts the result of a resource, and reports its notes. */
  add(resource: string, id: string, result: Result | null, notes: readonly Note[]): void {
    this.counts[resource] ??= {};
    const counts = this.counts[resource];
    const ofNotes = notes.map(({ outcome }) => outcome).filter((one) => one === 'adjusted' || one === 'left_out');
    for (const name of [...(result === null ? [] : [result]), ...ofNotes]) counts[name] = (counts[name] ?? 0) + 1;
    for (const note of notes) this.options.report({ resource, id, ...note });
  }

  /** Returns the resources of a collection. */
  async *resources(path: string): AsyncGenerator<Resource> {
    for await (const { resources } of this.options.source.pages(path)) yield* resources;
  }

  /**
   * Writes a resource unless this is a dry run, counts the result, and returns its id: Keygen's own in a dry run.
   * Returns undefined if the service refuses it.
   */
  async write(
    kind: string,
    id: string,
    notes: Notes,
    perform: () => Promise<{ readonly id: string }>,
    result: 'created' | 'updated' = 'created',
  ): Promise<string | undefined> {
    try {
      const written = this.options.isDryRun ? id : (await perform()).id;
      this.add(kind, id, result, notes.all);
      return written;
    } catch (error) {
      this.add(kind, id, 'refused', [refusalOf(error)]);
      return undefined;
    }
  }

  /** Returns the sorted codes that a policy or a license grants in Keygen. */
  async grantedCodes(path: string, notes: Notes): Promise<string[]> {
    if (this.codes.size === 0) return [];
    const codes = new Set<string>();
    for await (const { id } of this.resources(path)) {
      const code = this.codes.get(id);
      if (code === undefined) notes.leftOut('entitlements', undefined, `Entitlement ${id} was not imported.`);
      else codes.add(code);
    }
    return [...codes].sort();
  }
}

/** Returns the reason for which the service refuses a resource. Throws any other error, which ends the import. */
function refusalOf(error: unknown): Note {
  const status = error instanceof LicensingError ? (error.status ?? 0) : 0;
  const isOfResource = status >= 400 && status < 500 && status !== 401 && status !== 429;
  if (!(error instanceof LicensingError) || !isOfResource) throw error;
  const [detail] = error.details;
  return refusal(detail === undefined ? error.message : `${detail.field}: ${detail.message}`);
}

const requestsAtOnce = 8;

/** Calls `work` with every item, with a few at the same time. */
export async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: requestsAtOnce }, worker));
}
