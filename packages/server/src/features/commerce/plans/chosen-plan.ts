import { validationError } from '../../../lib/error.ts';

/** The plan of a request: `plan` is the name of `plan_code` in version 1.0.0. */
interface ChosenPlan {
  readonly plan_code?: string;
  readonly plan?: string;
}

/** Returns the code of the plan that a request names. Throws 422 unless it names it once. */
export function chosenPlanCode({ plan_code, plan }: ChosenPlan): string {
  if (plan_code !== undefined && plan !== undefined) {
    throw validationError({ field: 'plan', message: 'must be absent when plan_code is given' });
  }
  const code = plan_code ?? plan;
  if (code === undefined) throw validationError({ field: 'plan_code', message: 'is required' });
  return code;
}
