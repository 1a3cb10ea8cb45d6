import { resetTwoFactor } from '../features/accounts/identity/two-factor-service.ts';
import { Email, strictObject } from '../http/schema.ts';
import { systemActor } from '../tenancy/tenant.ts';
import { checkInput } from './check-input.ts';
import { type Command, defineCommand, exitCodes } from './command.ts';
import { withServices } from './with-services.ts';

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
