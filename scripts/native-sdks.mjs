// Builds the SDKs of Go and C with every compiler that the project supports, and runs their tests, the conformance cases
// and a fuzzer. Everything that it builds is in a temporary folder, except what Go keeps in its cache: the guides compile the
// same library of Go.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const go = join(root, 'sdks', 'go');
const c = join(root, 'sdks', 'c');
const conformance = join(root, 'packages', 'sdk', 'conformance', 'run.mjs');
const folder = mkdtempSync(join(tmpdir(), 'licensing-native-'));
const fuzzSeconds = process.env.FUZZ_SECONDS ?? '20';
const warnings =
  '-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Werror'.split(
    ' ',
  );
const sanitizers = ['-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=undefined'];
const libraries = ['-lcurl', '-lsodium', '-lm', '-lpthread'];
const sources = globSync('src/*.c', { cwd: c, exclude: ['src/platform_windows.c'] });
// A driver is a child of the runner of the cases, which does not see how it ends, so its findings go to files.
const findings = 'sanitizer';
const environment = {
  ...process.env,
  GOFLAGS: '-mod=mod',
  GOPROXY: 'off',
  ASAN_OPTIONS: `log_path=${join(folder, findings)}`,
};
// Only a program that hangs needs so long.
const timeout = 600_000;
let failures = 0;

function run(title, cwd, program, ...parameters) {
  console.log(`${title}:`);
  const limit = { timeout, killSignal: 'SIGKILL' };
  const stdio = ['ignore', 'inherit', 'inherit'];
  const { status, error } = spawnSync(program, parameters, { cwd, stdio, env: environment, ...limit });
  const reports = globSync(`${findings}.*`, { cwd: folder }).map((name) => join(folder, name));
  for (const report of reports) {
    console.log(readFileSync(report, 'utf8'));
    rmSync(report);
  }
  if (status === 0 && reports.length === 0) return;
  failures += 1;
  console.log(`FAILED ${title}${error?.code === 'ETIMEDOUT' ? ': it did not end within ten minutes' : ''}`);
}

function built(name) {
  return join(folder, name);
}

/** Compiles the sources of the SDK once for the programs that share a compiler and its flags. Returns what they link. */
function compileSources(title, compiler, flags) {
  const objects = mkdtempSync(join(folder, 'objects-'));
  const includes = [`-I${join(c, 'include')}`, `-I${join(c, 'src')}`];
  const files = sources.map((name) => join(c, name));
  run(title, objects, compiler, '-std=c11', ...warnings, ...includes, ...flags, '-c', ...files);
  const linked = sources.map((name) => join(objects, basename(name).replace(/c$/, 'o')));
  return { compiler, flags, linked };
}

function compile(title, { compiler, flags, linked }, output, files) {
  const parameters = ['-std=c11', ...warnings, '-Iinclude', '-Isrc', ...flags, ...files, ...linked];
  run(title, c, compiler, ...parameters, '-o', built(output), ...libraries);
}

run('Go: format', go, 'sh', '-c', 'test -z "$(gofmt -l .)" || { gofmt -d .; exit 1; }');
run('Go: vet', go, 'go', 'vet', './...');
run('Go: tests with the race detector', go, 'go', 'test', '-race', '-count=1', './...');
run('Go: examples', go, 'go', 'build', '-o', `${folder}/`, './examples/...');
run('Go: driver with the race detector', go, 'go', 'build', '-race', '-o', built('go-driver'), './internal/driver');
const goCases = ['--without', join(go, 'conformance-exceptions.json'), '--', built('go-driver')];
run('Go: cases', root, process.execPath, conformance, ...goCases);

