import type { LicensesTable } from '../../../db/tables/tenant/licenses.ts';
import type { PoliciesTable } from '../../../db/tables/tenant/policies.ts';
import { type Timestamp, toEpochMs } from '../../../lib/clock.ts';
import { addSeconds } from '../../../lib/duration.ts';
import { AppError } from '../../../lib/error.ts';
import { noticeIssued } from '../../licensing/licenses/holder-notices.ts';
import { generateLicenseKey } from '../../licensing/licenses/license-key.ts';
import type { Transition } from '../../licensing/licenses/license-status.ts';
import { initialTerm } from '../../licensing/licenses/license-term.ts';
import { transitionChange } from '../../licensing/licenses/lifecycle-service.ts';
import {
  changeLicenseIn,
  issueLicenses,
  type LicenseChange,
  lockLicenseRow,
  newLicense,
} from '../../licensing/licenses/service.ts';
import { assertIssuing, findPolicy } from '../../licensing/policies/service.ts';
import type { Effect, EffectName, SaleContext } from './context.ts';
import type { Holder } from './holder.ts';
import { blockOf, keepsEnd, type LicenseTerms, type VendorBlock } from './rule.ts';

// A sale issues and changes licenses with the functions that serve requests of people: `issueLicenses` and
// `changeLicenseIn`. Writing the row here would be shorter. But these functions lock the license, check the transition,
// keep leases, search terms and entitlements current, write the audit record, and queue the event and the mail. A second
// path would have to repeat all of that, and the next rule about licenses would be missing in it.
//
// Each kind of change is written alone, because each has an audit record and an event of its own. Only what a sale has
// changed since it was applied last is written: what a person changed meanwhile stays.

/** What a sale applied to a license last. */
export interface AppliedTerms {
  readonly terms: LicenseTerms;
  readonly holder: Holder;
  /** `presentSince` of the sale when the license could last be used as sold; absent in rows of earlier versions. */
  readonly paidSince?: Timestamp | null;
}

/** The facts of a sale that every license of it shares. */
export interface SharedFacts {
  readonly holder: Holder;
  /** When the buyer bought; null if the shop does not say it. */
  readonly startedAt: Timestamp | null;
  /** True while a payment is missing: a later end is then a delay, which is not news for the buyer. */
  readonly isPastDue: boolean;
  readonly keyPrefix: string | null;
}

/**
 * Issues a license on the terms of a sale and returns its id. The caller must call `reserveQuota`. Throws 422 for a
 * policy that was deleted or archived.
 */
export async function issueSold(context: SaleContext, terms: LicenseTerms, facts: SharedFacts): Promise<string> {
  const { services, tx, outbox, actor, at } = context;
  const policy = await soldPolicy(context, terms.policyId);
  await assertIssuing(tx, policy);
  const starts_at = facts.startedAt !== null && facts.startedAt < at ? facts.startedAt : at;
  const row = newLicense(
    policy,
    generateLicenseKey(policy.key_prefix ?? facts.keyPrefix),
    {
      starts_at,
      holder: facts.holder,
      max_activations: terms.maxActivations,
      ...(terms.expiresAt === 'policy' ? {} : { expires_at: endAfter(terms.expiresAt, starts_at) }),
    },
    at,
    context.timezone,
  );
  await issueLicenses(services, tx, outbox, actor, [row], at);
  await noticeIssued(services, tx, outbox, [row], undefined);
  return row.id;
}

async function soldPolicy({ tx }: SaleContext, id: string): Promise<PoliciesTable> {
  const policy = await findPolicy(tx, id);
  if (policy !== undefined) return policy;
  throw new AppError('VALIDATION.FAILED', 'The policy of the offer was deleted. Choose another policy in the offer.');
}

/** A license ends after it starts, also that of a subscription that was ended in the second in which it began. */
function endAfter(end: Timestamp | null, startsAt: Timestamp): Timestamp | null {
  return end !== null && end <= startsAt ? addSeconds(startsAt, 1) : end;
}

/**
 * Changes a license from what the sale applied last to what it entitles to, and returns the effects. A license that a
 * person has deleted or revoked stays as it is.
 */
