/**
 * Runs the due onboarding jobs in a separate process, and kills it with SIGKILL after the given number of external
 * steps: commits, database operations and responses of the provider. Prints `done` when all work is finished.
 */
import { pino } from 'pino';
import { openServices } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { onboardingJob } from '../../src/features/commerce/onboarding/onboarding-job.ts';
import { createJobRunner } from '../../src/jobs/runner.ts';
import type { Services } from '../../src/services.ts';
import { killAfterSteps } from './killed-steps.ts';

const [stepsText = '', nowText = ''] = process.argv.slice(2);
const counted = killAfterSteps(Number(stepsText));
const startedAtMs = performance.now();
// The given time is later than the leases of the killed process.
Date.now = () => Number(nowText) + (performance.now() - startedAtMs);

const services = await openServices(loadConfig(process.env), { logger: pino({ level: 'silent' }) });
const { payments, provisioning } = services;
if (payments === null) throw new Error('Start this program with PAYMENT_PROVIDER=sandbox.');
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
