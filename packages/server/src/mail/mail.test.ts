import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newsMail } from './templates/news.ts';
import { invitationMail } from './templates/tenants.ts';
import { createFileTransport, type Mail, type OutgoingMail } from './transport.ts';

const mail = {
  id: '019aa000-0000-7000-8000-000000000001',
  from: 'Licensing <licensing@example.com>',
  date: new Date(Date.UTC(2026, 10, 20, 17, 42)),
  to: 'ada@example.com',
  subject: 'Invitation to Acme',
  text: 'Hello\nAda',
  html: '<p>Hello</p>',
};

const invitation = {
  to: 'ada@example.com',
  target: 'Acme',
  role: 'viewer',
  expiresAt: '2026-11-27T17:42:00.123456Z',
  publicUrl: 'https://licenses.example.com',
  token: 'secret-token',
};

/** Returns what the transport gets of a mail without attachments. */
function outgoing({ attachments: _attachments, usefulUntil: _usefulUntil, ...rest }: Mail) {
  return rest;
}

/** Sends a mail to a new directory. Returns the file's path and its lines. */
async function sendToFile(changes: Partial<OutgoingMail> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mail-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const transport = createFileTransport({ dataDir });
  await transport.send({ ...mail, ...changes });
  const path = join(dataDir, 'mail', `${mail.id}.eml`);
  return { transport, directory: join(dataDir, 'mail'), path, lines: readFileSync(path, 'utf8').split('\r\n') };
}

test('a mail file has the headers of a message and contains the text and the HTML', async () => {
  const { lines } = await sendToFile();
  for (const line of [
    'From: Licensing <licensing@example.com>',
    'To: ada@example.com',
    'Subject: Invitation to Acme',
    'Date: Fri, 20 Nov 2026 17:42:00 +0000',
    'Message-ID: <019aa000-0000-7000-8000-000000000001@example.com>',
    'MIME-Version: 1.0',
    'Auto-Submitted: auto-generated',
  ]) {
    expect(lines).toContain(line);
  }
  expect(lines).toContain('Ada');
  expect(lines).toContain('<p>Hello</p>');
});

test('news are marked as bulk mail that a person wrote, and every other mail as automatic', async () => {
  const { publicUrl, to } = invitation;
  const news = await sendToFile(outgoing(newsMail({ to, subject: 'News', text: 'New', token: 'a', publicUrl })));
  const marks = (lines: readonly string[]) => lines.filter((line) => /^(auto-submitted|precedence):/i.test(line));
  expect(marks(news.lines)).toEqual(['Auto-Submitted: no', 'Precedence: bulk']);
  expect(marks((await sendToFile(outgoing(invitationMail(invitation)))).lines)).toEqual([
    'Auto-Submitted: auto-generated',
  ]);
});

test('a mail file contains its attachments', async () => {
  const content = Buffer.from('%PDF-1.3');
  const { lines } = await sendToFile({
    attachments: [{ filename: 'invoice-1.pdf', contentType: 'application/pdf', content }],
  });
  expect(lines).toContain('Content-Disposition: attachment; filename=invoice-1.pdf');
  expect(lines).toContain(content.toString('base64'));
  expect(lines).toContain('<p>Hello</p>');
});

test('a line break in a subject does not start a new header', async () => {
  const { lines } = await sendToFile({ subject: 'a\r\nBcc: eve@example.com' });
  expect(lines.filter((line) => line.startsWith('Bcc:'))).toEqual([]);
});

test('a mail file is readable by its owner only, and sending the same mail again replaces it', async () => {
  const { transport, directory, path } = await sendToFile();
  await transport.send(mail);
  expect(readdirSync(directory)).toEqual([`${mail.id}.eml`]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an invitation contains its target, role, expiry and link as text and as HTML', () => {
  const { to, subject, text, html } = invitationMail(invitation);
  expect({ to, subject }).toEqual({ to: 'ada@example.com', subject: 'Invitation to Acme' });
  for (const body of [text, html]) {
    expect(body).toContain('https://licenses.example.com/accept-invitation#token=secret-token');
    expect(body).toContain('with the role viewer');
    expect(body).toContain('until November 27, 2026 at 17:42 UTC');
  }
});

test('markup in a name is escaped in the HTML of a mail', () => {
  const { html, text } = invitationMail({ ...invitation, target: `<img src=x onerror="a('b')">&` });
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;');
  expect(text).toContain('<img');
});
