import { builtinModules } from 'node:module';
import { expect, test } from 'vitest';
import { commands } from '../../src/commands/all.ts';
import { stopWithinMs } from '../../src/commands/serve.ts';
import { drainSecondsByDefault } from '../../src/config/config.ts';
import { readSourceFiles } from '../architecture/source-files.ts';
import { configurationVariables, fileExists, hasGetRoute, image, readText, readVariables, readYaml } from './files.ts';

const { value, env, port, user } = image();

test('the program imports only packages that an installation without development dependencies has', () => {
  const { dependencies } = JSON.parse(readText('packages/server/package.json'));
  const imports = readSourceFiles('packages/server/{src,bin}/**/*.{ts,mjs}')
    .filter(({ path }) => !/\.(test|fixture)\.ts$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:import|export)(?! type)[^;']*?\bfrom '([^.'][^']*)'|\bimport\('([^.'][^']*)'\)/gm)].map(
        ([, fixed, lazy]) => ({ path, specifier: fixed ?? lazy ?? '' }),
      ),
    );
  expect(imports.length).toBeGreaterThan(100);
  const missing = imports.filter(({ specifier }) => {
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    return !specifier.startsWith('node:') && !builtinModules.includes(name) && !(name in dependencies);
  });
  expect(missing).toEqual([]);
});

test('every file that the image copies exists and is not excluded by .dockerignore', () => {
  const sources = [...readText('Dockerfile').matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, list = '']) =>
    list.split(' '),
  );
  expect(sources.length).toBeGreaterThan(5);
  const allowed = readText('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  for (const source of sources) {
    expect(fileExists(source), source).toBe(true);
    expect(allowed, source).toContain(source);
  }
  expect(allowed.filter((path) => !sources.includes(path))).toEqual([]);
});

test('the image runs as an unprivileged numeric user, in the process that receives signals', () => {
  expect(user).toBeGreaterThan(0);
  expect(value('USER')).toMatch(/^\d+:\d+$/);
  for (const instruction of ['ENTRYPOINT', 'CMD']) expect(JSON.parse(value(instruction))).toEqual([expect.any(String)]);
  expect(commands.map(({ name }) => name)).toContain(JSON.parse(value('CMD'))[0]);
  expect(value('STOPSIGNAL')).toBe('SIGTERM');
});

test('the image listens on its exposed port, stores data in its volume, and checks its health on an existing route', () => {
  for (const name of Object.keys(env)) expect([...configurationVariables()]).toContain(name);
  expect(env).toMatchObject({ HOST: '0.0.0.0', DATA_DIR: value('VOLUME') });
  expect(Number(value('EXPOSE'))).toBe(port);
  const path = /\$\{process\.env\.PORT\}(\/[\w/]*)/.exec(value('HEALTHCHECK'))?.[1] ?? '';
  expect(hasGetRoute(path)).toBe(true);
});

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
  const ofSingleSignOn = [...configurationVariables()].filter((name) => /^OIDC_.*(?<!_FILE)$/.test(name));
  expect(ofSingleSignOn.length).toBeGreaterThan(4);
  expect(names).toEqual(expect.arrayContaining(ofSingleSignOn));
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
  expect(Number.parseInt(licensing.stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(
    drainSecondsByDefault * 1000 + stopWithinMs,
  );
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
