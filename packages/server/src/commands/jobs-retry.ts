import { reviveJob } from '../jobs/queries.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** A UUID of the service, an id of a payment provider, or `platform`. */
const subjectPattern = /^([0-9a-f-]{36}|platform|[a-z]+_\w{1,250})$/;

/** Makes a dead job due now. */
export const jobsRetry = defineCommand({
  name: 'jobs retry',
  summary: 'Retry a background job that gave up after repeated failures.',
  details:
    'A running service starts it within a second. First correct the cause, which "licensing jobs list --state dead" shows.',
  operands: ['SUBJECT', 'KIND'],
  options: {},
  async run({ terminal, operands: [subjectId = '', kind = ''] }) {
    if (!subjectPattern.test(subjectId)) {
      throw new UsageError(`"${subjectId}" is not a subject id: "licensing jobs list" shows the ids.`);
    }
    const status = await withServices(terminal.env, ({ platform, clock }) =>
      reviveJob(platform, { subject_id: subjectId, kind }, clock.now()),
    );
    if (status === 'dead') {
      terminal.note(`The job "${kind}" of ${subjectId} is due now.`);
      return exitCodes.done;
    }
    const state = status === undefined ? 'there is no such job' : `this one is ${status}`;
    terminal.note(`Nothing was changed: only dead jobs can be retried, and ${state}. See "licensing jobs list".`);
    return exitCodes.failed;
  },
});