export async function changeSold(
  context: SaleContext,
  licenseId: string,
  { from, to, facts }: { readonly from: AppliedTerms; readonly to: LicenseTerms; readonly facts: SharedFacts },
): Promise<Effect[]> {
  const row = await lockLicenseRow(context.tx, licenseId);
  if (row === undefined || row.status === 'revoked') return [];
  const names: EffectName[] = [];
  for (const { effect, change } of await changesOf(context, row, { from, to, facts })) {
    await changeLicenseIn(context.services, context, licenseId, change);
    names.push(effect);
  }
  return names.map((effect) => ({ effect, license_id: licenseId }));
}

/** Returns what keeps a license from being used although its sale grants it; null if nothing does. */
export async function readBlock(
  { tx }: SaleContext,
  licenseId: string,
  change: Parameters<typeof blockOf>[1],
): Promise<VendorBlock | null> {
  return blockOf((await lockLicenseRow(tx, licenseId))?.status ?? 'deleted', change);
}

interface NamedChange {
  readonly effect: EffectName;
  readonly change: LicenseChange;
}

async function changesOf(
  context: SaleContext,
  row: LicensesTable,
  { from, to, facts }: { readonly from: AppliedTerms; readonly to: LicenseTerms; readonly facts: SharedFacts },
): Promise<NamedChange[]> {
  const changes: NamedChange[] = [];
  const { terms } = from;
  const isOtherPolicy = terms.policyId !== to.policyId;
  if (isOtherPolicy) await soldPolicy(context, to.policyId);
  const columns = {
    ...(isOtherPolicy && { policy_id: to.policyId }),
    ...(terms.maxActivations !== to.maxActivations && { max_activations: to.maxActivations }),
  };
  if (Object.keys(columns).length > 0) changes.push({ effect: 'changed', change: columnsChange(columns) });
  if (terms.expiresAt !== to.expiresAt) {
    const end = await endFor(context, row, to);
    const stays = end === row.expires_at || keepsEnd(row.expires_at, end, { from: terms, to });
    if (!stays) changes.push(endChange(row, end, facts.isPastDue));
  }
  if (JSON.stringify(from.holder) !== JSON.stringify(facts.holder)) {
    changes.push({ effect: 'holder_changed', change: holderChange(facts.holder) });
  }
  if (terms.status !== to.status) {
    const [effect, transition] = transitions[to.status];
    const isDone = row.status === to.status;
    if (!isDone) changes.push({ effect, change: transitionChange(transition) });
  }
  return changes;
}

const transitions = {
  active: ['reinstated', 'reinstate'],
  suspended: ['suspended', 'suspend'],
  revoked: ['revoked', 'revoke'],
} as const satisfies Record<LicenseTerms['status'], readonly [EffectName, Transition]>;

async function endFor(context: SaleContext, row: LicensesTable, to: LicenseTerms): Promise<Timestamp | null> {
  if (to.expiresAt !== 'policy') return endAfter(to.expiresAt, row.starts_at);
  return initialTerm(await soldPolicy(context, to.policyId), row.starts_at, context.timezone).expires_at;
}

function holderChange({ name, email, reference }: Holder): LicenseChange {
  return columnsChange({ holder_name: name, holder_email: email, holder_reference: reference });
}

function columnsChange(columns: Partial<LicensesTable>): LicenseChange {
  return { event: 'LICENSE.UPDATED', type: 'license.updated', apply: (before) => ({ ...before, ...columns }) };
}

/** The date up to which releases are covered moves with a later end, as it does when a person renews the license. */
function endChange(row: LicensesTable, end: Timestamp | null, isPastDue: boolean): NamedChange {
  const isLater = row.expires_at !== null && (end === null || end > row.expires_at);
  const isRenewal = isLater && !isPastDue;
  const movesMaintenance = isRenewal && end !== null && row.maintenance_expires_at !== null && row.expires_at !== null;
  const movedBy = movesMaintenance ? (toEpochMs(end) - toEpochMs(row.expires_at ?? end)) / 1000 : 0;
  return {
    effect: isLater ? (isPastDue ? 'changed' : 'renewed') : 'ended',
    change: {
      ...(isRenewal
        ? { event: 'LICENSE.RENEWED', type: 'license.renewed' }
        : { event: 'LICENSE.UPDATED', type: 'license.updated' }),
      ...(isPastDue && { notifyHolder: false }),
      apply: (before) => ({
        ...before,
        expires_at: end,
        maintenance_expires_at:
          before.maintenance_expires_at === null ? null : addSeconds(before.maintenance_expires_at, movedBy),
      }),
    },
  };
}
