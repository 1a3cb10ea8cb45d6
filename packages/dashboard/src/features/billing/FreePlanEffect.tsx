import { useQuery } from '@tanstack/react-query';
import type { PlanUsage } from '../../api/billing.ts';
import { plansQuery } from '../../api/onboarding.ts';
import { listText } from '../../lib/text.ts';
import { isFreePlan, lowerLimitTexts } from '../plans/plan-terms.ts';

/** Says what the free plan allows less than the present one; nothing if it takes nothing away. */
export function FreePlanEffect({ usage }: { readonly usage: PlanUsage }) {
  const { data: plans } = useQuery(plansQuery);
  const free = plans?.find(isFreePlan);
  const lower = free === undefined ? [] : lowerLimitTexts(free.limits, usage);
  return lower.length === 0 ? null : `${free?.name} allows ${listText(lower)}. `;
}
