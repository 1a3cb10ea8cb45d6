import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type KillableService, startKillable } from '../crash/killable-service.ts';
import { scheduleJob } from '../jobs/job-rows.ts';
import { createAdmin, createTenant } from '../support/accounts.ts';
import { createSite, engine, startApp, stopApp, type TestSite } from '../support/harness.ts';
import { newPolicy } from '../support/licensing-catalog.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';
import { startSampler } from '../support/validation-latencies.ts';

// A mail that was sent right before a kill is sent again, because SMTP has no means to ask whether it arrived. The copy has
// the same Message-ID, by which the receiver recognises it. At most the mails that were on their way are sent twice.

/** The process that began, and one that sends what it left. The next one finishes what was left twice. */
const kills = 2;
/** The number of holders with a license that ends; 100,000 for the figures of docs/benchmarks.md. */
const holders = Number(process.env['HOLDERS'] ?? 120);
/** The mails that wait at most while licenses are issued, so that little is left after the last kill. */
const waitingMax = 15;
/** The connections of one process to the mail server. */
const onTheirWayMax = 5;
/** Longer than the lease of a mail, which another process sends again after it. */
const downMs = 200_000;
const dayMs = 86_400_000;
const idleSamples = 300;

interface Scene {
  readonly env: Record<string, string>;
  readonly auth: Record<string, string>;
  readonly policyId: string;
  readonly apiKey: string;
  /** Keys of licenses that can be validated. */
  readonly keys: readonly string[];
  readonly server: TestSmtpServer;
}

/** Creates a tenant with a service that is stopped afterwards, and a mail server that accepts all mail. */
async function prepare(whileServed: (upload: (csv: string) => Promise<void>, policy: string) => Promise<void>) {
  const site: TestSite = await createSite();
  onTestFinished(() => site.remove());
  const server = await startSmtpServer();
  onTestFinished(() => server.stop());
  const smtp = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, HOLDER_MAILS_PER_DAY: '0', USER_TOKEN_TTL_DAYS: '365' };
  const app = await startApp(site, smtp);
  const admin = await createAdmin(app);
  const tenant = await createTenant(app, admin);
  const payload = { limits: { integration_requests_per_minute: 1_000_000 } };
  const headers = admin.auth;
  const raised = await app.request({ method: 'PATCH', url: `/api/v1/admin/tenants/${tenant.id}`, headers, payload });
  if (raised.status !== 200) throw new Error(raised.text);
  const policy = await newPolicy(tenant);
  const upload = async (payload: string) => {
    const headers = { ...tenant.owner.auth, 'content-type': 'text/csv' };
    const { status, text } = await app.request({
      method: 'POST',
      url: '/api/v1/tenant/licenses/import',
      headers,
      payload,
    });
    if (status !== 200) throw new Error(text);
  };
  await whileServed(upload, policy.code);
  const { data } = (await tenant.asOwner('GET', '/licenses?limit=100')).body;
  await scheduleJob(app, tenant.id, 'holder-reminders');
  await stopApp(app);
  const { auth } = tenant.owner;
  const scene: Scene = {
    env: { ...site.env, ...smtp } as never,
    auth,
    policyId: policy.id,
    apiKey: tenant.apiKey,
    keys: data.map(({ key }: { key: string }) => key),
    server,
  };
  return scene;
}

const messageIdsOf = ({ server }: Scene) =>
  server.received.map(({ message, to }) => `${/^message-id: (.*)$/im.exec(message)?.[1]?.trim()} ${to.join()}`);

/** Waits until a number of mails arrived. */
async function arrived(scene: Scene, count: number): Promise<void> {
  while (scene.server.received.length < count) await delay(5);
}

async function countOf(service: KillableService, { auth }: Scene, state: string): Promise<number> {
  const response = await fetch(`${service.address}/api/v1/tenant/mails?limit=100&state=${state}`, { headers: auth });
  return ((await response.json()) as { data: unknown[] }).data.length;
}

interface Latencies {
  /** The 99th percentile of a validation while mails are sent, and afterwards. */
  readonly busyMs: number;
  readonly idleMs: number;
}

