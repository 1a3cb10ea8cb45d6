import { resolve } from 'node:path';
import {
  closedRetentionDays,
  describePurge,
  exportTenantArchive,
  importTenantArchive,
  purgeTenant,
} from '../features/accounts/tenants/archive-service.ts';
import { listTenants, type TenantWithPlan } from '../features/accounts/tenants/queries.ts';
import { CreateTenant } from '../features/accounts/tenants/schemas.ts';
import { createTenant, updateTenant } from '../features/accounts/tenants/service.ts';
import { freePlanCode } from '../features/accounts/tenants/tenant.ts';
import { rotateSigningKey } from '../features/licensing/signing-keys/service.ts';
import { toPage } from '../http/cursor.ts';
import type { PlatformServices } from '../services.ts';
import { systemActor } from '../tenancy/tenant.ts';
import { assertTenantId, checkInput } from './check-input.ts';
import { defineCommand, exitCodes, type Terminal } from './command.ts';
import { archiveProgress } from './progress.ts';
import { printJsonArray } from './terminal.ts';
import { withServices } from './with-services.ts';

const pageSize = 500;

/** Prints all tenants, newest first, one per line. */
export const tenantsList = defineCommand({
  name: 'tenants list',
  summary: 'List the tenants, newest first.',
  options: { json: { type: 'boolean', description: 'Print a JSON array instead of columns.' } },
  async run({ terminal, values }) {
    await withServices(terminal.env, (services) => {
      const tenants = allTenants(services);
      return values.json ? printJsonArray(terminal, tenants, publicFields) : printColumns(terminal, tenants);
    });
    return exitCodes.done;
  },
});

