import { createPastActivity } from '../../../features/operations/activity/service.ts';
import type { Services } from '../../../services.ts';
import type { Demo } from '../demo-file.ts';
import { type ActiveTenant, planActivity, planKeyRequests } from './activity.ts';
import { createDemoCompany } from './company.ts';
import { createPresent, dayMs, servicesAt } from './past.ts';
import { createRandom } from './random.ts';
import { buySubscriptions, countDemoRedemptions, createDemoCoupons, writeRevenue } from './subscriptions.ts';
import { demoPlanCode } from './tenant.ts';
import { createDemoTenants } from './tenants.ts';

/**
 * Creates the demo's vendor and a platform with a dozen tenants, with a past that leads to now. It must run before
 * anybody can use the service, and be repeated from the beginning after an interruption.
 */
export async function createSamples(services: Services, ownerEmail: string): Promise<Demo['tenant']> {
  const random = createRandom(15);
  const present = createPresent(services.clock.nowMs());
  const company = await createDemoCompany(services, present, random, ownerEmail);
  const tenants = await createDemoTenants(services, present);
  // The subscription began when the sandbox's test cards did: five months are enough for a history of invoices.
  const startedMs = present.nowMs - 158 * dayMs;
  const own = { tenantId: company.id, planCode: demoPlanCode, interval: 'month', startedMs, fate: 'paid' } as const;
  const subscriptions = [own, ...tenants.subscriptions];
  await createDemoCoupons(servicesAt(services, present.nowMs - 200 * dayMs));
  await buySubscriptions(services, present, subscriptions);
  await countDemoRedemptions(services);
  await writeRevenue(services, present, subscriptions);
  const vendor: ActiveTenant = {
    tenantId: company.id,
    validationsPerHour: 60,
    startedAt: 0.5,
    fromDaysAgo: 400,
    untilDaysAgo: 0,
  };
  const activity = [vendor, ...tenants.active].flatMap((tenant) => planActivity(random, present, tenant));
  const keyRequests = planKeyRequests(random, present, company.id, company.keyIds.slice(0, 2));
  await createPastActivity(services.platform, activity, keyRequests);
  return { id: company.id, licenseKey: company.licenseKey };
}
