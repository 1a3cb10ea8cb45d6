import { AppError } from '../../../lib/error.ts';
import type { TenantBilling } from '../../accounts/tenants/tenant-billing.ts';
import { findPastDue } from './past-due-service.ts';
import { findCurrentSubscription } from './sync-queries.ts';

/** What billing tells the feature `tenants`. */
export const tenantBilling: TenantBilling = {
  findPastDue,
  async assertPlanIsFreeToChange(tx, tenantId) {
    const current = await findCurrentSubscription(tx, tenantId);
    if (current === undefined) return;
    throw new AppError(
      'BILLING.MANAGED_BY_SUBSCRIPTION',
      `A subscription (${current.status}) determines the plan of this tenant. Change the plan of the subscription, or ` +
        'cancel it and change the plan when it has ended.',
    );
  },
};
