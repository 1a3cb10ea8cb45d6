import nodemailer from 'nodemailer';
import { expect, test } from 'vitest';
import { foldEmail, isEmailAddress, storedEmail } from './email.ts';

const composer = nodemailer.createTransport({ streamTransport: true, buffer: true });

test.for([
  'ada@example.com',
  "Ada.O'Neil+x_y{z}|a#1@mail.example.co.uk",
  'käthe@bücher.example',
  '鈴木@例え.jp',
  '.a..b.@docomo.ne.jp',
])('%s is an address, and a mailer addresses exactly it', async (text) => {
  expect(isEmailAddress(text)).toBe(true);
  const { envelope } = await composer.sendMail({ from: 'a@b.c', to: { name: '', address: text } });
  // It quotes a name whose dots RFC 5322 allows only in quotes.
  expect(envelope.to.map((to) => to.replaceAll('"', ''))).toEqual([text]);
});

test.for([
  'ada',
  'ada@example',
  'ada@@example.com',
  'a@b@example.com',
  'ada@.example.com',
  'ada@example..com',
  'ada@example.com.',
  '<ada@example.com>',
  'Ada <ada@example.com>',
  'ada>@example.com',
  'ada@[127.0.0.1]',
  'ada@[127.0.0.1].com',
  '"ada"@example.com',
  'ada(x)@example.com',
  'ada,eve@example.com',
  'ada;eve@example.com',
  'group:ada@example.com',
  'a\\da@example.com',
  'ada @example.com',
  'ada\u0085@example.com',
  'ada\u200b@example.com',
  'ada\u202e@example.com',
  'ada@exam\u00adple.com',
  'ada@example。com',
  `${'a'.repeat(243)}@example.com`,
])('%j is no address', (text) => expect(isEmailAddress(text)).toBe(false));

test.for([
  ['ADA@Example.COM ', 'ada@example.com'],
  ['KÄTHE@example.com', 'käthe@example.com'],
  ['ka\u0308the@example.com', 'käthe@example.com'],
  ['KA\u0308THE@example.com', 'käthe@example.com'],
  ['ΟΔΟΣ@example.com', 'οδοσ@example.com'],
  ['οδος@example.com', 'οδοσ@example.com'],
  // Different mailboxes, which a folding of letters to several would merge.
  ['groß@example.com', 'groß@example.com'],
  ['ı@example.com', 'ı@example.com'],
  ['𐐀@example.com', '𐐨@example.com'],
] as const)('%s is compared as %s', ([text, folded]) => {
  expect(foldEmail(text)).toBe(folded);
  expect(foldEmail(folded)).toBe(folded);
  // SQL folds the stored spelling completely.
  expect(storedEmail(text.trim()).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())).toBe(folded);
});
