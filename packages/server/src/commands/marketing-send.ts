import { readFile } from 'node:fs/promises';
import { sendCampaign } from '../features/accounts/marketing/campaign-service.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

const subjectMaxLength = 200;

/** Queues news for everybody who wants them. */
export const marketingSend = defineCommand({
  name: 'marketing send',
  summary: 'Send news to everybody who confirmed that they want them.',
  details:
    'FILE is plain text in UTF-8; an empty line begins a paragraph. Every mail gets a link to unsubscribe.\n' +
    'The same subject and text go to each subscriber once: run an interrupted command again, and it goes on.\n' +
    'A running service sends what is queued, 50 a second at most.',
  options: {
    subject: { type: 'string', value: 'SUBJECT', required: true, description: 'Subject of the mail.' },
    text: { type: 'string', value: 'FILE', required: true, description: 'File with the text.' },
  },
  async run({ terminal, values }) {
    const subject = values.subject.trim();
    if (subject === '' || subject.length > subjectMaxLength || /\p{Cc}/u.test(subject)) {
      throw new UsageError(`--subject must be one line of 1 to ${subjectMaxLength} characters.`);
    }
    const text = await readText(values.text);
    const queued = await withServices(terminal.env, (services) =>
      sendCampaign(services, { subject, text }, (count) => terminal.progress(`${count} mails are queued …`)),
    );
    terminal.note(
      queued === null
        ? 'Nothing was queued: this subject and text went to every subscriber before.'
        : `Mails that were queued: ${queued}.`,
    );
    return exitCodes.done;
  },
});

async function readText(path: string): Promise<string> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw new UsageError(`--text must name a file with text in UTF-8: ${path} cannot be read as such.`, {
      cause: error,
    });
  }
  if (text.trim() === '') throw new UsageError(`--text must name a file that is not empty: ${path} is.`);
  return text;
}
