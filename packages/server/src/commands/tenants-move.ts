import { moveTenant, removeFormer } from '../features/accounts/tenants/move-service.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { defineCommand, exitCodes } from './command.ts';
import { sentenceOf } from './failure.ts';
import { archiveProgress } from './progress.ts';
import { assertTenantId } from './tenant-id.ts';
import { withServices } from './with-services.ts';

/** Moves one tenant's database to another place. */
export const tenantsMove = defineCommand({
  name: 'tenants move',
  summary: "Move a tenant's database to a PostgreSQL server or into a file while the service runs.",
  details:
    'The tenant is served during the copy. Writes to it fail with 503 TENANT.MOVING for a moment at the end.\n' +
    'After an interruption the tenant stays in place and accepts writes again within 30 s; run the command again.',
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
