import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stopWithinMs } from '../../src/commands/serve.ts';
import { drainSecondsByDefault } from '../../src/config/config.ts';
import { repositoryRoot } from '../architecture/source-files.ts';
import { configurationVariables, fileExists, listFiles, readText, readVariables } from './files.ts';

const home = '/opt/licensing/';
const services = listFiles('deploy/systemd/*.service');

function valuesOf(unit: string, name: string): string[] {
  return [...readText(unit).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

test.each(services)('the unit %s starts existing files, with variables that the service reads', (unit) => {
  const paths = valuesOf(unit, '(?:ExecStart|Documentation)')
    .flatMap((line) => line.replace('file:', '').split(' '))
    .filter((word) => word.startsWith(home) && !word.includes('node_modules'));
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(fileExists(path.slice(home.length)), path).toBe(true);

  const own = ['NODE_COMPILE_CACHE', ...(unit.includes('backup') ? ['BACKUPS', 'KEEP_DAYS'] : [])];
  const names = valuesOf(unit, 'Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0]));
  for (const name of names) expect([...configurationVariables(), ...own]).toContain(name);
});

test.each(services)('the unit %s runs without capabilities, and writes only to its own folders', (unit) => {
  expect(valuesOf(unit, 'User')).toEqual(['licensing']);
  expect(valuesOf(unit, 'CapabilityBoundingSet')).toEqual(['']);
  expect(valuesOf(unit, 'NoNewPrivileges')).toEqual(['true']);
  expect(valuesOf(unit, 'ProtectSystem')).toEqual(['strict']);
  expect(valuesOf(unit, 'StateDirectoryMode')).toEqual(['0700']);
});

test('the systemd service has time to finish its requests, and may open the files that it needs', () => {
  const [unit = ''] = services.filter((path) => path.endsWith('/licensing.service'));
  expect(Number(valuesOf(unit, 'TimeoutStopSec')[0]) * 1000).toBeGreaterThan(
    drainSecondsByDefault * 1000 + stopWithinMs,
  );
  expect(Number(valuesOf(unit, 'LimitNOFILE')[0])).toBeGreaterThanOrEqual(8192);
});

test('systemd learns when the service is ready, restarts it if its event loop stops, and limits its memory', () => {
  const [unit = ''] = services.filter((path) => path.endsWith('/licensing.service'));
  expect(valuesOf(unit, 'Type')).toEqual(['notify']);
  // systemd-notify is another process than the service.
  expect(valuesOf(unit, 'NotifyAccess')).toEqual(['all']);
  expect(valuesOf(unit, 'TimeoutStartSec')).toEqual(['infinity']);
  expect(Number(valuesOf(unit, 'WatchdogSec')[0])).toBeGreaterThanOrEqual(30);
  expect(valuesOf(unit, 'Restart')).toEqual(['on-failure']);
  expect(valuesOf(unit, 'MemoryMax')).toEqual(['1G']);
});

test('the example settings for systemd name only variables that the service reads, including commented lines', () => {
  const file = 'deploy/systemd/example.env';
  const commented = [...readText(file).matchAll(/^# ([A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(commented.length).toBeGreaterThan(2);
  for (const name of [...readVariables(file).keys(), ...commented]) {
    expect([...configurationVariables()]).toContain(name);
  }
});

/** Returns the settings with which the command for an operator's shell starts the program. */
function settingsOf(file: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-systemd-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'node_modules', '.bin', 'node');
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  writeFileSync(program, '#!/bin/sh\nexec env -0\n');
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'licensing.env'), file);
  // The program stands in for Node, and nothing changes the user.
  const env = {
    PATH: '/usr/bin:/bin',
    LICENSING_HOME: folder,
    LICENSING_ENV: join(folder, 'licensing.env'),
    LICENSING_AS: '',
  };
  const printed = execFileSync(join(repositoryRoot, 'deploy/systemd/licensing'), ['doctor'], { env, encoding: 'utf8' });
  return Object.fromEntries(printed.split('\0').map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
}

test('the command for an operator reads the settings as systemd does', () => {
  const file = [
    '# SIGN_UP=off',
    '; SIGN_UP=off',
    '',
    'SMTP_URL=smtp://user:pass#word@mail.example.com # not a comment',
    'MAIL_FROM="Acme #1 <licensing@example.com>"',
    "SELLER_ADDRESS='12 High Street|\\ London $HOME'",
    'STRIPE_TAX=true',
  ].join('\n');
  expect(settingsOf(file)).toMatchObject({
    SMTP_URL: 'smtp://user:pass#word@mail.example.com # not a comment',
    MAIL_FROM: 'Acme #1 <licensing@example.com>',
    SELLER_ADDRESS: '12 High Street|\\ London $HOME',
    STRIPE_TAX: 'true',
    DATA_DIR: '/var/lib/licensing',
  });
  expect(settingsOf(file)).not.toHaveProperty('SIGN_UP');
  for (const value of ['smtp://a\\b@example.com', '"smtp://a\\b@example.com"']) {
    expect(() => settingsOf(`SMTP_URL=${value}`)).toThrow(/put the value of SMTP_URL in single quotes/);
  }
});
