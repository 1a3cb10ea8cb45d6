import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createJobMetrics, createMailMetrics } from './backlog-metrics.ts';

/** A read that fails while `error` is set. */
function createRead<Result>(result: Result) {
  const source: { error: Error | undefined; reported: unknown[] } = { error: undefined, reported: [] };
  const read = () => (source.error === undefined ? Promise.resolve(result) : Promise.reject(source.error));
  const onError = (error: unknown) => void source.reported.push(error);
  return { source, read, onError };
}

test('due jobs that cannot be read are NaN instead of absent, and an outage is reported once', async () => {
  const registry = new Registry();
  const { source, read, onError } = createRead([{ kind: 'webhooks', subjects: 2, oldestSeconds: 3 }]);
  createJobMetrics([registry]).watchDue(read, onError);
  expect(await registry.metrics()).toContain('jobs_due{kind="webhooks"} 2');
  source.error = new Error('The database is unavailable.');
  for (let scrape = 0; scrape < 2; scrape += 1) {
    const text = await registry.metrics();
    expect(text).toContain('jobs_due{kind="webhooks"} Nan');
    expect(text).toContain('jobs_due_oldest_seconds{kind="webhooks"} Nan');
  }
  expect(source.reported).toEqual([source.error]);
  source.error = undefined;
  expect(await registry.metrics()).toContain('jobs_due_oldest_seconds{kind="webhooks"} 3');
});

test('a backlog of mail that cannot be read is NaN, and each outage is reported once', async () => {
  const registry = new Registry();
  const { source, read, onError } = createRead({ waiting: 4, dead: 1, oldestSeconds: 5 });
  createMailMetrics([registry]).watchBacklog(read, onError);
  for (const error of [new Error('first outage'), new Error('second outage')]) {
    source.error = error;
    expect(await registry.metrics()).toContain('mails_waiting Nan');
    source.error = undefined;
    expect(await registry.metrics()).toContain('mails_waiting 4');
  }
  expect(source.reported.map(String)).toEqual(['Error: first outage', 'Error: second outage']);
});
