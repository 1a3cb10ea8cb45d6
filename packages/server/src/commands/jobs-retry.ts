import { platformSubject } from '../jobs/job.ts';
import { reviveJob } from '../jobs/queries.ts';
import { isUuid } from '../lib/ids.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** Makes work that was given up due now. */
export const jobsRetry = defineCommand({
  name: 'jobs retry',
  summary: 'Run background work again that was given up.',
  details: 'A running service takes it within a second. Correct the cause first: "licensing jobs list --state dead".',
  operands: ['SUBJECT', 'KIND'],
  options: {},
  async run({ terminal, operands: [subjectId = '', kind = ''] }) {
    if (!isUuid(subjectId) && subjectId !== platformSubject) {
      throw new UsageError(`"${subjectId}" is no subject's id: "licensing jobs list" shows the ids.`);
    }
    const status = await withServices(terminal.env, ({ platform, clock }) =>
      reviveJob(platform, { subject_id: subjectId, kind }, clock.now()),
    );
    if (status === 'dead') {
      terminal.note(`The work "${kind}" of ${subjectId} is due now.`);
      return exitCodes.done;
    }
    const state = status === undefined ? 'there is no such work' : `it is ${status}`;
    terminal.note(`Nothing was changed: only dead work is retried, and ${state}. See "licensing jobs list".`);
    return exitCodes.failed;
  },
});
