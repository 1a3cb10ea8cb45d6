import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// Validates licenses one after the other in a thread of its own, because the thread of the test serves the mail server.
// Posts the time of each in ms.

const { address, apiKey, keys } = workerData as { address: string; apiKey: string; keys: readonly string[] };
for (;;) {
  const key = keys[Math.floor(Math.random() * keys.length)];
  const startedMs = performance.now();
  const response = await fetch(`${address}/api/v1/integration/licenses/${key}/validate`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
  });
  const text = await response.text();
  const tookMs = performance.now() - startedMs;
  if (!text.includes('"valid":true')) throw new Error(text);
  parentPort?.postMessage(tookMs);
  // As between the requests of applications.
  await delay(2);
}
