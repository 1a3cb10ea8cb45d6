import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('no text is formatted in a language of the browser that the dashboard does not speak', () => {
  const folder = join(import.meta.dirname, '..', 'src');
  const code = globSync('**/*.{ts,tsx}', { cwd: folder }).filter((file) => !file.includes('.test.'));
  const ofBrowser = /Intl\.(?!supportedValuesOf)\w+\((?!language|locale|'en)|toLocale\w+\((?!language)/;
  expect(code.filter((file) => ofBrowser.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
});
