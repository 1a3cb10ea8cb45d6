import type { JobsTable } from '../db/tables/platform/background.ts';
import { type JobName, listJobs, reviveJob } from '../jobs/queries.ts';
import type { PlatformServices } from '../services.ts';
import { defineCommand, exitCodes, type Terminal, UsageError } from './command.ts';
import { printJsonArray } from './terminal.ts';
import { withServices } from './with-services.ts';

const pageSize = 500;
const statuses = ['waiting', 'running', 'parked', 'dead'] as const;
type Status = (typeof statuses)[number];

/** Prints the background jobs of the platform and its tenants, one per line. */
export const jobsList = defineCommand({
  name: 'jobs list',
  summary: 'List the background jobs of the platform and its tenants.',
  details:
    'Columns: subject (the id of a tenant or of a platform object), kind, state, due time, consecutive failed\n' +
    'attempts, last error.\n' +
    'States: waiting; running (the due time is the end of its lease); parked (the tenant is not active); dead (gave up\n' +
    'after repeated failures).',
  options: {
    state: { type: 'string', value: 'STATE', description: `Show only this state: ${statuses.join(', ')}.` },
    json: { type: 'boolean', description: 'Print a JSON array instead of columns.' },
  },
  async run({ terminal, values: { state, json } }) {
    const status = statuses.find((known) => known === state);
    if (state !== undefined && status === undefined) {
      throw new UsageError(`--state must be one of ${statuses.join(', ')}.`);
    }
    await withServices(terminal.env, (services) => {
      const jobs = allJobs(services, status);
      return json ? printJsonArray(terminal, jobs, publicFields) : printColumns(terminal, jobs);
    });
    return exitCodes.done;
  },
});

function publicFields({ subject_id, kind, status, due_at, attempts, last_error }: JobsTable) {
  return { subject_id, kind, status, due_at, attempts, last_error };
}

async function printColumns(terminal: Terminal, jobs: AsyncIterable<JobsTable>): Promise<void> {
  let count = 0;
  for await (const { subject_id, kind, status, due_at, attempts, last_error } of jobs) {
    const columns = [subject_id, kind.padEnd(10), status.padEnd(7), (due_at ?? '-').padEnd(27), attempts];
    terminal.print([...columns, last_error ?? ''].join('  ').trimEnd());
    count += 1;
  }
  if (count === 0)
    terminal.note('There are no such jobs. A running service schedules the daily jobs within a minute of its start.');
}

/** Reads page by page, so that memory does not grow with the number of tenants. */
async function* allJobs({ platform }: PlatformServices, status: Status | undefined): AsyncGenerator<JobsTable> {
  let after: JobName | undefined;
  do {
    const page = await listJobs(platform, { status, after, limit: pageSize });
    yield* page;
    after = page.length < pageSize ? undefined : page.at(-1);
  } while (after !== undefined);
}

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
