/**
 * An application in a process of its own, which tests kill. It takes a floating seat, records usage, and prints `ready`.
 * `mode`: `wait` runs until a signal; `end` ends naturally; `end-terminated` ends naturally and gets SIGTERM meanwhile; `own-handler` also handles SIGTERM itself; `before-send` and
 * `after-answer` die there with SIGKILL while they report the usage; `resume` reports what an earlier run left.
 */
import { LicenseGuard, LicensingClient, memoryStore, UsageRecorder } from '../../src/index.ts';
import { closeOnExit, fileStore } from '../../src/node/index.ts';

interface Settings {
  readonly mode: 'wait' | 'end' | 'end-terminated' | 'own-handler' | 'before-send' | 'after-answer' | 'resume';
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly licenseKey: string;
  readonly path: string;
}

const settings: Settings = JSON.parse(process.argv[2] ?? '');
const { mode, baseUrl, apiKey, licenseKey, path } = settings;

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
}

const client = new LicensingClient({
  baseUrl,
  apiKey,
  async fetch(url, init) {
    const isReport = String(url).endsWith('/usage');
    if (mode === 'end-terminated' && String(url).endsWith('/deactivate')) {
      process.kill(process.pid, 'SIGTERM');
      // The listeners of the signal run in the next phase of the event loop.
      await new Promise(setImmediate);
    }
    if (isReport && mode === 'before-send') die();
    const response = await fetch(url, init);
    if (isReport && mode === 'after-answer') die();
    return response;
  },
});
const recorder = new UsageRecorder({ client, licenseKey, store: fileStore(path), flushIntervalMs: 3_600_000 });

if (mode === 'resume') {
  process.stdout.write(JSON.stringify(await recorder.close()));
} else if (mode === 'before-send' || mode === 'after-answer') {
  for (let count = 0; count < 5; count += 1) void recorder.record('renders', 2);
  await recorder.flush();
} else {
  const fingerprint = `machine-${process.pid}`;
  const guard = new LicenseGuard({ client, licenseKey, fingerprint, store: memoryStore(), unsigned: true });
  closeOnExit([guard, recorder]);
  if (mode === 'own-handler') {
    process.on('SIGTERM', () => void Promise.all([guard.stop(), recorder.close()]).then(() => process.exit(3)));
  }
  const { status } = await guard.start();
  await recorder.record('renders', 3);
  process.stdout.write(`ready ${status}\n`);
  if (mode !== 'end' && mode !== 'end-terminated') process.stdin.resume();
}
