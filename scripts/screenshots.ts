// Writes a picture of every screen of the dashboard, in both colour schemes and two widths, into a folder:
// `npm run screenshots [-- FOLDER]`. With `--readme` it renews only the three pictures of the README.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { publicRoutes, routes, settled, startDemo } from '../packages/dashboard/test/support/demo.ts';
import { launchChromium, type Page } from '../tools/browser/chromium.ts';

const root = resolve(import.meta.dirname, '..');
const sizes = [
  { width: 1440, height: 900 },
  { width: 360, height: 740 },
] as const;
const schemes = ['light', 'dark'] as const;
const readmePictures = [
  { route: '/overview', name: 'overview', colorScheme: 'light' },
  { route: '/licenses/:licenseId', name: 'license', colorScheme: 'dark' },
  { route: '/admin', name: 'platform', colorScheme: 'light' },
] as const;

const isForReadme = process.argv.includes('--readme');
const folder = isForReadme
  ? join(root, 'docs', 'screenshots')
  : resolve(process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? 'screenshots');

mkdirSync(folder, { recursive: true });
const demo = await startDemo();
const browser = await launchChromium();

async function open(route: string, options: { colorScheme: 'light' | 'dark'; width: number; height: number }) {
  const { colorScheme, width, height } = options;
  const context = await browser.newContext({
    baseURL: demo.url,
    colorScheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  if (!publicRoutes.has(route)) await demo.signIn(page);
  await page.goto(await demo.urlOf(route));
  await settled(page);
  return page;
}

async function picture(page: Page, name: string, format: 'png' | 'jpeg'): Promise<void> {
  const path = join(folder, `${name}.${format === 'png' ? 'png' : 'jpg'}`);
  await page.screenshot({ path, animations: 'disabled', ...(format === 'jpeg' && { type: 'jpeg', quality: 82 }) });
  await page.context().close();
  console.log(path);
}

async function pictureOfEveryScreen(): Promise<void> {
  for (const route of routes.filter((path) => path !== '/')) {
    const name = route.slice(1).replaceAll('/', '-').replaceAll(':', '');
    for (const colorScheme of schemes) {
      for (const { width, height } of sizes) {
        const page = await open(route, { colorScheme, width, height });
        await picture(page, `${name}-${colorScheme}-${width}`, 'png');
      }
    }
  }
}

async function picturesOfReadme(): Promise<void> {
  for (const { route, name, colorScheme } of readmePictures) {
    await picture(await open(route, { colorScheme, width: 1280, height: 800 }), name, 'jpeg');
  }
}

try {
  await (isForReadme ? picturesOfReadme() : pictureOfEveryScreen());
} finally {
  await browser.close();
  await demo.stop();
}
