import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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

/** Writes each program into a file, and returns their paths. */
function writePrograms(programs: readonly string[], ending: string): string[] {
  return operations.map(({ id }, at) => {
    const path = join(server.folder, `${id}.${ending}`);
    writeFileSync(path, programs[at] ?? '');
    return path;
  });
}

test('each TypeScript sample compiles and runs as printed, and sends the request of its operation', async () => {
  const sdk = join(repositoryRoot, 'packages', 'sdk', 'src', 'index.ts');
  const samples = server.programs('TypeScript');
  // `export` makes a module of a file that imports nothing.
  const programs = samples.map((sample) => `${sample.replace('@licensing/sdk', sdk)}export {};\n`);
  const files = writePrograms(programs, 'ts');
  const runner = join(server.folder, 'run.mjs');
  writeFileSync(
    runner,
    [
      'for (const path of process.argv.slice(2)) {',
      '  await import(path).catch((error) => {',
      "    if (error.message !== 'Nothing.') throw new Error(path, { cause: error });",
      '  });',
      '}',
    ].join('\n'),
  );
  await run(process.execPath, [runner, ...files], { env: { ...process.env, ...environment }, cwd: server.folder });
  server.expectRequests();
  const options = { strict: true, noEmit: true, target: 'esnext', module: 'esnext', moduleResolution: 'bundler' };
  const compilerOptions = {
    ...options,
    ...{ allowImportingTsExtensions: true, skipLibCheck: true, types: ['node'] },
    typeRoots: [join(repositoryRoot, 'node_modules', '@types')],
  };
  writeFileSync(join(server.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const compiler = join(repositoryRoot, 'node_modules', '.bin', 'tsc');
  const { stdout } = spawnSync(compiler, ['-p', server.folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
}, 240_000);

test('each Python sample runs as printed, and sends the request of its operation', async () => {
  const files = writePrograms(server.programs('Python'), 'py');
  const runner = join(server.folder, 'run.py');
  writeFileSync(
    runner,
    [
      'import runpy, sys',
      'from urllib.error import HTTPError',
      'from licensing_sdk import LicensingError',
      'for path in sys.argv[1:]:',
      '    try:',
      '        runpy.run_path(path)',
      '    except LicensingError as error:',
      '        assert error.message == "Nothing.", (path, error)',
      '    except HTTPError as error:',
      '        assert error.code == 404, (path, error)',
      '',
    ].join('\n'),
  );
  const PYTHONPATH = join(repositoryRoot, 'sdks', 'python', 'src');
  const env = { PATH: process.env['PATH'], PYTHONPATH, PYTHONDONTWRITEBYTECODE: '1', ...environment };
  await run('/usr/bin/python3', [runner, ...files], { env, cwd: server.folder });
  server.expectRequests();
}, 120_000);
