import { text } from 'node:stream/consumers';
import { Type } from 'typebox';
import { createAdminWithPassword, inviteNewAdmin } from '../features/accounts/admins/service.ts';
import { AdminRoleName, NewPassword } from '../features/accounts/identity/schemas.ts';
import { resetTwoFactor } from '../features/accounts/identity/two-factor-service.ts';
import { adminRoleNames, adminRoles } from '../http/routes/admin-roles.ts';
import { Email, Name, strictObject } from '../http/schema.ts';
import { systemActor } from '../tenancy/tenant.ts';
import { checkInput } from './check-input.ts';
import { type Command, defineCommand, exitCodes, type Terminal } from './command.ts';
import { withServices } from './with-services.ts';

const NewAdmin = strictObject({ email: Email, name: Name, role: AdminRoleName });
const WithPassword = strictObject({ ...NewAdmin.properties, password: Type.Optional(NewPassword) });

const optionNames = { email: '--email', name: '--name', role: '--role', password: 'The password' };

/** Creates a platform admin, with a password or through an invitation. Prints the admin's id. */
export const adminsCreate = defineCommand({
  name: 'admins create',
  summary: 'Create an admin of the platform.',
  details:
    'With --password-stdin, the first line of standard input becomes the password (12 to 256 characters,\n' +
    'not a common one).\n' +
    'Without it, the admin receives an invitation by mail with a link for setting the password.\n' +
    "Prints the admin's id.\n\n" +
    adminRoleNames.map((role) => `${role.padEnd(18)}${adminRoles[role].description}`).join('\n'),
  options: {
    email: { type: 'string', value: 'EMAIL', required: true, description: 'Email address to log in with.' },
    role: {
      type: 'string',
      value: 'ROLE',
      required: true,
      description: `One of ${adminRoleNames.join(', ')}.`,
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

/** Defines `admins reset-two-factor` and `users reset-two-factor`, for people who lost their second factor. */
function resetCommand(who: 'admins' | 'users'): Command {
  const ability = who === 'admins' ? 'admin' : 'tenant';
  return defineCommand({
    name: `${who} reset-two-factor`,
    summary: `Turn off two-factor authentication for ${who === 'admins' ? 'an admin' : 'a user'} who lost the device.`,
    details:
      'Ends all sessions of the account and notifies its owner by mail. First verify the identity of the person.',
    options: {
      email: { type: 'string', value: 'EMAIL', required: true, description: 'Email address of the account.' },
    },
    async run({ terminal, values }) {
      const { email } = checkInput(strictObject({ email: Email }), { email: values.email }, { email: '--email' });
      const wasReset = await withServices(terminal.env, async (services) => {
        const done = await resetTwoFactor(services, ability, email, systemActor);
        if (done) await services.mail.deliverDue();
        return done;
      });
      if (wasReset) {
        terminal.note(`${email} can now log in with the password only.`);
        return exitCodes.done;
      }
      terminal.note(
        `Nothing was changed: no enabled account with the address ${email} uses two-factor authentication.`,
      );
      return exitCodes.failed;
    },
  });
}

/** Turns off two-factor authentication for an admin. */
export const adminsResetTwoFactor = resetCommand('admins');
/** Turns off two-factor authentication for a user. */
export const usersResetTwoFactor = resetCommand('users');
