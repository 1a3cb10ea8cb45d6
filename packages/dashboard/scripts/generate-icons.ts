// Writes src/icons/icons.gen.ts, the icons that the dashboard imports from it, and their licence beside it. Run it when
// a screen needs another icon: `node packages/dashboard/scripts/generate-icons.ts`. The package with all icons has 4,800
// files, so only development installs it.
import { copyFileSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const sources = resolve(import.meta.dirname, '..', 'src');
const lucide = resolve(dirname(fileURLToPath(import.meta.resolve('lucide-react'))), '..', '..');
const imported = /import \{([^}]*)\} from '[./]*icons\/icons\.gen\.ts'/g;

const names = globSync('**/*.{ts,tsx}', { cwd: sources }).flatMap((path) =>
  [...readFileSync(join(sources, path), 'utf8').matchAll(imported)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim().split(' ')[0] ?? '')
      .filter((name) => name !== ''),
  ),
);

/** Returns the name of an icon's file: `building-2` for `Building2`. */
const fileOf = (name: string) => name.replaceAll(/(?<!^)([A-Z]|\d+)/g, '-$1').toLowerCase();

/** Returns the elements of an icon, such as `['path', { d: 'M10 12h4' }]`, without their keys for React. */
async function elementsOf(file: string): Promise<object> {
  const path = join(lucide, 'dist', 'esm', 'icons', `${file}.mjs`);
  const otherName = /export \{ default \} from '\.\/(.+)\.mjs'/.exec(readFileSync(path, 'utf8'))?.[1];
  if (otherName !== undefined) return elementsOf(otherName);
  const { __iconData: icon } = await import(pathToFileURL(path).href);
  return icon.node.map(([tag, { key: _, ...attributes }]: [string, Record<string, string>]) => [tag, attributes]);
}

const { version } = JSON.parse(readFileSync(join(lucide, 'package.json'), 'utf8'));
const lines = [
  '// Written by scripts/generate-icons.ts; do not edit.',
  `// The icons of Lucide ${version}, whose licence is in the file LICENSE.`,
  "import { icon } from './icon.ts';",
  '',
];
for (const name of [...new Set(names)].sort()) {
  lines.push(`export const ${name} = /* @__PURE__ */ icon(${JSON.stringify(await elementsOf(fileOf(name)))});`);
}
writeFileSync(join(sources, 'icons', 'icons.gen.ts'), `${lines.join('\n')}\n`);
copyFileSync(join(lucide, 'LICENSE'), join(sources, 'icons', 'LICENSE'));
