import { listTenants, type TenantWithPlan } from '../features/accounts/tenants/queries.ts';
import { toPage } from '../http/cursor.ts';
import type { PlatformServices } from '../services.ts';
import { defineCommand, exitCodes, type Terminal } from './command.ts';
import { withServices } from './with-services.ts';

const pageSize = 500;

/** Prints all tenants, newest first, one per line. */
export const tenantsList = defineCommand({
  name: 'tenants list',
  summary: 'List the tenants, newest first.',
  options: { json: { type: 'boolean', description: 'Print a JSON array instead of columns.' } },
  async run({ terminal, values }) {
    const printAll = values.json ? printJson : printColumns;
    await withServices(terminal.env, (services) => printAll(terminal, allTenants(services)));
    return exitCodes.done;
  },
});

async function printJson(terminal: Terminal, tenants: AsyncIterable<TenantWithPlan>): Promise<void> {
  let before = '[';
  for await (const { id, name, status, plan_code, placement, created_at } of tenants) {
    terminal.print(before + JSON.stringify({ id, name, status, plan_code, placement, created_at }));
    before = ',';
  }
  terminal.print(before === '[' ? '[]' : ']');
}

async function printColumns(terminal: Terminal, tenants: AsyncIterable<TenantWithPlan>): Promise<void> {
  let count = 0;
  for await (const { id, name, status, plan_code, created_at } of tenants) {
    terminal.print([id, status.padEnd(9), plan_code.padEnd(10), created_at, printable(name)].join('  '));
    count += 1;
  }
  if (count === 0) terminal.note('There are no tenants yet: create one with "licensing tenants create".');
}

/** Reads page by page, so that memory does not grow with the number of tenants. */
async function* allTenants({ platform }: PlatformServices): AsyncGenerator<TenantWithPlan> {
  let cursor: string | undefined;
  do {
    const page = toPage(await listTenants(platform, { limit: pageSize, cursor }), pageSize);
    yield* page.rows;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Replaces control characters: names are free text and could otherwise send escape sequences to the terminal. */
function printable(name: string): string {
  return name.replace(/\p{Cc}/gu, '\uFFFD');
}
