// Removes from node_modules what the bundled service does not need, and from Node what only builds of native modules and
// debuggers need: three quarters of a production installation. `scripts/setup.mjs --production` runs it.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { nativePackages } from './production-packages.mjs';

const modules = resolve(import.meta.dirname, '..', 'node_modules');
const runtimePackage = /^node(-bin)?-(linux|darwin|win)-/;

function isFolder(path) {
  return existsSync(path) && lstatSync(path).isDirectory();
}

/** Returns the folders of installed packages, nested ones included, without links to the workspaces. */
function packageFolders(parent) {
  return readdirSync(parent)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(parent, name)).map((own) => join(name, own)) : [name]))
    .map((name) => join(parent, name))
    .filter(isFolder)
    .flatMap((folder) => {
      const nested = join(folder, 'node_modules');
      return [folder, ...(isFolder(nested) ? packageFolders(nested) : [])];
    });
}

/** Returns the folder of a package as Node would find it from another folder; undefined if it is not installed. */
function findPackage(name, from) {
  for (let folder = from; folder.startsWith(dirname(modules)); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (isFolder(found)) return found;
  }
  return undefined;
}

function withDependencies(folder, found = new Set()) {
  if (folder === undefined || found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    withDependencies(findPackage(name, folder), found);
  }
  return found;
}

function remove(path) {
  rmSync(path, { recursive: true, force: true });
}

function removeUnusedPackages() {
  const needed = new Set();
  for (const name of nativePackages) withDependencies(join(modules, name), needed);
  const isNeeded = (folder) =>
    runtimePackage.test(folder.slice(modules.length + 1)) ||
    [...needed].some((path) => path === folder || path.startsWith(folder + sep));
  for (const folder of packageFolders(modules)) if (!isNeeded(folder)) remove(folder);
  for (const scope of readdirSync(modules).filter((name) => name.startsWith('@'))) {
    if (readdirSync(join(modules, scope)).length === 0) remove(join(modules, scope));
  }
  // npm's own list of what it installed is no longer true.
  remove(join(modules, '.package-lock.json'));
  const commands = readdirSync(join(modules, '.bin')).map((name) => join(modules, '.bin', name));
  for (const link of commands) if (!existsSync(link)) remove(link);
  for (const file of globSync('**/*.{map,d.ts,d.mts,d.cts}', { cwd: modules })) remove(join(modules, file));
}

/** Leaves the binary and its licence, without headers, manuals and, if the machine has `strip`, debug symbols. */
function trimRuntime() {
  for (const name of readdirSync(modules).filter((folder) => runtimePackage.test(folder))) {
    for (const part of ['include', 'share', 'CHANGELOG.md', 'README.md']) remove(join(modules, name, part));
    if (process.platform === 'linux') removeSymbols(join(modules, name, 'bin', 'node'));
  }
}

/** Replaces the binary, because this process runs on it. */
function removeSymbols(binary) {
  const stripped = `${binary}.stripped`;
  const { error, status } = spawnSync('strip', ['--strip-all', '-o', stripped, binary], { stdio: 'inherit' });
  if (error === undefined && status === 0) return renameSync(stripped, binary);
  remove(stripped);
  console.log('Node keeps 33 MB of debug symbols: without them, install binutils and repeat the installation.');
}

removeUnusedPackages();
trimRuntime();
