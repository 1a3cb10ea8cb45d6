import { moveTenant, removeFormer } from '../features/accounts/tenants/move-service.ts';
import { listTenantsAt } from '../features/accounts/tenants/queries.ts';
import { inParallel } from '../lib/work-queue.ts';
import type { Services } from '../services.ts';
import { silentProgress } from '../tenancy/archive/progress.ts';
import { systemActor } from '../tenancy/tenant.ts';
import { assertTenantId } from './check-input.ts';
import { defineCommand, exitCodes, type Terminal } from './command.ts';
import { sentenceOf } from './failure.ts';
import { archiveProgress } from './progress.ts';
import { withServices } from './with-services.ts';

/** Moves one tenant's database to another place. */
export const tenantsMove = defineCommand({
  name: 'tenants move',
  summary: "Move a tenant's database to a PostgreSQL server or into a file while the service runs.",
  details:
    'Validations and other reads go on. Writes to the tenant fail with 503 TENANT.MOVING while it is copied.\n' +
    'After an interruption the tenant stays in place; a running service ends the pause within two minutes.',
  operands: ['ID'],
  options: {
    to: {
      type: 'string',
      value: 'PLACE',
      required: true,
      description: 'host:port of one of TENANT_DATABASE_URLS, or "embedded".',
    },
  },
  async run({ terminal, values: { to }, operands: [id = ''] }) {
    assertTenantId(id);
    return await withServices(terminal.env, async (services) => {
      const moved = await moveTenant(services, systemActor, id, to, { progress: archiveProgress(terminal) });
      if (moved === undefined) {
        terminal.note(`Tenant ${id} is already at ${to}.`);
        return exitCodes.done;
      }
      const seconds = (moved.pausedMs / 1000).toFixed(1);
      terminal.note(`Tenant ${id} is at ${to}: ${moved.rows} rows; writes were paused for ${seconds} s.`);
      await removeFormer(services, moved.former).catch((error: unknown) => {
        terminal.note(`The former database could not be removed; "licensing doctor" lists it: ${sentenceOf(error)}`);
      });
      return exitCodes.done;
    });
  },
});

/** The number of tenants moved concurrently, so that reading one overlaps with writing another. */
const parallelism = 3;

/** Moves every tenant from one place to another. A failure does not stop the run. */
export const tenantsMoveAll = defineCommand({
  name: 'tenants move-all',
  summary: 'Move every tenant from one place to another while the service runs.',
  details:
    `Moves ${parallelism} tenants at a time, each like "tenants move". Prints one line per failure and continues with\n` +
    'the next tenant. Run the command again to retry the failed ones.',
  options: {
    from: { type: 'string', value: 'PLACE', required: true, description: 'host:port of a server, or "embedded".' },
    to: { type: 'string', value: 'PLACE', required: true, description: 'host:port of a server, or "embedded".' },
  },
  async run({ terminal, values }) {
    const failures = await withServices(terminal.env, (services) => moveAll(services, terminal, values));
    return failures === 0 ? exitCodes.done : exitCodes.failed;
  },
});

/** Returns the number of tenants that could not be moved. */
async function moveAll(
  services: Services,
  terminal: Terminal,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<number> {
  const ids = await listTenantsAt(services.platform, from);
  const removals: Promise<void>[] = [];
  let done = 0;
  let failures = 0;
  await inParallel(ids, parallelism, async (id) => {
    try {
      const moved = await moveTenant(services, systemActor, id, to, { progress: silentProgress });
      if (moved !== undefined)
        removals.push(
          removeFormer(services, moved.former).catch((error: unknown) => {
            const cause = sentenceOf(error);
            terminal.note(`The former database of ${id} could not be removed; "licensing doctor" lists it: ${cause}`);
          }),
        );
    } catch (error) {
      failures += 1;
      terminal.print(`${id}  ${sentenceOf(error)}`);
    }
    done += 1;
    terminal.progress(`${done} of ${ids.length} tenants`);
  });
  await Promise.all(removals);
  terminal.note(`${ids.length - failures} of ${ids.length} tenants of ${from} are at ${to}.`);
  return failures;
}