/** Lets one more process send what is left, after all leases have ended. */
async function finish(scene: Scene, shiftMs: number): Promise<void> {
  const service = await startKillable(scene.env, shiftMs);
  await sendRest(service, scene, () => delay(50));
  await service.stop();
}

/** Finishes while an application validates licenses. */
async function finishUnderLoad(scene: Scene, shiftMs: number): Promise<Latencies> {
  const service = await startKillable(scene.env, shiftMs);
  const sampler = await startSampler({ ...scene, address: service.address });
  await sendRest(service, scene, () => sampler.during(50));
  const busy = sampler.take();
  const idle = await sampler.takeNext(idleSamples);
  await sampler.stop();
  await service.stop();
  return { busyMs: busy.p99Ms, idleMs: idle.p99Ms };
}

async function sendRest(service: KillableService, scene: Scene, rest: () => Promise<unknown>): Promise<void> {
  while ((await countOf(service, scene, 'queued')) > 0) await rest();
  expect(await countOf(service, scene, 'refused')).toBe(0);
}

/** Expects one mail per address, with at most the mails on their way at a kill twice and under one id. */
function expectEachOnce(scene: Scene, addresses: readonly string[]): number {
  const all = messageIdsOf(scene);
  const distinct = [...new Set(all)];
  expect(distinct.map((one) => one.split(' ')[1]).sort()).toEqual([...addresses].sort());
  expect(all.length - distinct.length).toBeLessThanOrEqual(kills * onTheirWayMax);
  return all.length - distinct.length;
}

test('every license that was issued is mailed once, although the service is killed again and again', {
  timeout: 1_200_000,
}, async () => {
  const scene = await prepare((upload, policy) => upload(`policy\n${policy}\n`));
  const issued: string[] = [];
  let shiftMs = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startKillable(scene.env, shiftMs, { checks: kill === 0 });
    const goal = scene.server.received.length + 10 + Math.floor(Math.random() * 20);
    let isKilled = false;
    const work = async () => {
      while (!isKilled) {
        while (!isKilled && issued.length > scene.server.received.length + waitingMax) await delay(5);
        const email = `${randomUUID()}@example.com`;
        const body = JSON.stringify({ policy_id: scene.policyId, holder: { email } });
        const headers = { ...scene.auth, 'content-type': 'application/json' };
        const response = await fetch(`${service.address}/api/v1/tenant/licenses`, {
          method: 'POST',
          headers,
          body,
        }).catch(() => undefined);
        if (response?.status === 201) issued.push(email);
      }
    };
    const load = Promise.all([work(), work()]);
    await arrived(scene, goal);
    await delay(Math.random() * 20);
    await service.kill();
    isKilled = true;
    await load;
    shiftMs += downMs;
  }
  await finish(scene, shiftMs);
  const addresses = new Set(messageIdsOf(scene).map((one) => one.split(' ')[1] ?? ''));
  // A license whose response the kill cut off may exist, and is then mailed too.
  for (const email of issued) expect(addresses).toContain(email);
  expectEachOnce(scene, [...addresses]);
});

test('every holder of a license that ends is reminded once, although the service is killed again and again', {
  timeout: 3_600_000,
}, async () => {
  const emails = Array.from({ length: holders }, (_, index) => `holder-${index}@example.com`);
  const endsAt = new Date(Date.now() + 20 * dayMs).toISOString();
  const scene = await prepare((upload, policy) =>
    upload(['policy,holder_email,expires_at', ...emails.map((email) => `${policy},${email},${endsAt}`), ''].join('\n')),
  );
  let shiftMs = 0;
  const startedMs = performance.now();
  for (let kill = 0; kill < kills; kill += 1) {
    const service = await startKillable(scene.env, shiftMs, { checks: false });
    await arrived(scene, Math.min(Math.floor((holders * (kill + 1)) / (kills + 2)), holders - 1));
    await service.kill();
    shiftMs += downMs;
  }
  const { busyMs, idleMs } = await finishUnderLoad(scene, shiftMs);
  const duplicates = expectEachOnce(scene, emails);
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  process.stderr.write(
    `${engine}: ${holders} holders in ${seconds} s, ${kills} kills, ${duplicates} copies; ` +
      `p99 of a validation ${busyMs.toFixed(1)} ms while mails are sent, ${idleMs.toFixed(1)} ms afterwards\n`,
  );
});