const driver = ['tests/driver.c', 'tests/driver_guard.c'];
const [gcc, clang] = ['gcc', 'clang'].map((compiler) =>
  compileSources(`C: the SDK by ${compiler} with sanitizers`, compiler, sanitizers),
);
for (const sdk of [gcc, clang]) {
  const output = `c-driver-${sdk.compiler}`;
  compile(`C: driver by ${sdk.compiler} with sanitizers`, sdk, output, driver);
  const cases = ['--without', join(c, 'conformance-exceptions.json'), '--', built(output)];
  run(`C: cases, built with ${sdk.compiler}`, root, process.execPath, conformance, ...cases);
}
compile('C: mistakes of an application', clang, 'misuse', ['tests/misuse.c']);
run('C: mistakes are errors', folder, built('misuse'));
compile('C: stores', clang, 'stores', ['tests/stores.c']);
run('C: stores have one owner, and count their users', folder, built('stores'));
const ofThreads = compileSources('C: the SDK with the sanitizer of threads', 'clang', [
  '-g',
  '-O1',
  '-fsanitize=thread',
]);
compile('C: threads', ofThreads, 'threads', ['tests/threads.c']);
run('C: threads that share a guard', folder, built('threads'));
compile('C: a start behind which a check runs', ofThreads, 'behind', ['tests/behind.c']);
run('C: a kept certificate starts at once', folder, built('behind'));
const fuzzed = ['-g', '-O1', '-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=undefined'];
const ofFuzzer = compileSources('C: the SDK for a fuzzer', 'clang', fuzzed);
compile('C: fuzzer', ofFuzzer, 'fuzz', ['tests/fuzz.c']);
mkdirSync(built('found'));
const inputs = [built('found'), join(c, 'tests', 'seeds')];
run('C: random tokens', folder, built('fuzz'), `-max_total_time=${fuzzSeconds}`, '-verbosity=0', ...inputs);

// Debian has neither library for Windows, so their headers are those of Linux, and nothing is linked.
const headers =
  '-idirafter $(pkg-config --variable=includedir libcurl) -idirafter $(pkg-config --variable=includedir libsodium)';
const windows = `x86_64-w64-mingw32-gcc-posix -std=c11 ${warnings.join(' ')} -Wno-float-conversion -Iinclude -Isrc ${headers}`;
const ofWindows = globSync('src/*.c', { cwd: c, exclude: ['src/platform_posix.c'] }).join(' ');
run('C: grammar and types for Windows', c, 'sh', '-c', `${windows} -fsyntax-only ${ofWindows}`);

for (const shared of ['ON', 'OFF']) {
  const out = built(`cmake-${shared}`);
  const prefix = `-DCMAKE_INSTALL_PREFIX=${out}/out`;
  run(`C: CMake, shared ${shared}`, c, 'cmake', '-S', '.', '-B', out, prefix, `-DBUILD_SHARED_LIBS=${shared}`);
  run('C: build', c, 'cmake', '--build', out);
  run('C: install', c, 'cmake', '--install', out);
  const statically = shared === 'ON' ? '' : '--static';
  const configured = `PKG_CONFIG_PATH=$(dirname $(find ${out}/out -name licensing.pc)) pkg-config ${statically}`;
  const flags = `$(${configured} --cflags --libs licensing)`;
  const strict = '-Wall -Wextra -Wpedantic -Werror';
  run('C: example', c, 'sh', '-c', `gcc -std=c11 ${strict} examples/verdict.c -o ${out}/verdict ${flags}`);
  for (const compiler of ['g++', 'clang++']) {
    const command = `${compiler} -std=c++17 ${strict} examples/licensed.cpp -o ${out}/licensed ${flags}`;
    run(`C++: example with ${compiler}`, c, 'sh', '-c', command);
  }
  const application = built(`application-${shared}`);
  const installed = `-DCMAKE_PREFIX_PATH=${out}/out`;
  run('C: CMake finds the package', c, 'cmake', '-S', 'tests/package', '-B', application, installed);
  run('C: an application with the package', c, 'cmake', '--build', application);
}

const vitest = join(root, 'node_modules', '.bin', 'vitest');
run('READMEs, packages and examples', root, vitest, 'run', '--project', 'native');

rmSync(folder, { recursive: true, force: true });
process.exitCode = failures === 0 ? 0 : 1;
