import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { commands } from './all.ts';
import { runCommandLine } from './command-line.ts';

/** Runs a command line with a terminal that records its output. */
async function run(line: string) {
  const written = { stdout: '', stderr: '' };
  const code = await runCommandLine(commands, line === '' ? [] : line.split(' '), {
    env: {},
    stdin: Readable.from(['too short']),
    isInteractive: false,
    print: (text) => {
      written.stdout += `${text}\n`;
    },
    note: (text) => {
      written.stderr += `${text}\n`;
    },
    progress: () => undefined,
  });
  return { code, ...written };
}

describe('an invalid command line', () => {
  const cases: readonly { readonly line: string; readonly says: string }[] = [
    { line: '', says: 'The command is missing.' },
    { line: 'serv', says: 'Unknown command "serv".' },
    { line: 'tenants', says: 'The command after "tenants" is missing.' },
    { line: 'tenants explode', says: 'Unknown command "tenants explode".' },
    { line: '--demo', says: 'Unknown command "--demo".' },
    { line: 'serve --dmeo', says: "Unknown option '--dmeo'." },
    { line: 'serve now', says: 'Unexpected argument "now".' },
    { line: 'serve --demo=yes', says: "Option '--demo' does not take an argument." },
    { line: 'tenants create', says: 'The option --name is missing.' },
    { line: 'tenants create --name', says: "Option '--name <value>' argument missing." },
    { line: 'tenants create --name=', says: 'The option --name needs a value.' },
    {
      line: 'tenants create --name Acme --owner nobody',
      says: '--owner: Enter an email address such as ada@example.com.',
    },
    { line: 'tenants suspend', says: 'ID is missing.' },
    { line: 'tenants suspend acme', says: '"acme" is not a tenant id: "licensing tenants list" shows the ids.' },
    { line: 'jobs retry', says: 'SUBJECT is missing.' },
    { line: 'jobs retry acme leases', says: '"acme" is not a subject' },
    { line: 'jobs list --state done', says: '--state must be one of waiting, running, parked, dead.' },
    { line: 'admins create --email a@example.com --role king', says: '--role: Choose one of' },
    { line: 'admins create --email a@example.com --role admin --password-stdin', says: 'The password: Enter at least' },
  ];

  test.for(cases)(
    'the invalid line "licensing $line" exits with 2, a sentence and the usage',
    async ({ line, says }) => {
      const { code, stdout, stderr } = await run(line);
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr.split('\n')[0]).toContain(says);
      expect(stderr).toContain('Usage: licensing');
    },
  );
});

const helpLines = ['--help', '-h', 'tenants --help', ...commands.map((command) => `${command.name} --help`)];

test.for(helpLines)('"licensing %s" prints help on standard output and exits with 0', async (line) => {
  const { code, stdout, stderr } = await run(line);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: licensing/);
});

test('"licensing --version" prints the version, and the commit with its time', async () => {
  expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+(\+[0-9a-f]{12}(-dirty)? \d{4}-\d\d-\d\dT\S+)?\n$/);
});

test('no line of any help text exceeds 120 characters', async () => {
  for (const line of helpLines) {
    for (const printed of (await run(line)).stdout.split('\n')) expect(printed.length).toBeLessThanOrEqual(120);
  }
});
