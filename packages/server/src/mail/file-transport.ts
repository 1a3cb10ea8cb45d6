import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Config } from '../config/config.ts';
import { composeOptions } from './compose.ts';
import type { MailTransport } from './transport.ts';

/** Where mail is put that is not sent. */
export function mailDirectory({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'mail');
}

/**
 * Puts each mail into a file of `DATA_DIR/mail`, `<id>.eml`, which any mail program opens. It is the mail itself, with
 * the link that it carries, so only the owner of the process may read it. Ids sort by time. A file appears whole.
 */
export function createFileTransport(config: Pick<Config, 'dataDir'>): MailTransport {
  const directory = mailDirectory(config);
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    places: 4,
    async send(mail) {
      const { message } = await composer.sendMail(composeOptions(mail));
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const draft = join(directory, `.${mail.id}.draft`);
      await writeFile(draft, message, { mode: 0o600 });
      await rename(draft, join(directory, `${mail.id}.eml`));
    },
    close: () => undefined,
  };
}
