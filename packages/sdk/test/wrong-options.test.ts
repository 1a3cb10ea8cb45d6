import { expect, test } from 'vitest';
import {
  LicenseGuard,
  LicensingClient,
  ManagementClient,
  memoryStore,
  offlineRequest,
  UsageRecorder,
  verifyCertificate,
  verifyVerdict,
} from '../src/index.ts';
import { closeOnExit, fileStore, machineFingerprint } from '../src/node/index.ts';
import { expressWebhook, fastifyWebhook, honoWebhook, webhookHandler } from '../src/webhooks/index.ts';

const nothing = undefined as never;
const connection = { baseUrl: 'https://licensing.example.com', apiKey: 'vx_key' };
const client = new LicensingClient(connection);
const guard = { client, licenseKey: 'key', store: memoryStore(), unsigned: true };

test.each<[string, RegExp, () => unknown]>([
  ['new LicensingClient()', /new LicensingClient\(\{ baseUrl, apiKey \}\)/, () => new LicensingClient(nothing)],
  ['new LicensingClient(null)', /options are missing/, () => new LicensingClient(null as never)],
  ['new ManagementClient()', /new ManagementClient\(/, () => new ManagementClient(nothing)],
  ['new LicenseGuard()', /new LicenseGuard\(/, () => new LicenseGuard(nothing)],
  ['new UsageRecorder()', /new UsageRecorder\(/, () => new UsageRecorder(nothing)],
  ['offlineRequest()', /offlineRequest\(\{/, () => offlineRequest(nothing)],
  ['expressWebhook()', /secret, onEvent/, () => expressWebhook(nothing)],
  ['fastifyWebhook()', /secret, onEvent/, () => fastifyWebhook(nothing)],
  ['honoWebhook()', /secret, onEvent/, () => honoWebhook(nothing)],
  ['webhookHandler({})', /`onEvent` must be a function/, () => webhookHandler({} as never)],
  [
    "timeoutMs: '5000'",
    /timeoutMs must be a positive/,
    () => new LicensingClient({ ...connection, timeoutMs: '5000' as never }),
  ],
  ["fetch: 'x'", /fetch must be a function/, () => new LicensingClient({ ...connection, fetch: 'x' as never })],
  [
    "checkIntervalMs: '5000'",
    /checkIntervalMs/,
    () => new LicenseGuard({ ...guard, checkIntervalMs: '5000' as never }),
  ],
  [
    "flushIntervalMs: '5000'",
    /flushIntervalMs/,
    () => new UsageRecorder({ ...guard, flushIntervalMs: '5000' as never }),
  ],
  ['closeOnExit(5)', /list of guards and recorders: closeOnExit\(\[guard\]\)/, () => closeOnExit(5 as never)],
  ['closeOnExit(guard)', /list of guards/, () => closeOnExit(new LicenseGuard(guard) as never)],
  ['closeOnExit([5])', /list of guards/, () => closeOnExit([5 as never])],
  ["closeOnExit([], { timeoutMs: '5' })", /timeoutMs/, () => closeOnExit([], { timeoutMs: '5' as never })],
  ['fileStore()', /path of a file/, () => fileStore(nothing)],
  ['machineFingerprint()', /machineFingerprint\(\{/, () => machineFingerprint(nothing)],
  ['verifyCertificate(token)', /verifyCertificate\(token, \{/, () => verifyCertificate('token', nothing)],
  ['verifyVerdict(verdict)', /verifyVerdict\(verdict, \{/, () => verifyVerdict({} as never, nothing)],
  [
    'now: 5',
    /`now` must be a valid Date/,
    () => verifyCertificate('', { jwks: { keys: [] }, issuer: 'a', audience: 'b', now: 5 as never }),
  ],
])('%s fails at once with a sentence', async (_call, message, call) => {
  await expect((async () => await call())()).rejects.toMatchObject({
    code: 'CONFIGURATION.INVALID',
    message: expect.stringMatching(message),
  });
});
