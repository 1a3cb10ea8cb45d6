// Builds the SDKs of Go and C with every compiler that the project supports, and runs their tests, the conformance cases
// and a fuzzer. Everything that it builds is in a temporary folder.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

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
const environment = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOCACHE: join(folder, 'go') };
let failures = 0;

function run(title, cwd, program, ...parameters) {
  console.log(`${title}:`);
  const { status } = spawnSync(program, parameters, { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: environment });
  if (status === 0) return;
  failures += 1;
  console.log(`FAILED ${title}`);
}

function built(name) {
  return join(folder, name);
}

function compile(title, compiler, output, flags, files) {
  const parameters = ['-std=c11', ...warnings, '-Iinclude', '-Isrc', ...flags, ...files];
  run(title, c, compiler, ...parameters, '-o', built(output), ...libraries);
}

run('Go: format', go, 'sh', '-c', 'test -z "$(gofmt -l .)" || { gofmt -d .; exit 1; }');
run('Go: vet', go, 'go', 'vet', './...');
run('Go: tests with the race detector', go, 'go', 'test', '-race', './...');
run('Go: example', go, 'go', 'build', '-o', built('licensed-cli'), './examples/licensed-cli');
run('Go: driver with the race detector', go, 'go', 'build', '-race', '-o', built('go-driver'), './internal/driver');
const goCases = ['--without', join(go, 'conformance-exceptions.json'), '--', built('go-driver')];
run('Go: cases', root, process.execPath, conformance, ...goCases);

const driver = [...sources, 'tests/driver.c', 'tests/driver_guard.c'];
for (const compiler of ['gcc', 'clang']) {
  compile(`C: ${compiler} with sanitizers`, compiler, `c-driver-${compiler}`, sanitizers, driver);
  const cases = ['--without', join(c, 'conformance-exceptions.json'), '--', built(`c-driver-${compiler}`)];
  run(`C: cases, built with ${compiler}`, root, process.execPath, conformance, ...cases);
}
compile('C: mistakes of an application', 'clang', 'misuse', sanitizers, [...sources, 'tests/misuse.c']);
run('C: mistakes are errors', folder, built('misuse'));
compile('C: threads', 'clang', 'threads', ['-g', '-O1', '-fsanitize=thread'], [...sources, 'tests/threads.c']);
run('C: threads that share a guard', folder, built('threads'));
const fuzzed = ['-g', '-O1', '-fsanitize=fuzzer,address,undefined', '-fno-sanitize-recover=undefined'];
compile('C: fuzzer', 'clang', 'fuzz', fuzzed, [...sources, 'tests/fuzz.c']);
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
  // Debian's libcurl is a shared library, so its own dependencies are not linked here.
  const statically = shared === 'ON' ? '' : '-lcurl -lsodium -lpthread';
  const configured = `PKG_CONFIG_PATH=$(dirname $(find ${out}/out -name licensing.pc)) pkg-config --cflags --libs licensing`;
  const flags = `$(${configured}) ${statically}`;
  const strict = '-Wall -Wextra -Wpedantic -Werror';
  run('C: example', c, 'sh', '-c', `gcc -std=c11 ${strict} examples/verdict.c -o ${out}/verdict ${flags} -lm`);
  for (const compiler of ['g++', 'clang++']) {
    const command = `${compiler} -std=c++17 ${strict} examples/licensed.cpp -o ${out}/licensed ${flags} -lm`;
    run(`C++: example with ${compiler}`, c, 'sh', '-c', command);
  }
}

const vitest = join(root, 'node_modules', '.bin', 'vitest');
run('READMEs, packages and examples', root, vitest, 'run', '--project', 'native');

rmSync(folder, { recursive: true, force: true });
process.exitCode = failures === 0 ? 0 : 1;
