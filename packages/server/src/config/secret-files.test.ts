import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { problemsOf } from './config-problems.fixture.ts';
import { secretVariables, withSecretFiles } from './setting-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const path = join(folder, `secret-${content.length}`);
  writeFileSync(path, content);
  return path;
}

test.each(secretVariables)(
  '%s is read from the file that its _FILE variable names, without the trailing newline',
  (name) => {
    const problems: string[] = [];
    expect(withSecretFiles({ [`${name}_FILE`]: fileWith('the value\n') }, problems)[name]).toBe('the value');
    expect(problems).toEqual([]);
  },
);

test('loadConfig reads secrets from files', () => {
  const key = '0123456789abcdefghijklmnopqrstuvwxyz';
  const url = 'postgres://app@db.example.com/licensing';
  const config = loadConfig({ APP_KEY_FILE: fileWith(`${key}\n`), DATABASE_URL_FILE: fileWith(url) });
  expect(config).toMatchObject({ appKey: key, databaseUrl: url });
});

test.each([
  [
    { APP_KEY_FILE: join(folder, 'absent') },
    /^APP_KEY_FILE names .*absent, which cannot be read \(ENOENT\): correct the path/,
  ],
  [{ APP_KEY_FILE: fileWith(' \n') }, /^APP_KEY_FILE names .*, which is empty: write/],
  [
    { SMTP_URL: 'smtp://mail.example.com:25?tls=never', SMTP_URL_FILE: '/x' },
    /^SMTP_URL and SMTP_URL_FILE are both set/,
  ],
])('loadConfig rejects %j with %s', (env: NodeJS.ProcessEnv, sentence) => {
  expect(problemsOf(env)).toEqual([expect.stringMatching(sentence)]);
});
