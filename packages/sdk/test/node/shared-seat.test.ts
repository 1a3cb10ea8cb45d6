import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeService } from '../../conformance/guard/fake-service.ts';
import { type HttpService, startHttpService } from '../../conformance/guard/http-service.ts';

let http: HttpService;
let service: FakeService;
let folder: string;
const started = new Set<ChildProcess>();

beforeEach(async () => {
  http = await startHttpService();
  service = new FakeService(Date.now);
  service.leaseMs = 600_000;
  http.service = service;
  folder = mkdtempSync(join(tmpdir(), 'licensing-sdk-'));
});

afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
  await http.stop();
  rmSync(folder, { recursive: true });
});

/** Starts the application, and returns its process when it has the seat. */
async function startApplication(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, '../support/seat-holder.ts');
  const settings = JSON.stringify({ baseUrl: http.origin, path: join(folder, 'license.json') });
  // The processes share what they compile, which halves the time of a start.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  const child = spawn(process.execPath, [program, settings], { stdio: ['pipe', 'pipe', 'inherit'], env });
  started.add(child);
  const [status] = await once(child.stdout, 'data');
  expect(String(status)).toBe('licensed');
  return child;
}

async function ended(child: ChildProcess, end: () => unknown): Promise<void> {
  const exit = once(child, 'exit');
  end();
  await exit;
}

test('a floating seat stays while one process of the machine has it, and the last one to end frees it', async () => {
  const first = await startApplication();
  const second = await startApplication();
  await ended(first, () => first.stdin?.end());
  expect(service.holders).toEqual(['machine-1']);
  await ended(second, () => second.stdin?.end());
  expect(service.holders).toEqual([]);
  expect(readdirSync(folder)).toEqual(['license.json']);
});

test('a killed process does not keep a floating seat', async () => {
  const first = await startApplication();
  const second = await startApplication();
  await ended(first, () => first.kill('SIGKILL'));
  expect(service.holders, 'the other one still has it').toEqual(['machine-1']);
  await ended(second, () => second.stdin?.end());
  expect(service.holders).toEqual([]);
  expect(readdirSync(folder)).toEqual(['license.json']);
});
