import { useQuery } from '@tanstack/react-query';
import { platformPlansQuery } from '../../api/tenants.ts';

/** The name of a plan of the platform, for an admin; its code while the plans are not loaded. */
export function PlanName({ code }: { readonly code: string | null }) {
  const { data: plans = [] } = useQuery(platformPlansQuery());
  return code === null ? '—' : (plans.find((plan) => plan.code === code)?.name ?? code);
}
