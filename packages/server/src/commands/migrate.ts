import { isUnavailable } from '../db/errors.ts';
import type { Services } from '../services.ts';
import { defineCommand, exitCodes, type Terminal } from './command.ts';
import { sentenceOf } from './failure.ts';
import { withServices } from './with-services.ts';

const parallelism = 4;

/** Migrates the platform database, then one tenant as a canary, then all others. Prints one line per failure. */
export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Bring the platform and every tenant to the current schema.',
  details:
    'A running service does this by itself when it starts and when it opens a tenant; this does it ahead of time.\n' +
    'One tenant goes first: when its migration fails, no other is touched. After that a failure stops nothing.',
  options: {},
  async run({ terminal }) {
    // Opening the services migrates the platform; a small pool keeps few connections and files open.
    const failures = await withServices(terminal.env, (services) => migrateTenants(services, terminal), {
      tenantPoolSize: parallelism,
    });
    return failures === 0 ? exitCodes.done : exitCodes.failed;
  },
});

async function migrateTenants(services: Services, terminal: Terminal): Promise<number> {
  const rows = await services.platform.query.selectFrom('tenants').select('id').orderBy('id').execute();
  const waiting = rows.map((row) => row.id);
  const run = createRun(services, terminal, waiting.length);
  if (!(await runCanary(run, waiting))) {
    terminal.note(`The canary failed: ${waiting.length} tenants were left as they are. Correct the cause first.`);
    return run.failures;
  }
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await run.migrateOne(id);
  };
  await Promise.all(Array.from({ length: parallelism }, work));
  const current = rows.length - run.failures;
  terminal.note(`The platform and ${current} of ${rows.length} tenants have the current schema.`);
  return run.failures;
}

interface Run {
  failures: number;
  /** Undefined when it went well. */
  migrateOne(tenantId: string): Promise<unknown>;
}

function createRun(services: Services, terminal: Terminal, total: number): Run {
  let done = 0;
  const run: Run = {
    failures: 0,
    async migrateOne(tenantId) {
      let failure: unknown;
      try {
        // The pool migrates what it opens.
        await services.tenants.withTenantDb(tenantId, () => Promise.resolve());
      } catch (error) {
        failure = error;
        run.failures += 1;
        terminal.print(`${tenantId}  ${sentenceOf(error)}`);
      }
      done += 1;
      terminal.progress(`${done} of ${total} tenants`);
      return failure;
    },
  };
  return run;
}

/** A tenant that cannot be reached says nothing about the migrations: the next one is the canary then. */
async function runCanary(run: Run, waiting: string[]): Promise<boolean> {
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    const failure = await run.migrateOne(id);
    if (failure === undefined) return true;
    if (!isUnavailable(failure)) return false;
  }
  return true;
}
