import { builtinModules } from 'node:module';
import { expect, test } from 'vitest';
import { isExcluded } from '../../../../scripts/image-build.ts';
import { commands } from '../../src/commands/all.ts';
import { stopWithinMs } from '../../src/commands/serve.ts';
import { drainSecondsByDefault } from '../../src/config/config.ts';
import { settingNames } from '../../src/config/setting-names.ts';
import { readSourceFiles } from '../architecture/source-files.ts';
import {
  configurationVariables,
  fileExists,
  hasGetRoute,
  image,
  listFiles,
  readText,
  readVariables,
  readYaml,
} from './files.ts';

const { value, env, port, user } = image();

test('the program imports only packages that an installation without development dependencies has', () => {
  const { dependencies } = JSON.parse(readText('packages/server/package.json'));
  const imports = readSourceFiles('packages/server/{src,bin}/**/*.{ts,mjs}')
    // The programs that `snippets.ts` writes for vendors import the SDK.
    .filter(({ path }) => !/\.(test|fixture)\.ts$|\/snippets\.ts$/.test(path))
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

test('the build of the image gets every source, and no data, secrets, tests, or packages and builds of this machine', () => {
  const isCopied = (path: string) =>
    path.split('/').every((_, index, parts) => !isExcluded(parts.slice(0, index + 1).join('/')));
  const sources = listFiles('{packages,sdks/{c,go,python}}/**/*.{ts,tsx,css,html,md,py,go,c,h}').filter(
    (path) => !/\/(node_modules|dist|\.dist[^/]*|tests?|conformance|internal\/driver)\/|[._]test\.(ts|go)$/.test(path),
  );
  expect(sources.length).toBeGreaterThan(1000);
  expect(sources.filter((path) => !isCopied(path))).toEqual([]);
  const ofThisMachine = [
    ...['.git/config', '.env', 'data/platform.db', 'deploy/compose/.env', 'production.env', 'packages/server/app.key'],
    ...['node_modules/pg/package.json', 'packages/server/dist/main.mjs', 'packages/dashboard/.dist/index.html'],
    ...['packages/server/test/deployment/image.test.ts', 'packages/server/src/lib/ids.test.ts', 'sdks/c/tests/main.c'],
  ];
  expect(ofThisMachine.filter(isCopied)).toEqual([]);
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

test('the compose file passes on every setting but those that the image or the network of the containers decides', () => {
  const decided = ['HOST', 'PORT', 'DATA_DIR', 'METRICS_PORT', 'STRIPE_API_URL'];
  const passedOn = settingNames.filter((name) => !decided.includes(name));
  expect(Object.keys(licensing.environment ?? {}).sort()).toEqual(passedOn.sort());
});

test.each([
  [composeFile, /SIGN_UP: \$\{SIGN_UP:-invite\}/],
  ['deploy/compose/example.env', /^SIGN_UP=invite$/m],
  ['deploy/systemd/example.env', /^SIGN_UP=invite$/m],
  ['deploy/kubernetes/common/configuration.yaml', /^ {2}SIGN_UP: invite$/m],
])('with %s, an account needs an invitation', (file, setting) => {
  expect(readText(file)).toMatch(setting);
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
