import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { composeOptions, type MailTransport } from './transport.ts';

/** Returns the directory that receives mail when no SMTP server is configured. */
export function mailDirectory({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'mail');
}

/**
 * Creates a transport that writes each mail to `DATA_DIR/mail/<id>.eml`, which any mail program can open. The file
 * contains the links of the mail, so only the user of the process may read it. File names sort by time. A rename makes
 * each file appear complete.
 */
export function createFileTransport(config: Pick<Config, 'dataDir'>): MailTransport {
  const directory = mailDirectory(config);
  return {
    concurrency: 4,
    async send(mail) {
      const { createTransport } = await import('nodemailer');
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message } = await composer.sendMail(composeOptions(mail));
      makeFolder(directory);
      const draft = join(directory, `.${mail.id}.draft`);
      await writeFile(draft, message, { mode: 0o600 });
      await rename(draft, join(directory, `${mail.id}.eml`));
    },
    close: () => undefined,
  };
}
