/** A file of the build and what it imports, as Vite's manifest names them. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** Vite's manifest of a build. */
type Manifest = Readonly<Record<string, Chunk>>;

/** A route: its path as the service writes it (`/licenses/:id`), and the files of its screen and of the frames around it. */
interface RouteFiles {
  readonly path: string;
  readonly sources: readonly string[];
}

/** `const licenses = createRoute({ getParentRoute: () => tenantArea, path: '/licenses', … });` */
const route =
  /const (\w+) = createRoute\(\{ getParentRoute: \(\) => (\w+), (?:path: '([^']+)'|id: '[^']+'),(.*?)\}\);/g;
/** `const publicScreen = screensOf(() => root);` and the use of another file, `tenantScreens(() => tenantArea)`. */
const screensBelow = /(?:const (\w+) = screensOf|(tenantScreens))\(\(\) => (\w+)\)/g;
/** `publicScreen('/register', undefined, () => import('./features/identity/RegisterScreen.tsx'))` */
const screen = /(\w+)\( ?'(\/[^']*)', (?:(?!import\().)*import\('\.\/([^']+)'\)/g;

const oneLine = (source: string) => source.replaceAll(/\s+/g, ' ');

function below(parent: RouteFiles, path: string, source: string | undefined): RouteFiles {
  return {
    path: `${parent.path}${path === '/' && parent.path !== '' ? '' : path}`.replaceAll('$', ':'),
    sources: [...parent.sources, ...(source === undefined ? [] : [`src/${source}`])],
  };
}

/** Returns the routes that `routes.ts` and `tenant-screens.ts` define. */
function routesOf(tree: string, tenantScreens: string): readonly RouteFiles[] {
  const text = oneLine(tree);
  const screensOfTenants = oneLine(tenantScreens);
  const routes = new Map<string, RouteFiles>([['root', { path: '', sources: [] }]]);
  const parents = new Set<RouteFiles>();
  const parentOf = (name: string) => {
    const parent = routes.get(name);
    if (parent === undefined) throw new Error(`src/routes.ts has no route ${name}: adapt this script to its format.`);
    parents.add(parent);
    return parent;
  };
  for (const [, name = '', parent = '', path = '', rest = ''] of text.matchAll(route)) {
    const imported = [...rest.matchAll(/import\('\.\/([^']+)'\)/g)].at(-1)?.[1];
    routes.set(name, below(parentOf(parent), path, imported));
  }
  const screens = [...text.matchAll(screensBelow)].flatMap(([, name, , parent = '']) => {
    const calls = [...(name === undefined ? screensOfTenants : text).matchAll(screen)];
    const own = calls.filter(([, called]) => called === (name ?? 'screen'));
    return own.map(([, , path = '', source]) => below(parentOf(parent), path, source));
  });
  return [...[...routes.values()].filter((one) => !parents.has(one)), ...screens];
}

/** Returns the files with the code of some modules, and everything that these import. */
function closureOf(manifest: Manifest, names: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const sheet of chunk.css ?? []) files.add(sheet);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  for (const name of names) visit(name);
  return files;
}

/**
 * Returns the files that each page needs, by the path of the page, without the files that every page names. The page lists
 * its files, so a browser loads them all at once and does not wait until the router asks for them.
 */
export function filesOfRoutes(
  tree: string,
  tenantScreens: string,
  manifest: Manifest,
  page: string,
): Readonly<Record<string, string[]>> {
  const inPage = Object.keys(manifest).filter((name) => page.includes(`"/${manifest[name]?.file}"`));
  const always = closureOf(manifest, inPage);
  const routes = routesOf(tree, tenantScreens);
  // A frame may be in the file of a group, which every screen imports.
  const lost = routes.flatMap(({ sources }) => sources.slice(-1)).find((screenFile) => !(screenFile in manifest));
  if (lost !== undefined) throw new Error(`The build has no file for ${lost}: adapt this script to its format.`);
  return Object.fromEntries(
    routes.map(({ path, sources }) => [path, [...closureOf(manifest, sources)].filter((file) => !always.has(file))]),
  );
}
