import { expect, test } from 'vitest';
import { stopWithinMs } from '../../src/commands/serve.ts';
import { configurationVariables, fileExists, image, readText, readVariables, readYaml } from './files.ts';

interface Service {
  readonly environment?: Record<string, string>;
  readonly ports?: string[];
  readonly volumes?: string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly healthcheck?: object;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly tmpfs?: string[];
  readonly stop_grace_period?: string;
  readonly ulimits?: { nofile: number };
}

const composeFile = 'deploy/compose/compose.yaml';
const [compose] = readYaml<{ services: Record<string, Service>; volumes: Record<string, null> }>(composeFile);
const services = compose?.services ?? {};
const licensing = services['licensing'] ?? {};

test('every variable that the compose file sets is one that the service reads', () => {
  const names = Object.keys(licensing.environment ?? {});
  expect(names).toEqual(expect.arrayContaining(['APP_KEY', 'DATABASE_URL', 'VALKEY_URL', 'PUBLIC_URL']));
  for (const name of names) expect([...configurationVariables()]).toContain(name);
});

test('no password in the compose file has a default, and the example names every variable with secrets left empty', () => {
  const example = readVariables('deploy/compose/example.env');
  const asked = [...readText(composeFile).matchAll(/\$\{([A-Z_]+)(:[-?][^}]*)?\}/g)];
  expect(asked.length).toBeGreaterThan(10);
  for (const [, name = '', otherwise = ''] of asked) {
    if (name !== 'LICENSING_VERSION') expect([...example.keys()]).toContain(name);
    if (!/PASSWORD|SECRET|KEY/.test(name)) continue;
    expect(example.get(name), name).toBe('');
    expect(otherwise, name).toMatch(/^(:\?.+|:-)$/);
  }
  expect([...example.keys()].filter((name) => !asked.some(([, other]) => other === name))).toEqual([]);
});

test('the compose file publishes the service on this machine only, on the port of the image', () => {
  expect(licensing.ports).toEqual([expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:.*:${image().port}$`))]);
  for (const [name, { ports }] of Object.entries(services)) if (name !== 'licensing') expect(ports).toBeUndefined();
});

test('the compose service can write only to its volume, has no capabilities, and has time to finish its requests', () => {
  expect(licensing).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] });
  expect(licensing.volumes).toEqual([`data:${image().value('VOLUME')}`]);
  expect(Number.parseInt(licensing.stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(stopWithinMs);
  expect(licensing.ulimits?.nofile).toBeGreaterThanOrEqual(8192);
});

test('the compose service starts after healthy databases, and every named volume and file exists', () => {
  for (const [name, { condition }] of Object.entries(licensing.depends_on ?? {})) {
    expect(condition).toBe('service_healthy');
    expect(services[name]?.healthcheck, name).toBeDefined();
  }
  expect(Object.keys(licensing.depends_on ?? {})).toEqual(Object.keys(services).filter((name) => name !== 'licensing'));
  for (const volume of Object.values(services).flatMap((service) => service.volumes ?? [])) {
    const source = volume.split(':')[0] ?? '';
    if (source.startsWith('./')) expect(fileExists(`deploy/compose/${source}`), source).toBe(true);
    else expect(Object.keys(compose?.volumes ?? {})).toContain(source);
  }
});
