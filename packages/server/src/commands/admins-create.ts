import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { createAdminWithPassword, inviteNewAdmin } from '../features/accounts/admins/service.ts';
import { AdminRoleName, NewPassword } from '../features/accounts/identity/schemas.ts';
import { Email, Name, strictObject } from '../http/schema.ts';
import { systemActor } from '../tenancy/tenant.ts';
import { checkInput } from './check-input.ts';
import { defineCommand, exitCodes, type Terminal } from './command.ts';
import { withServices } from './with-services.ts';

const NewAdmin = strictObject({ email: Email, name: Name, role: AdminRoleName });
const WithPassword = strictObject({ ...NewAdmin.properties, password: Type.Optional(NewPassword) });

const optionNames = { email: '--email', name: '--name', role: '--role', password: 'The password' };

/** Creates a platform admin, with a password or through an invitation. Prints the admin's id. */
export const adminsCreate = defineCommand({
  name: 'admins create',
  summary: 'Create an admin of the platform.',
  details:
    'With --password-stdin, the first line of standard input becomes the password (12 to 256 characters).\n' +
    'Without it, the admin receives an invitation by mail with a link for setting the password.\n' +
    "Prints the admin's id.",
  options: {
    email: { type: 'string', value: 'EMAIL', required: true, description: 'Email address to log in with.' },
    role: {
      type: 'string',
      value: 'ROLE',
      required: true,
      description: 'admin, billing_readonly, billing_admin or super_admin.',
    },
    name: {
      type: 'string',
      value: 'NAME',
      description: 'Display name; default: the part of the address before the @.',
    },
    'password-stdin': { type: 'boolean', description: 'Read the password from standard input.' },
  },
  async run({ terminal, values }) {
    const { email, role, name = email.split('@')[0] } = values;
    const usesPassword = values['password-stdin'] ?? false;
    const password = usesPassword ? await readPassword(terminal) : undefined;
    const { password: checked, ...admin } = checkInput(WithPassword, { email, name, role, password }, optionNames);
    await withServices(terminal.env, async (services) => {
      const created =
        checked === undefined
          ? await inviteNewAdmin(services, systemActor, admin)
          : await createAdminWithPassword(services, systemActor, { ...admin, password: checked });
      terminal.print(created.id);
      if (checked !== undefined) return terminal.note(`${created.email} can log in as ${created.role}.`);
      await services.mail.deliverDue();
      const { smtp, dataDir } = services.config;
      const where =
        smtp === null
          ? `the mail is a file in ${dataDir}/mail`
          : 'the mail was sent or queued; "licensing mails list" shows queued mail';
      terminal.note(`${created.email} was invited: ${where}.`);
    });
    return exitCodes.done;
  },
});

/** Reads the first line without its line break, so that `echo`, a here-document and a password manager all work. */
async function readPassword({ stdin }: Terminal): Promise<string> {
  return (await text(stdin)).split(/\r?\n/)[0] ?? '';
}
