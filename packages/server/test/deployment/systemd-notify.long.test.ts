import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { startServe } from '../commands/licensing.ts';

/** Receives datagrams as systemd does, and prints each message. */
const server = `
import os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('listening', flush=True)
while True:
    print(receiver.recv(4096).decode().strip(), flush=True)
`;

async function startReceiver(socket: string): Promise<string[]> {
  const child = spawn('python3', ['-c', server, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const messages: string[] = [];
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  lines.on('line', (line) => messages.push(line));
  return messages;
}

test('the service tells systemd that it is ready, that its event loop runs, and that it stops', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-notify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, 'notify');
  const messages = await startReceiver(socket);
  const env = { DATA_DIR: join(folder, 'data'), PORT: '0', NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' };
  const served = await startServe([], env);
  await eventually(() => expect(messages.filter((message) => message === 'WATCHDOG=1').length).toBeGreaterThan(2));
  expect(messages).toContain('READY=1');
  expect((await fetch(`${served.address}/health/ready`)).status).toBe(200);
  expect(messages).not.toContain('STOPPING=1');
  served.signal('SIGTERM');
  expect(await served.ended, served.output.stderr).toBe(0);
  await eventually(() => expect(messages).toContain('STOPPING=1'));
});

test('the service serves without systemd-notify, and logs that systemd does not learn its state', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-notify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { DATA_DIR: join(folder, 'data'), PORT: '0', NOTIFY_SOCKET: join(folder, 'absent') };
  const served = await startServe([], { ...env, LOG_LEVEL: 'info' });
  await eventually(() => expect(served.output.stdout).toContain('the service manager was not told'));
  expect((await fetch(`${served.address}/health/ready`)).status).toBe(200);
});
