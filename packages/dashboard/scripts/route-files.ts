/** A file of the build and what it imports, as Vite's manifest names them. */
interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** Vite's manifest of a build. */
type Manifest = Readonly<Record<string, Chunk>>;

/** What the router's plugin appends to the name of a route's file for the part with the component. */
const component = /\?tsr-split=[\w-]*component[\w-]*$/;

/** Returns the source files of the routes, by their paths as the service writes them: `/licenses/:id`. */
function routesOf(tree: string): ReadonlyMap<string, string> {
  const imports = [...tree.matchAll(/^import \{ Route as (\w+)Import \} from '\.\/([^']+)'$/gm)];
  const sources = new Map(imports.map(([, name = '', path = '']) => [name, `src/${path}.tsx`]));
  const block = /^export interface FileRoutesByTo \{\n([\s\S]*?)^\}/m.exec(tree)?.[1] ?? '';
  const routes = [...block.matchAll(/'([^']+)': typeof (\w+)/g)].map(([, path = '', name = '']) => {
    const source = sources.get(name);
    if (source === undefined)
      throw new Error(`src/routeTree.gen.ts imports no ${name}: adapt this script to its format.`);
    return [path.replaceAll('$', ':'), source] as const;
  });
  if (!routes.some(([path]) => path === '/'))
    throw new Error('src/routeTree.gen.ts has no list of paths: adapt this script to its format.');
  // A path that ends in `$` shows that there is no such page.
  return new Map(routes.filter(([path]) => !path.endsWith('/:')));
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
export function filesOfRoutes(tree: string, manifest: Manifest, page: string): Readonly<Record<string, string[]>> {
  const inPage = Object.keys(manifest).filter((name) => page.includes(`"/${manifest[name]?.file}"`));
  const always = closureOf(manifest, inPage);
  const components = Object.keys(manifest).filter((name) => component.test(name));
  return Object.fromEntries(
    [...routesOf(tree)].map(([path, source]) => {
      // The frame of a route is the file that is named like its folder.
      const own = components.filter((name) => {
        const file = name.replace(component, '');
        return file === source || source.startsWith(`${file.slice(0, -'.tsx'.length)}/`);
      });
      return [path, [...closureOf(manifest, own)].filter((file) => !always.has(file))];
    }),
  );
}
