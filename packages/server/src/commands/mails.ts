import { isUuid } from '../lib/ids.ts';
import { listDeadMails, listWaitingMails } from '../mail/queries.ts';
import { retryMails } from '../mail/queue.ts';
import { type MailEnvelope, openEnvelope } from '../mail/stored-mail.ts';
import type { Services } from '../services.ts';
import { defineCommand, exitCodes, type Terminal, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

const pageSize = 500;

interface ListedMail {
  readonly id: string;
  readonly state: 'waiting' | 'dead';
  readonly to: string;
  readonly subject: string;
  readonly created_at: string;
  readonly attempts: number;
  /** The time of the next attempt (`waiting`) or of the rejection (`dead`). */
  readonly at: string;
  readonly last_error: string | null;
}

/** Lists the mail that was not sent. The text of a mail is never shown, because it contains links with tokens. */
export const mailsList = defineCommand({
  name: 'mails list',
  summary: 'List mail that waits to be sent or that a server rejected permanently.',
  details:
    'Columns: id, state, time of the next attempt (dead: of the rejection), failed attempts, recipient, last error.',
  options: {
    dead: { type: 'boolean', description: 'Show only permanently rejected mail.' },
    json: { type: 'boolean', description: 'Print a JSON object per line instead of columns.' },
  },
  async run({ terminal, values: { dead, json } }) {
    let count = 0;
    await withServices(terminal.env, async (services) => {
      for await (const mail of mailsOf(services, dead ?? false)) {
        if (json) terminal.print(JSON.stringify(mail));
        else printColumns(terminal, mail);
        count += 1;
      }
    });
    if (count === 0) terminal.note('There is no such mail.');
    return exitCodes.done;
  },
});

function printColumns(terminal: Terminal, mail: ListedMail): void {
  const { id, state, at, attempts, to, last_error } = mail;
  terminal.print([id, state.padEnd(7), at, attempts, to, last_error ?? ''].join('  ').trimEnd());
}

/** Reads page by page, so that memory does not grow with the queue. */
async function* mailsOf(services: Services, deadOnly: boolean): AsyncGenerator<ListedMail> {
  const { platform } = services;
  const waiting = async (after: string) =>
    (await listWaitingMails(platform, after, pageSize)).map(
      (row) => ({ ...row, state: 'waiting', at: row.next_attempt_at }) as const,
    );
  const dead = async (after: string) =>
    (await listDeadMails(platform, after, pageSize)).map(
      (row) => ({ ...row, state: 'dead', at: row.died_at }) as const,
    );
  for (const read of deadOnly ? [dead] : [waiting, dead]) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const page: Awaited<ReturnType<typeof waiting>> | Awaited<ReturnType<typeof dead>> = await read(after);
      for (const row of page) {
        const mail = openEnvelope(services.keyring, row.sealed_message);
        if (mail === undefined) continue;
        const { id, state, at, created_at, attempts, last_error } = row;
        yield { id, state, ...readable(mail), created_at, attempts, at, last_error };
      }
      after = page.length < pageSize ? undefined : page.at(-1)?.id;
    }
  }
}

function readable({ to, subject }: MailEnvelope): Pick<ListedMail, 'to' | 'subject'> {
  return { to: to ?? '(encrypted with an unknown application key)', subject: subject ?? '' };
}

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
