import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestApp } from './harness.ts';

/** Sends all queued mail and returns the texts of all mails to an address, oldest first. */
export async function mailsTo(app: TestApp, email: string): Promise<string[]> {
  // Vitest's own waiting would advance a clock that a test has stopped.
  while (!(await allSent(app))) await delay(20);
  const folder = join(app.config.dataDir, 'mail');
  // The first mail creates the folder.
  if (!existsSync(folder)) return [];
  const files = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return mails.filter((mail) => mail.toLowerCase().includes(`to: ${email.toLowerCase()}\r\n`)).map(plainText);
}

/** Sends due mail and returns whether none is on its way: a worker of the app may have claimed one first. */
async function allSent({ services }: TestApp): Promise<boolean> {
  while ((await services.mail.deliverDue()).sent > 0);
  const claimed = services.platform.query.selectFrom('mails').select('id').where('attempts', '>', 0);
  return (await claimed.where('last_error', 'is', null).executeTakeFirst()) === undefined;
}

/** Returns the plain text part of a mail. A mail with attachments has it within another part. */
function plainText(mail: string): string {
  const start = mail.indexOf('Content-Type: text/plain');
  const [partHeaders = '', body = ''] = mail.slice(start).split('\r\n\r\n');
  if (partHeaders.includes('base64')) return Buffer.from(body, 'base64').toString();
  if (!partHeaders.includes('quoted-printable')) return mail;
  const bytes = mail
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex) => String.fromCharCode(Number(`0x${hex}`)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Returns the token of the newest link mailed to an address; throws if there is none. */
export async function mailedToken(app: TestApp, email: string): Promise<string> {
  const newest = (await mailsTo(app, email)).at(-1) ?? '';
  const token = /#token=(\S+)/.exec(newest)?.[1];
  if (token === undefined) throw new Error(`No link was mailed to ${email}.`);
  app.secrets.note(token);
  return token;
}