function publicFields({ id, name, status, plan_code, placement, created_at }: TenantWithPlan) {
  return { id, name, status, plan_code, placement, created_at };
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

const optionNames = { name: '--name', plan_code: '--plan', owner_email: '--owner' };

/** Creates a tenant with its database. Prints the tenant's id. */
export const tenantsCreate = defineCommand({
  name: 'tenants create',
  summary: 'Create a tenant with its database.',
  details: "The owner gets an invitation by mail and becomes a member by accepting it. Prints the tenant's id.",
  options: {
    name: { type: 'string', value: 'NAME', required: true, description: 'Display name.' },
    plan: { type: 'string', value: 'CODE', description: `Code of the plan; default: ${freePlanCode}.` },
    owner: { type: 'string', value: 'EMAIL', description: 'Email address of the owner, who is invited by mail.' },
  },
  async run({ terminal, values }) {
    const { name, plan: plan_code, owner: owner_email } = values;
    const input = checkInput(CreateTenant, { name, plan_code, owner_email }, optionNames);
    await withServices(terminal.env, async (services) => {
      terminal.print(await createTenant(services, systemActor, input));
      await services.mail.deliverDue();
    });
    return exitCodes.done;
  },
});

/** Defines a command that sets a tenant's status. */
function statusCommand(name: string, status: 'active' | 'suspended', summary: string) {
  return defineCommand({
    name,
    summary,
    details: 'Takes effect with the next request, on every node. Running it again changes nothing.',
    operands: ['ID'],
    options: {},
    async run({ terminal, operands: [id = ''] }) {
      assertTenantId(id);
      await withServices(terminal.env, (services) => updateTenant(services, systemActor, id, { status }));
      terminal.note(`Tenant ${id} is ${status}.`);
      return exitCodes.done;
    },
  });
}

/** Denies all access to a tenant. */
export const tenantsSuspend = statusCommand(
  'tenants suspend',
  'suspended',
  'Suspend a tenant: all access is denied until it is reinstated.',
);

/** Ends the suspension of a tenant. */
export const tenantsReinstate = statusCommand('tenants reinstate', 'active', 'Restore access to a suspended tenant.');

/** Writes a tenant's archive. Prints its checksum. */
export const tenantsExport = defineCommand({
  name: 'tenants export',
  summary: 'Export all data of a tenant to a file while the service runs.',
  details:
    'The exported data is consistent. The file contains names, email addresses and hashes of API keys, and can be\n' +
    'imported on either engine with the same application key. Prints the SHA-256 of the content.',
  operands: ['ID'],
  options: {
    to: { type: 'string', value: 'FILE', required: true, description: 'A new file; readable by its owner only.' },
  },
  async run({ terminal, values, operands: [id = ''] }) {
    assertTenantId(id);
    const file = resolve(values.to);
    const { sha256, rows, bytes } = await withServices(terminal.env, (services) =>
      exportTenantArchive(services, id, file, archiveProgress(terminal)),
    );
    terminal.print(sha256);
    terminal.note(`Exported ${rows} rows of tenant ${id} to ${file} (${bytes} bytes).`);
    return exitCodes.done;
  },
});

/** Creates or replaces a tenant from an archive. Prints the tenant's id. */
export const tenantsImport = defineCommand({
  name: 'tenants import',
  summary: 'Import a tenant from a file of "tenants export".',
  details:
    'The tenant is not served until the whole file was read and verified. Members without an account here get one\n' +
    'without a password, which they set with "forgot password". Prints the tenant\'s id.',
  operands: ['FILE'],
  options: {
    replace: {
      type: 'boolean',
      description: 'Replace the data of the existing tenant; its status, plan and members stay.',
    },
  },
  async run({ terminal, values, operands: [file = ''] }) {
    const replace = values.replace ?? false;
    const id = await withServices(terminal.env, (services) =>
      importTenantArchive(services, systemActor, resolve(file), { replace, progress: archiveProgress(terminal) }),
    );
    terminal.print(id);
    return exitCodes.done;
  },
});

/** Deletes a closed tenant permanently. */
export const tenantsPurge = defineCommand({
  name: 'tenants purge',
  summary: 'Delete a closed tenant and all of its data permanently.',
  details:
    `The data of a closed tenant is kept for ${closedRetentionDays} days, so that it can be exported. After a purge the tenant can only be\n` +
    'imported from an archive. Asks for the id as a confirmation.',
  operands: ['ID'],
  options: {
    yes: { type: 'boolean', description: 'Skip the confirmation.' },
    force: {
      type: 'boolean',
      description: `Purge before the ${closedRetentionDays} days have passed. The tenant must still be closed.`,
    },
  },
  async run({ terminal, values, operands: [id = ''] }) {
    assertTenantId(id);
    const force = values.force ?? false;
    return await withServices(terminal.env, async (services) => {
      const name = await describePurge(services, id, force);
      if (!values.yes && !(await isConfirmed(terminal, id, name))) {
        terminal.note('Nothing was deleted: the id that was typed does not match.');
        return exitCodes.failed;
      }
      await purgeTenant(services, systemActor, id, { force });
      terminal.note(`Tenant ${id} and its data were deleted.`);
      return exitCodes.done;
    });
  },
});

async function isConfirmed({ stdin, note }: Terminal, id: string, name: string): Promise<boolean> {
  note(`This deletes the tenant ${name} permanently. Type its id to continue:`);
  return (await firstLine(stdin)) === id;
}

/** Reads up to the first line break: a person at a terminal ends the line, not the stream. */
async function firstLine(stdin: Terminal['stdin']): Promise<string> {
  let typed = '';
  for await (const chunk of stdin) {
    typed += String(chunk);
    if (typed.includes('\n')) break;
  }
  return typed.split(/\r?\n/)[0]?.trim() ?? '';
}

/** Rotates the key that signs a tenant's offline certificates. Prints the new key's id. */
export const tenantsRotateSigningKey = defineCommand({
  name: 'tenants rotate-signing-key',
  summary: 'Replace the key that signs the offline certificates of a tenant.',
  details:
    'Certificates signed with the former key stay valid: its public key is published until the last of them expires,\n' +
    'and for at least a day. Prints the id of the new key.',
  operands: ['ID'],
  options: {},
  async run({ terminal, operands: [id = ''] }) {
    assertTenantId(id);
    await withServices(terminal.env, async (services) => {
      terminal.print(await rotateSigningKey(services, systemActor, id));
    });
    return exitCodes.done;
  },
});
