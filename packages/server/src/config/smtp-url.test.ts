import { expect, test } from 'vitest';
import { parseSmtpUrl } from './server-urls.ts';

test.each([
  ['smtp://mail.example.com', { port: 587, tls: 'starttls', credentials: null }],
  ['smtp://mail.example.com:25?tls=never', { port: 25, tls: 'none', credentials: null }],
  ['smtp://127.0.0.1:2525', { port: 2525, tls: 'none' }],
  ['smtp://[::1]', { host: '::1', tls: 'none' }],
  ['smtp://localhost?tls=required', { host: 'localhost', tls: 'starttls' }],
  ['smtps://mail.example.com', { port: 465, tls: 'implicit' }],
  ['smtp://a%40b:p%3Aw@mail.example.com', { credentials: { user: 'a@b', password: 'p:w' }, tls: 'starttls' }],
  ['smtp://user:secret@localhost', { credentials: { user: 'user', password: 'secret' }, tls: 'none' }],
])('parseSmtpUrl accepts %s', (url, expected) => {
  expect(parseSmtpUrl(url)).toMatchObject(expected);
});

test.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com#x',
  'smtp://mail.example.com?tls=maybe',
  'smtp://mail.example.com?pool=true',
  'smtps://mail.example.com?tls=never',
  'smtp://user@mail.example.com',
  'smtp://:secret@mail.example.com',
  'smtp://user:secret%ff@mail.example.com',
  'smtp://user:secret@mail.example.com?tls=never',
])('parseSmtpUrl rejects %s without revealing its secrets', (url) => {
  const parsed = parseSmtpUrl(url);
  expect(parsed).toEqual({ problem: expect.stringMatching(/^SMTP_URL .*\.$/) });
  expect(JSON.stringify(parsed)).not.toContain('secret');
});
