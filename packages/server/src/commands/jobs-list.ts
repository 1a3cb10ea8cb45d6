import type { JobsTable } from '../db/tables/platform/jobs.ts';
import { type JobName, listJobs } from '../jobs/queries.ts';
import type { Services } from '../services.ts';
import { defineCommand, exitCodes, type Terminal, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

const pageSize = 500;
const statuses = ['waiting', 'running', 'parked', 'dead'] as const;
type Status = (typeof statuses)[number];

/** Prints the background work of the platform and its tenants, one line each. */
export const jobsList = defineCommand({
  name: 'jobs list',
  summary: 'List the background work of the platform and its tenants.',
  details:
    'Columns: subject (a tenant, or what the work of the platform is about), kind, state, when it is due, failed\n' +
    'attempts in a row, the last error.\n' +
    'States: waiting; running (due is when its lease ends); parked (the tenant is not active); dead (given up).',
  options: {
    state: { type: 'string', value: 'STATE', description: `Only this state: ${statuses.join(', ')}.` },
    json: { type: 'boolean', description: 'Print a JSON array instead of columns.' },
  },
  async run({ terminal, values: { state, json } }) {
    const status = statuses.find((known) => known === state);
    if (state !== undefined && status === undefined) {
      throw new UsageError(`--state must be one of ${statuses.join(', ')}.`);
    }
    const print = json ? printJson : printColumns;
    await withServices(terminal.env, (services) => print(terminal, allJobs(services, status)));
    return exitCodes.done;
  },
});

async function printJson(terminal: Terminal, jobs: AsyncIterable<JobsTable>): Promise<void> {
  let before = '[';
  for await (const { subject_id, kind, status, due_at, attempts, last_error } of jobs) {
    terminal.print(before + JSON.stringify({ subject_id, kind, status, due_at, attempts, last_error }));
    before = ',';
  }
  terminal.print(before === '[' ? '[]' : ']');
}

async function printColumns(terminal: Terminal, jobs: AsyncIterable<JobsTable>): Promise<void> {
  let count = 0;
  for await (const { subject_id, kind, status, due_at, attempts, last_error } of jobs) {
    const columns = [subject_id, kind.padEnd(10), status.padEnd(7), (due_at ?? '-').padEnd(27), attempts];
    terminal.print([...columns, last_error ?? ''].join('  ').trimEnd());
    count += 1;
  }
  if (count === 0)
    terminal.note('There is no such work. Daily work is planned within a minute of the start of "serve".');
}

/** In pages, so that memory does not grow with the number of tenants. */
async function* allJobs(
  { platform }: Pick<Services, 'platform'>,
  status: Status | undefined,
): AsyncGenerator<JobsTable> {
  let after: JobName | undefined;
  do {
    const page = await listJobs(platform, { status, after, limit: pageSize });
    yield* page;
    after = page.length < pageSize ? undefined : page.at(-1);
  } while (after !== undefined);
}
