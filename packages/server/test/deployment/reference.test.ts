import { expect, test } from 'vitest';
import { commands } from '../../src/commands/all.ts';
import { exitCodes } from '../../src/commands/command.ts';
import { usageOf } from '../../src/commands/help.ts';
import { loadConfig } from '../../src/config/config.ts';
import { readSourceFiles } from '../architecture/source-files.ts';
import { configurationVariables, readText } from './files.ts';

/** Returns the cells of each row of the Markdown tables in a document. `\|` is a bar in a cell. */
function tableRows(text: string): string[][] {
  return [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

/** Returns the text of a cell that consists of one code span, else undefined. */
function codeOf(cell = ''): string | undefined {
  return /^`([^`]+)`$/.exec(cell)?.[1];
}

const configuration = tableRows(readText('docs/reference/configuration.md')).flatMap(
  ([variable, defaultValue, values = '']) => {
    const name = codeOf(variable);
    return name === undefined ? [] : [{ name, defaultValue: codeOf(defaultValue), values }];
  },
);
const withDefault = configuration.flatMap(({ name, defaultValue }) =>
  name.endsWith('_FILE') || defaultValue === undefined ? [] : [{ name, defaultValue }],
);
const ranges = configuration.flatMap(({ name, values }) => {
  const [, min, max] = /^(\d+) to (\d+)$/.exec(values) ?? [];
  return min === undefined || max === undefined ? [] : [{ name, min: Number(min), max: Number(max) }];
});
const choices = configuration.flatMap(({ name, values }) =>
  /^`/.test(values) ? [{ name, choices: [...values.matchAll(/`([^`]+)`/g)].map(([, choice = '']) => choice) }] : [],
);
const commandLine = tableRows(readText('docs/reference/command-line.md'));

test('the configuration reference names each variable that the program reads, once, and no other variable', () => {
  expect(configuration.map(({ name }) => name).sort()).toEqual([...configurationVariables()].sort());
});

test('the configuration reference gives a default for each variable that has one in the program', () => {
  const sources = readSourceFiles('packages/server/src/config/*config.ts');
  const inProgram = sources.flatMap(({ text }) =>
    [...text.matchAll(/reader\.(?:text\('(\w+)'\) \?\? '[^']|(?:integer|flag)\('(\w+)')/g)].map(
      ([, textVariable, otherVariable]) => textVariable ?? otherVariable,
    ),
  );
  expect(withDefault.map(({ name }) => name).sort()).toEqual([...inProgram, 'PUBLIC_URL'].sort());
});

test.for(withDefault)(
  'the documented default of the setting $name has the same effect as no value',
  ({ name, defaultValue }) => {
    expect(loadConfig({ [name]: defaultValue })).toEqual(loadConfig({}));
  },
);

test.for(ranges)('the setting $name accepts the documented values $min to $max and no others', ({ name, min, max }) => {
  for (const value of [min, max]) expect(() => loadConfig({ [name]: String(value) })).not.toThrow();
  for (const value of [min - 1, max + 1]) expect(() => loadConfig({ [name]: String(value) })).toThrow(name);
});

test.for(choices)('the setting $name accepts each documented value and no other', ({ name, choices: documented }) => {
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  for (const value of documented) expect(() => loadConfig({ ...stripe, [name]: value })).not.toThrow();
  expect(() => loadConfig({ [name]: 'another' })).toThrow(name);
});

test('the command line reference has the exact usage of each command, once, and of no other command', () => {
  const documented = commandLine.map(([cell]) => codeOf(cell)).filter((usage) => usage !== undefined);
  expect(documented.sort()).toEqual(commands.map(usageOf).sort());
});

test('the command line reference explains each exit code', () => {
  const documented = commandLine.map(([cell = '']) => cell).filter((cell) => /^\d+$/.test(cell));
  expect(documented.map(Number)).toEqual(Object.values(exitCodes));
});
