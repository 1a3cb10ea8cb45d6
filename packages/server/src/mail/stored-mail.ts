import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { PlatformDb } from '../db/database.ts';
import type { Keyring } from '../lib/keyring.ts';
import { isMailFileOf, type Mail, mailDirectory } from './transport.ts';

interface MailServices {
  readonly platform: PlatformDb;
  readonly keyring: Keyring;
  readonly config: Pick<Config, 'dataDir'>;
}

const batchSize = 100;

/** A stored mail, as its recipient may see it. */
interface WaitingMail {
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly created_at: string;
}

/** The recipient and the subject of a stored mail; null if the application key of the mail is unknown. */
export interface MailEnvelope {
  readonly to: string | null;
  readonly subject: string | null;
}

/** Opens a stored mail. Returns undefined for a decoy row, which holds no mail. */
export function openEnvelope(keyring: Keyring, sealed: string): MailEnvelope | undefined {
  let text: string;
  try {
    text = keyring.open(sealed);
  } catch {
    return { to: null, subject: null };
  }
  const mail: Mail | { readonly nothing: string } = JSON.parse(text);
  return 'nothing' in mail ? undefined : { to: mail.to, subject: mail.subject };
}

const tables = ['mails', 'dead_mails'] as const;

/**
 * Returns the stored mails to an address: queued ones and dead ones. Decrypts every stored mail, because recipients are
 * encrypted.
 */
export async function listMailTo(services: MailServices, address: string): Promise<WaitingMail[]> {
  const found: WaitingMail[] = [];
  for (const table of tables) {
    for await (const { id, created_at, mail } of storedMails(services, table)) {
      if (!isTo(mail, address)) continue;
      // Until it is used, a link works like a password.
      const text = mail.text.replace(/#token=\S+/g, '#token=…');
      found.push({ id, subject: mail.subject, text, created_at });
    }
  }
  return found;
}

/** Deletes the stored mails to an address, and the files of the file transport that were addressed to it. */
export async function eraseMailTo(services: MailServices, address: string): Promise<void> {
  await eraseRows(services, (mail) => isTo(mail, address));
  await eraseFilesTo(mailDirectory(services.config), address);
}

/** Deletes the stored mails that a tenant caused, and the files of the file transport that contain them. */
export async function eraseMailOfTenant(services: MailServices, tenantId: string): Promise<void> {
  await eraseRows(services, (mail) => mail.tenantId === tenantId);
  const directory = mailDirectory(services.config);
  const files = (await filesIn(directory)).filter((name) => isMailFileOf(tenantId, name));
  for (const name of files) await rm(join(directory, name), { force: true });
}

async function eraseRows(services: MailServices, isErased: (mail: Partial<Mail>) => boolean): Promise<void> {
  for (const table of tables) {
    for await (const { id, mail } of storedMails(services, table)) {
      if (isErased(mail)) await services.platform.query.deleteFrom(table).where('id', '=', id).execute();
    }
  }
}

function isTo({ to = '' }: Partial<Mail>, address: string): boolean {
  return to.toLowerCase().includes(address.toLowerCase());
}

/** Yields every mail of a table. A decoy row (see `enqueue` of `MailQueue`) yields a mail without a recipient. */
async function* storedMails({ platform, keyring }: MailServices, table: (typeof tables)[number]) {
  let after = '';
  for (;;) {
    const rows = await platform.query
      .selectFrom(table)
      .select(['id', 'sealed_message', 'created_at'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .execute();
    for (const { id, created_at, sealed_message } of rows) {
      yield { id, created_at, mail: JSON.parse(keyring.open(sealed_message)) as Mail };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchSize) return;
    after = last.id;
  }
}

async function eraseFilesTo(directory: string, address: string): Promise<void> {
  for (const name of await filesIn(directory)) {
    const file = join(directory, name);
    const text = await readFile(file, 'latin1').catch(() => '');
    // Unfolds long headers: a continuation line starts with white space (RFC 5322, section 2.2.3).
    const headers = text.slice(0, text.search(/\r?\n\r?\n/) + 1).replace(/\r?\n[ \t]+/g, ' ');
    const to = /^(?:to|cc):(.*)$/im.exec(headers)?.[1] ?? '';
    if (isTo({ to }, address)) await rm(file, { force: true });
  }
}

async function filesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    // The file transport has not written a mail yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
