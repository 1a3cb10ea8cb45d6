import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeService } from '../../conformance/guard/fake-service.ts';
import type { GuardClient } from '../../src/index.ts';
import { simulateDevice } from '../support/simulated-device.ts';

let { timers, service, newGuard } = simulateDevice();
beforeEach(() => {
  ({ timers, service, newGuard } = simulateDevice());
});

describe('start', () => {
  test('returns at once with the stored certificate, although the service never answers', async () => {
    await newGuard().start();
    const validate: GuardClient['validate'] = async (_key, _question, { signal } = {}) => {
      while (!signal?.aborted) await nextTurn();
      throw signal.reason;
    };
    const guard = newGuard({ client: Object.assign(new FakeService(timers.wallMs), { validate }) });
    expect(await guard.start()).toMatchObject({ status: 'offline', reason: 'GUARD.CHECKING' });
    expect(guard.has('export')).toBe(true);
    await guard.stop();
    expect(timers.pending, 'the check behind it ended with stop()').toBe(1);
  });

  test('waits for the service with `fresh`, and without a certificate', async () => {
    const { validate } = service;
    const waiting: (() => void)[] = [];
    service.validate = async (...question) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      return await validate.apply(service, question);
    };
    for (const options of [{}, { fresh: true }]) {
      let returned: string | undefined;
      const started = newGuard()
        .start(options)
        .then(({ reason }) => {
          returned = reason;
        });
      while (waiting.length === 0) await nextTurn();
      expect(returned).toBeUndefined();
      waiting.pop()?.();
      await started;
      expect(returned).toBe('LICENSE.VALID');
    }
  });
});

test('the message is for people, in the language of the guard', async () => {
  service.code = 'LICENSE.EXPIRED';
  const messageIn = async (language?: string) => (await newGuard({ language }).start()).message;
  expect(await messageIn()).toBe('The license has expired. Renew it to continue to use the software.');
  expect(await messageIn('de-AT')).toContain('Die Lizenz ist abgelaufen.');
  expect(await messageIn('xx')).toBe(await messageIn('en'));
});
