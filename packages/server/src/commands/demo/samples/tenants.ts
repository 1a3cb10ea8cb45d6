import type { BillingInterval } from '../../../db/tables/platform/billing.ts';
import { updateTenant } from '../../../features/accounts/tenants/service.ts';
import { freePlanCode } from '../../../features/accounts/tenants/tenant.ts';
import { createPlan, findPlanByCode } from '../../../features/commerce/plans/service.ts';
import { recordDemoRows } from '../../../features/operations/demo-data/queries.ts';
import type { Services } from '../../../services.ts';
import { systemActor } from '../../../tenancy/tenant.ts';
import type { ActiveTenant } from './activity.ts';
import { dayMs, type Present, servicesAt } from './past.ts';
import { demoTrialDays, loyaltyCoupon, type PastSubscription } from './subscriptions.ts';
import { createDemoMembers, createDemoTenant, demoPlanCode } from './tenant.ts';

/** A tenant of the demo's platform. */
interface TenantPlan {
  readonly name: string;
  /** The domain of its owner's address, below `.demo.example`. */
  readonly domain: string;
  readonly createdDaysAgo: number;
  readonly subscription?: Pick<PastSubscription, 'planCode' | 'interval' | 'fate' | 'coupon'>;
  readonly validationsPerHour: number;
  readonly ends?: { readonly status: 'suspended' | 'closed'; readonly daysAgo: number };
}

const businessCode = 'demo-business';
const paid = (planCode: string, interval: BillingInterval, fate: PastSubscription['fate'] = 'paid') => ({
  subscription: { planCode, interval, fate },
});

const plans: readonly TenantPlan[] = [
  {
    name: 'Demo: Northwind Audio',
    domain: 'northwind',
    createdDaysAgo: 160,
    ...paid(demoPlanCode, 'month'),
    validationsPerHour: 40,
  },
  {
    name: 'Demo: Blue Harbor CAD',
    domain: 'blueharbor',
    createdDaysAgo: 250,
    ...paid(businessCode, 'year'),
    validationsPerHour: 120,
  },
  {
    name: 'Demo: Pixelforge',
    domain: 'pixelforge',
    createdDaysAgo: 97,
    subscription: { planCode: demoPlanCode, interval: 'month', fate: 'paid', coupon: loyaltyCoupon.code },
    validationsPerHour: 25,
  },
  {
    name: 'Demo: Tidal Analytics',
    domain: 'tidal',
    createdDaysAgo: 190,
    ...paid(businessCode, 'month'),
    validationsPerHour: 75,
  },
  {
    name: 'Demo: Lumen Labs',
    domain: 'lumen',
    createdDaysAgo: 70,
    ...paid(demoPlanCode, 'month', 'canceled'),
    validationsPerHour: 8,
  },
  { name: 'Demo: Corvid Games', domain: 'corvid', createdDaysAgo: 55, validationsPerHour: 12 },
  { name: 'Demo: Old Mill Studio', domain: 'oldmill', createdDaysAgo: 31, validationsPerHour: 3 },
  {
    name: 'Demo: Quill Notes',
    domain: 'quill',
    createdDaysAgo: 2,
    ...paid(businessCode, 'month', 'trialing'),
    validationsPerHour: 1,
  },
  // The renewal failed three days ago, within the grace period of seven days.
  {
    name: 'Demo: Kestrel Maps',
    domain: 'kestrel',
    createdDaysAgo: 34,
    ...paid(demoPlanCode, 'month', 'declined'),
    validationsPerHour: 18,
  },
  // The renewal failed eleven days ago.
  {
    name: 'Demo: Fjord Security',
    domain: 'fjord',
    createdDaysAgo: 42,
    ...paid(businessCode, 'month', 'declined'),
    validationsPerHour: 20,
  },
  {
    name: 'Demo: Granite Films',
    domain: 'granite',
    createdDaysAgo: 140,
    validationsPerHour: 6,
    ends: { status: 'suspended', daysAgo: 5 },
  },
  {
    name: 'Demo: Sable Fonts',
    domain: 'sable',
    createdDaysAgo: 120,
    validationsPerHour: 4,
    ends: { status: 'closed', daysAgo: 12 },
  },
];

/** The created tenants, with the activity and subscriptions to write for all of them. */
export interface DemoTenants {
  readonly active: readonly ActiveTenant[];
  readonly subscriptions: readonly PastSubscription[];
}

/** Creates a dozen tenants with their owners, each at its time in the past. */
export async function createDemoTenants(services: Services, present: Present): Promise<DemoTenants> {
  await createBusinessPlan(servicesAt(services, present.nowMs - 400 * dayMs));
  const active: ActiveTenant[] = [];
  const subscriptions: PastSubscription[] = [];
  for (const plan of plans) {
    const startedMs = present.nowMs - plan.createdDaysAgo * dayMs;
    const then = servicesAt(services, startedMs);
    const tenantId = await createDemoTenant(then, plan.name, paidPlan(services, plan));
    const owner = { name: `Owner of ${plan.name.slice(6)} (demo)`, email: `owner@${plan.domain}.demo.example` };
    await createDemoMembers(then, systemActor, tenantId, [{ ...owner, role: 'owner' }]);
    if (plan.ends !== undefined) {
      const ended = servicesAt(services, present.nowMs - plan.ends.daysAgo * dayMs);
      await updateTenant(ended, systemActor, tenantId, { status: plan.ends.status });
    }
    active.push({
      tenantId,
      validationsPerHour: plan.validationsPerHour,
      startedAt: 0.4,
      fromDaysAgo: plan.createdDaysAgo,
      untilDaysAgo: plan.ends?.daysAgo ?? 0,
    });
    if (plan.subscription !== undefined) subscriptions.push({ tenantId, startedMs, ...plan.subscription });
  }
  return { active, subscriptions };
}

/** A subscription sets the plan; without payments the plan is given away. */
function paidPlan({ sandbox }: Services, { subscription }: TenantPlan): string {
  return sandbox === null && subscription !== undefined ? subscription.planCode : freePlanCode;
}

async function createBusinessPlan(services: Services): Promise<void> {
  if ((await findPlanByCode(services.platform, businessCode)) !== undefined) return;
  const prices = [
    { interval: 'month', currency: 'eur', amount: 9900, trial_days: demoTrialDays },
    { interval: 'year', currency: 'eur', amount: 99_000, trial_days: demoTrialDays },
  ] as const;
  const limits = { licenses: 100_000, members: 100 };
  const input = { code: businessCode, name: 'Business (demo)', prices: [...prices], limits };
  const { plan } = await createPlan(services, systemActor, input);
  await services.platform.transaction((tx) => recordDemoRows(tx, 'plans', [plan.id]));
}
