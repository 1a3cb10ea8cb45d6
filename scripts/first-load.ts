// What the first load of a built page transfers. The tests of sizes prove in a browser that the page loads these files and
// no others.
import { globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const packages = resolve(import.meta.dirname, '..', 'packages');

/** The built pages of the dashboard and of license holders. */
export const builtPages = { dashboard: join(packages, 'dashboard', 'dist'), portal: join(packages, 'portal', 'dist') };

/** The most bytes of compressed JavaScript of a first load. */
export const firstLoadBytesMax = { login: 180 * 1024, licenses: 280 * 1024, portal: 90 * 1024 };

/** Returns the paths of the dashboard's pages, with the files that each names besides those of every page. */
export function dashboardRoutes(): Readonly<Record<string, readonly string[]>> {
  return JSON.parse(readFileSync(join(builtPages.dashboard, 'routes.json'), 'utf8'));
}

/** Returns the files with an ending that a page of the dashboard names, so that a browser asks for all of them at once. */
export function dashboardFiles(path: string, ending: '.js' | '.css'): string[] {
  return [...filesOf(builtPages.dashboard), ...(dashboardRoutes()[path] ?? [])].filter((name) => name.endsWith(ending));
}

/** Returns the scripts that the page of license holders loads in German, whose texts are a file of their own. */
export function portalScripts(): string[] {
  const texts = globSync('portal-assets/de-*.js', { cwd: builtPages.portal });
  return [...filesOf(builtPages.portal).filter((name) => name.endsWith('.js')), ...texts];
}

/** Returns the bytes of built files as they are sent, in brotli. */
export function compressedBytes(dist: string, names: Iterable<string>): number {
  return [...names].reduce((sum, name) => sum + statSync(join(dist, `${name}.br`)).size, 0);
}

function filesOf(dist: string): string[] {
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  return [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="\/([^"]+)"/g)].map(([, name = '']) => name);
}
