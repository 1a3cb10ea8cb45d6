import type { ComparisonDifferencesTable } from '../../../db/tables/tenant/sales.ts';
import type { Timestamp } from '../../../lib/clock.ts';
import { problemOf } from '../sales/apply-sale-service.ts';
import {
  entitledBy,
  isGranted,
  type LicensePlan,
  type LicenseTerms,
  planLicenses,
  type SoldLicense,
  type SoldOffer,
} from '../sales/rule.ts';
import type { SaleState } from '../sales/sale.ts';

/** How the licenses of a sale differ from what the shop says. */
export interface Difference {
  readonly kind: ComparisonDifferencesTable['kind'];
  /** For people. */
  readonly summary: string;
}

const endInWords = (end: LicenseTerms['expiresAt']): string =>
  end === null ? 'without an end' : end === 'policy' ? 'the end of its policy' : `until ${end.slice(0, 10)}`;

const seatsInWords = (seats: number | null): string => (seats === null ? "the policy's devices" : `${seats} devices`);

/** Returns in which terms a license differs, as parts of a sentence: `5 devices instead of 3 devices`. */
function changedTerms({ applied }: SoldLicense, to: LicenseTerms): string[] {
  const parts: string[] = [];
  if (applied.maxActivations !== to.maxActivations) {
    parts.push(`${seatsInWords(to.maxActivations)} instead of ${seatsInWords(applied.maxActivations)}`);
  }
  if (applied.expiresAt !== to.expiresAt)
    parts.push(`${endInWords(to.expiresAt)} instead of ${endInWords(applied.expiresAt)}`);
  if (applied.policyId !== to.policyId) parts.push('another policy');
  if (applied.status !== to.status) parts.push(to.status === 'active' ? 'usable again' : to.status);
  return parts;
}

function planned({ issue, change }: LicensePlan, now: Timestamp): Difference | undefined {
  if (issue.length > 0 && change.length === 0) {
    return { kind: 'missing_here', summary: 'It is paid in the shop, and no license exists here.' };
  }
  const [first] = change;
  if (first === undefined) return undefined;
  const isOver = change.some(({ license, to }) => isGranted(license.applied, now) && !isGranted(to, now));
  if (isOver) {
    return {
      kind: 'active_here_only',
      summary: 'It has ended or is not paid in the shop, and its license is usable here.',
    };
  }
  const parts = [...new Set(change.flatMap(({ license, to }) => changedTerms(license, to)))];
  return { kind: 'other_terms', summary: `The shop says: ${parts.join(', ')}.` };
}

/**
 * Returns how the licenses of a sale differ from what the shop says; undefined if they match, and for a sale of which too
 * little is known. Pure.
 */
export function differenceOf(
  state: SaleState,
  offers: ReadonlyMap<string, SoldOffer>,
  licenses: readonly SoldLicense[],
  now: Timestamp,
): Difference | undefined {
  if (state.kind === undefined) return undefined;
  const isOver = licenses.length === 0 && state.state?.value === 'ended';
  if (isOver) return undefined;
  const entitled = entitledBy(state, offers, now);
  const problem = problemOf(entitled);
  if (problem !== null) return { kind: 'problem', summary: problem.message };
  return planned(planLicenses(entitled.licenses, licenses, { now, leftOverEnd: now }), now);
}
