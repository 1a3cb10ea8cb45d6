import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { type Timestamp, toTimestamp } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/error.ts';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { Services } from '../../../services.ts';
import type { Tenant } from '../../../tenancy/tenant.ts';
import { leaseEnd } from '../activations/activation.ts';
import { certificateEndSeconds } from '../certificates/certificate.ts';
import { readLicensesById, readMatchingPage } from '../licenses/bulk-service.ts';
import { licenseState } from '../licenses/license.ts';
import { licenseNotFound } from '../licenses/service.ts';
import { findPoliciesById } from '../policies/service.ts';
import { type ActionContext, applyAction, changesBetween } from './action.ts';
import { addRefusals, readContext } from './run-service.ts';
import type { BulkAction, BulkPreview, CreateBulkOperation } from './schemas.ts';
import { assertReferences, assertWellFormed } from './service.ts';

/** A page takes a few milliseconds, which is the longest that it delays other requests. */
const pageSize = 200;
const examplesMax = 5;

/**
 * Returns what an operation would do at present, and writes nothing. Throws 422 for an incomplete action and for unknown
 * references.
 */
export async function previewOperation(
  services: Services,
  tenant: Tenant,
  input: CreateBulkOperation,
): Promise<BulkPreview> {
  assertWellFormed(input);
  const { action, reason = null } = input;
  const context = await tenant.db.transaction(async (tx) => {
    await assertReferences(tx, action);
    return await readContext(tx, action, reason);
  });
  if (context instanceof AppError) throw context;
  const preview = new Preview(action, context, services.clock.now());
  for await (const licenses of pagesOf(services, tenant, input)) {
    const ids = [...new Set(licenses.flatMap((license) => license?.policy_id ?? []))];
    const policies = await findPoliciesById(tenant.db, ids);
    for (const license of licenses) preview.add(license, policies);
    await yieldToEventLoop();
  }
  return preview.result;
}

async function* pagesOf(
  { clock }: Services,
  { db }: Tenant,
  { filter = {}, ids }: CreateBulkOperation,
): AsyncGenerator<readonly (LicensesTable | undefined)[], void> {
  const at = clock.now();
  if (ids !== undefined) {
    const licenses = await readLicensesById(db, ids);
    yield ids.map((id) => licenses.get(id));
    return;
  }
  for (let cursor: string | null = null, isLast = false; !isLast; ) {
    const page = { ...filter, limit: pageSize, ...(cursor !== null && { cursor }) };
    const { rows, nextCursor } = await readMatchingPage(db, page, at);
    yield rows;
    cursor = nextCursor;
    isLast = nextCursor === null;
  }
}

/** Counts what an action would do. */
class Preview {
  readonly #action: BulkAction;
  readonly #context: ActionContext;
  readonly #at: Timestamp;
  #result: BulkPreview = {
    total: 0,
    changed: 0,
    unchanged: 0,
    refused: 0,
    refusals: [],
    examples: [],
    offline_until: null,
  };

  constructor(action: BulkAction, context: ActionContext, at: Timestamp) {
    this.#action = action;
    this.#context = context;
    this.#at = at;
  }

  get result(): BulkPreview {
    return this.#result;
  }

  /** Counts a license; undefined for one that does not exist. */
  add(before: LicensesTable | undefined, policies: ReadonlyMap<string, PoliciesTable>): void {
    const counts = this.#result;
    counts.total = (counts.total ?? 0) + 1;
    try {
      const policy = before && policies.get(before.policy_id);
      if (before === undefined || policy === undefined) throw licenseNotFound();
      const changes = changesBetween(before, applyAction(this.#action, before, policy, this.#context, this.#at));
      if (changes.length === 0) counts.unchanged += 1;
      else counts.changed += 1;
      if (changes.length > 0) this.#countOffline(before, policy);
      if (changes.length === 0 || counts.examples.length >= examplesMax) return;
      const { holder } = licenseState(before);
      counts.examples.push({ license_id: before.id, key: before.key, holder, changes: [...changes] });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      counts.refused += 1;
      counts.refusals = addRefusals(counts.refusals, [error]);
    }
  }

  /** Remembers how long a device of a license that stops working continues with a certificate that it has now. */
  #countOffline(license: LicensesTable, policy: PoliciesTable): void {
    if (this.#action.type !== 'suspend' && this.#action.type !== 'revoke') return;
    const right = { expires_at: license.expires_at, lease_expires_at: leaseEnd(policy, this.#at) };
    const end = toTimestamp(certificateEndSeconds(policy, right, undefined, this.#at) * 1000);
    const latest = this.#result.offline_until ?? this.#at;
    if (end > latest) this.#result.offline_until = end;
  }
}
