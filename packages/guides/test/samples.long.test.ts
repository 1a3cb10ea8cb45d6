import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { environment, operations, type SampleServer, startSampleServer } from './support/samples.ts';
import { repositoryRoot } from './support/service.ts';

const run = promisify(execFile);
let server: SampleServer;

beforeAll(async () => {
  server = await startSampleServer();
});

afterAll(() => server.close());

/**
 * Runs what looks something up at once, because the sample reads the answer. What is left is one run of curl: loading its
 * libraries hundreds of times takes longer than all requests.
 */
const collectingCurl = [
  'curl() {',
  '  if [ -p /dev/stdout ]; then',
  '    command curl "$@"',
  '  else',
  '    [ ! -s requests ] || printf "%s\\0" --next >> requests',
  '    printf "%s\\0" "$@" >> requests',
  '  fi',
  '}',
  '',
].join('\n');

test('each sample for curl runs as printed, and sends the request of its operation', async () => {
  // A part of a shell does not see the variables of the others.
  const samples = server.programs('curl').map((sample) => `(\nset -eu\n${sample})\n`);
  server.expectLookupsFirst();
  const all = `mapfile -d "" -t requests < requests\ncommand curl --fail-early "\${requests[@]}"\n`;
  writeFileSync(join(server.folder, 'run.sh'), ['exec > printed\n', collectingCurl, ...samples, all].join(''));
  await run('bash', ['--norc', '-e', 'run.sh'], {
    cwd: server.folder,
    env: { PATH: process.env['PATH'], ...environment },
  });
  server.expectRequests();
}, 240_000);

/** Calls every sample, as a program of its own would: an error of a call ends only that sample. */
const runner = [
  'func run(name string, sample func()) {',
  '\tdefer func() {',
  '\t\tif failure := recover(); failure != nil && !strings.Contains(fmt.Sprint(failure), "Nothing.") {',
  '\t\t\tfmt.Fprintln(os.Stderr, name, failure)',
  '\t\t\tos.Exit(1)',
  '\t\t}',
  '\t}()',
  '\tsample()',
  '}',
];

test('each Go sample compiles and runs as printed, and sends the request of its operation', async () => {
  // One package, because each would be compiled and linked for a second. Each sample has functions of its own.
  const folder = join(server.folder, 'operations');
  mkdirSync(folder);
  for (const [at, sample] of server.programs('Go').entries()) {
    const ofPackage = sample
      .replace('package main', 'package operations')
      .replace('func main()', `func Sample${at}()`)
      .replaceAll(/(?<![\w.])send\(/g, `send${at}(`)
      .replaceAll('log.Fatal(', 'log.Panic(');
    writeFileSync(join(folder, `sample${at}.go`), ofPackage);
  }
  const calls = operations.map(({ id }, at) => `\trun("${id}", operations.Sample${at})`);
  const imports = ['"fmt"', '"os"', '"samples/operations"', '"strings"'].map((name) => `\t${name}`);
  const header = ['package main', '', 'import (', ...imports, ')', ''];
  writeFileSync(join(server.folder, 'main.go'), [...header, ...runner, 'func main() {', ...calls, '}', ''].join('\n'));
  const sdk = join(repositoryRoot, 'sdks', 'go');
  const requirement = `require licensing.example.com/sdk v0.0.0\n\nreplace licensing.example.com/sdk => ${sdk}\n`;
  writeFileSync(join(server.folder, 'go.mod'), `module samples\n\ngo 1.19\n\n${requirement}`);
  const env = { ...process.env, ...environment, GOFLAGS: '-mod=mod', GOPROXY: 'off' };
  const { stderr } = await run('go', ['run', '.'], { cwd: server.folder, env, maxBuffer: 1e8 });
  expect(stderr.split('\n').filter((line) => line !== '' && !line.includes('Nothing.'))).toEqual([]);
  server.expectRequests();
  const { stdout } = await run('gofmt', ['-l', 'operations'], { cwd: server.folder });
  expect(stdout).toBe('');
}, 600_000);
