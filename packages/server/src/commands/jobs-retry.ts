import { reviveJob } from '../jobs/queries.ts';
import { isUuid } from '../lib/ids.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** Makes work that was given up due now. */
export const jobsRetry = defineCommand({
  name: 'jobs retry',
  summary: 'Run background work again that was given up.',
  details: 'A running service takes it within a second. Correct the cause first: "licensing jobs list --state dead".',
  operands: ['TENANT', 'KIND'],
  options: {},
  async run({ terminal, operands: [tenantId = '', kind = ''] }) {
    if (!isUuid(tenantId)) throw new UsageError(`"${tenantId}" is no tenant id: "licensing jobs list" shows the ids.`);
    const status = await withServices(terminal.env, ({ platform, clock }) =>
      reviveJob(platform, { tenant_id: tenantId, kind }, clock.now()),
    );
    if (status === 'dead') {
      terminal.note(`The work "${kind}" of tenant ${tenantId} is due now.`);
      return exitCodes.done;
    }
    const state = status === undefined ? 'there is no such work' : `it is ${status}`;
    terminal.note(`Nothing was changed: only dead work is retried, and ${state}. See "licensing jobs list".`);
    return exitCodes.failed;
  },
});
