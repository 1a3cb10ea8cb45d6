import { expect, test } from 'vitest';
import { stopWithinMs } from '../../src/commands/serve.ts';
import { drainSecondsByDefault } from '../../src/config/config.ts';
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
