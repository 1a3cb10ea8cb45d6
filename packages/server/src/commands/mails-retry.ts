import { isUuid } from '../lib/ids.ts';
import { retryMails } from '../mail/manual-retry.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** Makes waiting or dead mail due now. */
export const mailsRetry = defineCommand({
  name: 'mails retry',
  summary: 'Retry mail that waits or that a server rejected permanently.',
  details:
    'A running service sends it within five seconds. First correct the cause, which "licensing mails list" shows.',
  operands: ['ID|dead'],
  options: {},
  async run({ terminal, operands: [id = ''] }) {
    if (id !== 'dead' && !isUuid(id)) {
      throw new UsageError(
        `"${id}" is not the id of a mail: "licensing mails list" shows the ids; "dead" selects all dead mail.`,
      );
    }
    const count = await withServices(terminal.env, async (services) => {
      const made = await retryMails(services, id === 'dead' ? null : id);
      services.mail.kick();
      return made;
    });
    terminal.note(
      count === 0
        ? 'Nothing was changed: there is no such mail. See "licensing mails list".'
        : `Mails now due: ${count}.`,
    );
    return count === 0 ? exitCodes.failed : exitCodes.done;
  },
});
