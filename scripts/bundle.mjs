// Bundles the service and its dependencies into packages/server/dist. Resolving and loading the 2,000 modules one by one
// takes most of a start and a third of its memory. The launcher (packages/server/bin) prefers a bundle that is newer than
// the sources. With --if-changed it does nothing if there is such a bundle.
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { isBundleCurrent } from '../packages/server/bin/entry-point.mjs';
import { nativePackages, unusedPackages } from './production-packages.mjs';

const root = resolve(import.meta.dirname, '..');
const server = join(root, 'packages', 'server');
const sources = join(server, 'src');
const bundle = join(server, 'dist');
const unfinished = join(server, '.dist');
const former = join(server, '.dist-former');

/** Files that a worker thread starts with: each stays a file of its own. */
const threads = globSync('**/*-{thread,worker}.ts', { cwd: sources });

/** Makes paths relative to a source file, such as those of HTML pages, independent of the bundle's folder. */
const ownFiles = {
  name: 'own-files',
  transform(code, id) {
    if (!id.startsWith(sources + sep) || !code.includes('import.meta.url')) return null;
    const original = `../src/${relative(sources, id).replaceAll('\\', '/')}`;
    return code
      .replace(
        /new URL\('\.\/([a-z-]+-(?:thread|worker))\.ts', import\.meta\.url\)/g,
        "new URL('./$1.mjs', import.meta.__url)",
      )
      .replaceAll('import.meta.url', `new URL('${original}', import.meta.__url).href`)
      .replaceAll('import.meta.__url', 'import.meta.url');
  },
};

/** pdfkit requires its fonts through a function that hides them from the bundler. */
const fonts = {
  name: 'fonts-of-pdfkit',
  transform(code, id) {
    if (!id.endsWith('pdfkit.node.mjs')) return null;
    return code.replace('const require$1 = createRequire(import.meta.url);', '').replaceAll('require$1(', 'require(');
  },
};

async function build() {
  const threadEntries = Object.fromEntries(threads.map((path) => [basename(path, '.ts'), join(sources, path)]));
  const built = await rolldown({
    input: {
      main: join(sources, 'main.ts'),
      // A program of its own, which the image has beside the service.
      'keygen-import': join(root, 'packages', 'keygen-import', 'src', 'main.ts'),
      ...threadEntries,
    },
    platform: 'node',
    // `pg-native` is optional and not installed.
    external: [...nativePackages, 'pg-native'],
    // depd's code for browsers: the other one asks for the line of its caller, for which V8 lists the lines of the file.
    resolve: { alias: { depd: 'depd/lib/browser/index.js' } },
    plugins: [ownFiles, fonts, unusedPackages],
  });
  const { output } = await built.write({
    dir: unfinished,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    // V8 keeps the text of each file, and needs two bytes for each of its characters if one is not in Latin-1.
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
  });
  await built.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** Returns the licences of the bundled packages, which must accompany their code. */
function licences(moduleIds) {
  const folders = moduleIds.map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0]);
  return [...new Set(folders.filter(Boolean))].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = globSync('{licen[cs]e,LICEN[CS]E,copying,COPYING,notice,NOTICE}*', { cwd: folder });
    const text = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
}

if (process.argv.includes('--if-changed') && isBundleCurrent()) process.exit();
rmSync(unfinished, { recursive: true, force: true });
mkdirSync(unfinished);
const startedAt = new Date();
const moduleIds = await build();
// A source that changed meanwhile is newer than the bundle.
utimesSync(join(unfinished, 'main.mjs'), startedAt, startedAt);
writeFileSync(join(unfinished, 'LICENSES.txt'), licences(moduleIds).join(`\n${'-'.repeat(80)}\n\n`));
// Renamed, so that a process that starts meanwhile finds a complete bundle or none.
rmSync(former, { recursive: true, force: true });
if (existsSync(bundle)) renameSync(bundle, former);
renameSync(unfinished, bundle);
rmSync(former, { recursive: true, force: true });
