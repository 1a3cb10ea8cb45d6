import { readFile } from 'node:fs/promises';
import { sendCampaign } from '../features/accounts/marketing/service.ts';
import { defineCommand, exitCodes, UsageError } from './command.ts';
import { withServices } from './with-services.ts';

const subjectMaxLength = 200;

/** Queues a marketing mail to all confirmed subscribers. */
export const marketingSend = defineCommand({
  name: 'marketing send',
  summary: 'Send a marketing mail to all confirmed subscribers.',
  details:
    'FILE is plain UTF-8 text; an empty line starts a new paragraph. Every mail gets a link to unsubscribe.\n' +
    'Each subscriber receives the same subject and text only once, so running an interrupted command again resumes it.\n' +
    'A running service sends the queued mail, at most 50 per second.',
  options: {
    subject: { type: 'string', value: 'SUBJECT', required: true, description: 'Subject of the mail.' },
    text: { type: 'string', value: 'FILE', required: true, description: 'File with the text of the mail.' },
  },
  async run({ terminal, values }) {
    const subject = values.subject.trim();
    if (subject === '' || subject.length > subjectMaxLength || /\p{Cc}/u.test(subject)) {
      throw new UsageError(`--subject must be one line of 1 to ${subjectMaxLength} characters.`);
    }
    const text = await readText(values.text);
    const queued = await withServices(terminal.env, (services) =>
      sendCampaign(services, { subject, text }, (count) => terminal.progress(`${count} mails queued …`)),
    );
    terminal.note(
      queued === null
        ? 'Nothing was queued: every subscriber already received this subject and text.'
        : `Mails queued: ${queued}.`,
    );
    return exitCodes.done;
  },
});

async function readText(path: string): Promise<string> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw new UsageError(`--text must name a file with UTF-8 text: ${path} cannot be read as such.`, {
      cause: error,
    });
  }
  if (text.trim() === '') throw new UsageError(`--text must name a non-empty file: ${path} is empty.`);
  return text;
}
