import { reviveJob } from '../jobs/queries.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** An id of the service's own, or of a payment provider, or `platform`. */
const subjectPattern = /^([0-9a-f-]{36}|platform|[a-z]+_\w{1,250})$/;

/** Makes work that was given up due now. */
export const jobsRetry = defineCommand({
  name: 'jobs retry',
  summary: 'Run background work again that was given up.',
  details: 'A running service takes it within a second. Correct the cause first: "licensing jobs list --state dead".',
  operands: ['SUBJECT', 'KIND'],
  options: {},
  async run({ terminal, operands: [subjectId = '', kind = ''] }) {
    if (!subjectPattern.test(subjectId)) {
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
