import { isUuid } from '../lib/ids.ts';
import { retryMails } from '../mail/retry.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

/** Makes mail due now that waits or was refused. */
export const mailsRetry = defineCommand({
  name: 'mails retry',
  summary: 'Send mail again that was refused for good, or that waits.',
  details: 'A running service takes it within five seconds. Correct the cause first: "licensing mails list".',
  operands: ['ID|dead'],
  options: {},
  async run({ terminal, operands: [id = ''] }) {
    if (id !== 'dead' && !isUuid(id)) {
      throw new UsageError(
        `"${id}" is no id of a mail: "licensing mails list" shows the ids; "dead" means all dead mail.`,
      );
    }
    const count = await withServices(terminal.env, (services) => retryMails(services, id === 'dead' ? null : id));
    terminal.note(count === 0 ? 'Nothing was changed: there is no such mail.' : `Mails that are due now: ${count}.`);
    return count === 0 ? exitCodes.failed : exitCodes.done;
  },
});
