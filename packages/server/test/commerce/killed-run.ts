/**
 * Runs the due onboarding jobs. Its steps are commits, database operations and responses of the provider. Prints `done`
 * when all work is finished.
 */
import { onboardingJob } from '../../src/features/commerce/onboarding/onboarding-job.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import type { Services } from '../../src/services.ts';
import { openMortalServices } from './killed-steps.ts';

const { services, payments, counted } = await openMortalServices();
const { provisioning } = services;
const mortal: Services = {
  ...services,
  platform: counted(services.platform, ['transaction']),
  payments: counted(payments, ['findCheckout', 'findSubscription', 'cancelNow']),
  provisioning: {
    ...provisioning,
    steps: counted(provisioning.steps, ['place', 'create', 'initialise', 'withDatabase', 'drop']),
  },
};
await createJobRunner({ ...mortal, metrics: services.metrics.jobs, jobs: [onboardingJob(mortal)] }).runDue();
await services.close();
process.stdout.write('done');
