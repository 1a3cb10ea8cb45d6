import { resetTwoFactor } from '../features/accounts/identity/two-factor-service.ts';
import { Email, strictObject } from '../http/schema.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import { checkInput } from './check-input.ts';
import { type Command, defineCommand, exitCodes } from './command.ts';
import { withServices } from './with-services.ts';

/** `admins reset-two-factor` and `users reset-two-factor`: the way out for who lost the device. */
function resetCommand(who: 'admins' | 'users'): Command {
  const ability = who === 'admins' ? 'admin' : 'tenant';
  return defineCommand({
    name: `${who} reset-two-factor`,
    summary: `Turn two-factor authentication of ${who === 'admins' ? 'an admin' : 'a user'} off who lost the device.`,
    details: 'Ends the sessions, and tells the person by mail. Make sure beforehand who asks you for it.',
    options: { email: { type: 'string', value: 'EMAIL', required: true, description: 'Address to log in with.' } },
    async run({ terminal, values }) {
      const { email } = checkInput(strictObject({ email: Email }), { email: values.email }, { email: '--email' });
      const wasReset = await withServices(terminal.env, async (services) => {
        const done = await resetTwoFactor(services, ability, email, systemActor);
        if (done) await services.mail.deliverDue();
        return done;
      });
      if (wasReset) {
        terminal.note(`${email} logs in with the password only from now on.`);
        return exitCodes.done;
      }
      terminal.note(`Nothing was changed: no enabled account of ${email} has two-factor authentication.`);
      return exitCodes.failed;
    },
  });
}

export const adminsResetTwoFactor = resetCommand('admins');
export const usersResetTwoFactor = resetCommand('users');
