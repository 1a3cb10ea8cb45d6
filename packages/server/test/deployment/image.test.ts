import { builtinModules } from 'node:module';
import { expect, test } from 'vitest';
import { commands } from '../../src/commands/all.ts';
import { readSourceFiles } from '../architecture/source-files.ts';
import { configurationVariables, fileExists, hasGetRoute, image, readText } from './files.ts';

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
