import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  builtPages,
  compressedBytes,
  dashboardFiles,
  dashboardRoutes,
  firstLoadBytesMax,
} from '../../../scripts/first-load.ts';
import { newLicense } from '../../server/test/support/licensing-catalog.ts';
import { settled } from './support/demo.ts';
import { useDashboard } from './support/screen.ts';

const dashboard = useDashboard();
const dist = builtPages.dashboard;

/** The files that contain the code of charts. */
const chartFiles = readdirSync(join(dist, 'assets')).filter(
  (name) => name.endsWith('.js') && readFileSync(join(dist, 'assets', name), 'utf8').includes('recharts'),
);

const scriptsOf = (path: string) => dashboardFiles(path, '.js');

test('the first screen loads at most 180 KB of compressed JavaScript, and no code of charts', async () => {
  const page = await dashboard.openWindow();
  const loaded = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) loaded.add(pathname.slice(1));
  });
  await page.goto('/login');
  await settled(page);
  expect(compressedBytes(dist, loaded)).toBeLessThanOrEqual(firstLoadBytesMax.login);
  // Each file costs a slow network a wait: the page names the runtime of the bundle and one file with everything else.
  expect([...loaded].toSorted()).toEqual(scriptsOf('/login').toSorted());
  expect(loaded.size).toBe(2);
  expect(chartFiles.filter((name) => loaded.has(`assets/${name}`))).toEqual([]);
});

test('the list of licenses loads at most 280 KB of compressed JavaScript in at most 20 files, which its page names', async () => {
  const tenant = await dashboard.newTenant('Acme');
  await newLicense(tenant);
  const page = await dashboard.open(tenant.owner, '/licenses');
  const loaded = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) loaded.add(pathname.slice(1));
  });
  await page.reload();
  await page.getByRole('row', { name: /Active/ }).waitFor();
  expect([...loaded].toSorted()).toEqual(scriptsOf('/licenses').toSorted());
  expect(loaded.size).toBeLessThanOrEqual(20);
  expect(compressedBytes(dist, loaded)).toBeLessThanOrEqual(firstLoadBytesMax.licenses);
  // A style element in a row makes the browser compute the styles of the whole page again.
  expect(await page.locator('table style').count()).toBe(0);
});

test('no screen loads more than 40 scripts, and only charts load the code of charts', () => {
  const screens = Object.keys(dashboardRoutes());
  expect(screens.length).toBeGreaterThan(50);
  for (const path of screens) {
    const scripts = scriptsOf(path);
    expect(scripts.length, path).toBeLessThanOrEqual(40);
    // A screen loads a chart with `import()` when it shows it.
    expect(
      scripts.filter((name) => chartFiles.includes(name.replace('assets/', ''))),
      path,
    ).toEqual([]);
  }
});

test('each screen loads the styles of the components of Mantine that its code contains', () => {
  const classesIn = (text: string) => new Set(text.match(/m_[0-9a-f]{8}/g));
  const contents = (names: readonly string[]) => names.map((name) => readFileSync(join(dist, name), 'utf8')).join();
  const known = classesIn(readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8'));
  for (const path of Object.keys(dashboardRoutes())) {
    const styled = classesIn(contents(dashboardFiles(path, '.css')));
    const used = [...classesIn(contents(scriptsOf(path)))].filter((name) => known.has(name));
    expect(used.length, path).toBeGreaterThan(0);
    expect(
      used.filter((name) => !styled.has(name)),
      path,
    ).toEqual([]);
  }
});

test('every asset is compressed, and the page loads nothing from another origin', () => {
  const names = readdirSync(join(dist, 'assets')).filter((name) => /\.(js|css|svg)$/.test(name));
  for (const name of names) {
    for (const encoding of ['br', 'gz'])
      expect(existsSync(join(dist, 'assets', `${name}.${encoding}`)), name).toBe(true);
  }
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  expect(page.match(/(?:src|href)="(?!\/)[^"]*"/g)).toBeNull();
});
