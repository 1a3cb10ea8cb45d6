import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { useTenant } from '../../../server/test/support/accounts.ts';
import { useClock } from '../../../server/test/support/harness.ts';
import { defineEntitlements, newLicense } from '../../../server/test/support/licensing-catalog.ts';
import { ManualTimers } from '../../conformance/guard/manual-timers.ts';
import {
  type GuardState,
  type Jwks,
  LicenseGuard,
  type LicenseGuardOptions,
  LicensingClient,
  memoryStore,
  type Store,
} from '../../src/index.ts';

const issuer = 'https://licensing.example.com';
const clock = useClock();
const suite = useTenant({ PUBLIC_URL: issuer });
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let baseUrl: string;
let jwks: Jwks;

beforeAll(async () => {
  await suite.app.http.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(suite.app.http.server.address() as AddressInfo).port}`;
  const options = { baseUrl, apiKey: suite.tenant.apiKey };
  jwks = await new LicensingClient(options).jwks(suite.tenant.id);
  await defineEntitlements(suite.tenant, { export: 'boolean', print: 'boolean' });
});

let timers: ManualTimers;
beforeEach(() => {
  // The owner's token would expire during the suite.
  clock.set('2026-11-20T12:00:00Z');
  timers = new ManualTimers((realMs) => vi.setSystemTime(realMs));
  timers.realMs = Date.now();
});

/** A machine with the application: a fingerprint, a store, a network and a clock. */
class Machine {
  readonly store: Store;
  readonly seen: string[] = [];
  readonly requests: string[] = [];
  readonly #licenseKey: string;
  readonly #fingerprint: string;
  readonly #options: Partial<LicenseGuardOptions>;
  guard: LicenseGuard;
  /** Answers in place of the service; undefined: the request goes through. */
  network: ((path: string, body: string) => Promise<Response | undefined>) | undefined;

  constructor(licenseKey: string, fingerprint: string, options: Partial<LicenseGuardOptions> = {}) {
    this.#licenseKey = licenseKey;
    this.#fingerprint = fingerprint;
    this.#options = options;
    this.store = options.store ?? memoryStore();
    this.guard = this.#newGuard();
  }

  cut(): void {
    this.network = () => Promise.reject(new TypeError('fetch failed'));
  }

  connect(): void {
    this.network = undefined;
  }

  /** Starts the application again, as after a crash. */
  async restart(): Promise<GuardState> {
    this.guard = this.#newGuard();
    // The time passes only when no check is under way.
    return await this.guard.start({ fresh: true });
  }

  #newGuard(): LicenseGuard {
    const client = new LicensingClient({
      baseUrl,
      apiKey: suite.tenant.apiKey,
      maxRetries: 0,
      fetch: async (url, init) => {
        const path = new URL(String(url)).pathname.split('/').slice(6).join('/');
        this.requests.push(path);
        return (await this.network?.(path, String(init?.body))) ?? (await fetch(url, init));
      },
    });
    const guard = new LicenseGuard({
      ...{ client, licenseKey: this.#licenseKey, fingerprint: this.#fingerprint, store: this.store },
      ...{ jwks, issuer, audience: suite.tenant.id },
      ...{ now: timers.wallMs, monotonicNow: timers.monotonicMs, timers },
      ...this.#options,
    });
    guard.on('change', ({ status, reason }) => this.seen.push(`${status} ${reason}`));
    return guard;
  }
}

const weekly = { offline_ttl_seconds_max: 7 * 86_400 };
const nodeLocked = { ...weekly, require_activation: true, max_activations: 1 };
const floating = { ...weekly, require_activation: true, max_activations: 1, lease_seconds: 600 };

async function activationsOf(license: { readonly id: string }, status = 'active') {
  const { body } = await suite.tenant.asOwner('GET', `/activations?license_id=${license.id}&status=${status}`);
  return body.data;
}

const change = (license: { readonly id: string }, action: string) =>
  suite.tenant.asOwner('POST', `/licenses/${license.id}/${action}`);

describe('a machine that is online', () => {
  test('takes a seat on first use and is licensed, with a certificate for later', async () => {
    const license = await newLicense(suite.tenant, { ...nodeLocked, entitlements: [{ code: 'export' }] });
    const { guard } = new Machine(license.key, 'machine-1', { deviceName: 'Workshop' });
    const state = await guard.start();
    expect(state).toMatchObject({ status: 'licensed', reason: 'LICENSE.VALID', verdict: { valid: true } });
    expect(state.until).toEqual(new Date(Math.floor(timers.realMs / 1000) * 1000 + 7 * dayMs));
    expect([guard.has('export'), guard.has('print')]).toEqual([true, false]);
    expect(await activationsOf(license)).toMatchObject([{ fingerprint: 'machine-1', name: 'Workshop' }]);
  });

  test.each([true, false])('a copied key is refused on another machine (activation required: %s)', async (required) => {
    const { key } = await newLicense(suite.tenant, { ...nodeLocked, require_activation: required });
    await new Machine(key, 'machine-1').guard.start();
    expect(await new Machine(key, 'machine-2').guard.start()).toMatchObject({
      status: 'unlicensed',
      reason: 'ACTIVATION.LIMIT_REACHED',
      entitlements: [],
    });
  });

  test('a seat that the vendor freed is taken again', async () => {
    const license = await newLicense(suite.tenant, nodeLocked);
    const { guard } = new Machine(license.key, 'machine-1');
    await guard.start();
    const [{ id }] = await activationsOf(license);
    await suite.tenant.asOwner('DELETE', `/activations/${id}`);
    expect(await guard.refresh()).toMatchObject({ status: 'licensed' });
    expect(await activationsOf(license)).toHaveLength(1);
  });

  test('a revocation counts with the next check, a suspension until it ends', async () => {
    const license = await newLicense(suite.tenant, nodeLocked);
    const { guard, seen } = new Machine(license.key, 'machine-1');
    await guard.start();
    await change(license, 'suspend');
    await timers.advance(2 * hourMs);
    await change(license, 'reinstate');
    await timers.advance(2 * hourMs);
    await change(license, 'revoke');
    await timers.advance(2 * hourMs);
    expect(seen).toEqual([
      'licensed LICENSE.VALID',
      'unlicensed LICENSE.SUSPENDED',
      'licensed LICENSE.VALID',
      'unlicensed LICENSE.REVOKED',
    ]);
    expect(guard.state.detail).toContain('revoked');
  });

  test('an expired license in its grace period is in grace, and unlicensed after it', async () => {
    const expires_at = new Date(timers.realMs + dayMs).toISOString();
    const { key } = await newLicense(suite.tenant, { ...nodeLocked, grace_days: 2 }, { expires_at });
    const { guard, seen } = new Machine(key, 'machine-1');
    await guard.start();
    await timers.advance(4 * dayMs);
    expect(seen).toEqual(['licensed LICENSE.VALID', 'grace LICENSE.IN_GRACE', 'unlicensed LICENSE.EXPIRED']);
  });

  test('demanded entitlements and the product are conditions', async () => {
    const { key } = await newLicense(suite.tenant, { ...weekly, entitlements: [{ code: 'export' }] });
    const stateWith = (options: Partial<LicenseGuardOptions>) => new Machine(key, 'm', options).guard.start();
    expect(await stateWith({ entitlements: ['export'] })).toMatchObject({ status: 'licensed' });
    expect(await stateWith({ entitlements: ['print'] })).toMatchObject({ reason: 'ENTITLEMENT.NOT_GRANTED' });
    expect(await stateWith({ product: 'another' })).toMatchObject({ reason: 'LICENSE.PRODUCT_MISMATCH' });
  });
});

describe('a machine without a network', () => {
  test('continues until the certificate ends, and is licensed again as soon as it is back', async () => {
    const { key } = await newLicense(suite.tenant, nodeLocked);
    const machine = new Machine(key, 'machine-1');
    await machine.guard.start();
    machine.cut();
    await timers.advance(6 * dayMs);
    expect(machine.guard.state).toMatchObject({ status: 'offline', reason: 'NETWORK.UNREACHABLE' });
    expect(await machine.restart()).toMatchObject({ status: 'offline', verdict: { valid: true } });
    await timers.advance(2 * dayMs);
    expect(machine.guard.state).toMatchObject({ status: 'unlicensed', reason: 'CERTIFICATE.EXPIRED' });
    machine.connect();
    await timers.advance(2 * hourMs);
    expect(machine.guard.state).toMatchObject({ status: 'licensed' });
  });

  test('detects a revocation when it is back, and stays unlicensed when the network fails again', async () => {
    const license = await newLicense(suite.tenant, nodeLocked);
    const machine = new Machine(license.key, 'machine-1');
    await machine.guard.start();
    machine.cut();
    await change(license, 'revoke');
    await timers.advance(2 * hourMs);
    expect(machine.guard.state.status).toBe('offline');
    machine.connect();
    expect(await machine.guard.refresh()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.REVOKED' });
    machine.cut();
    expect(await machine.guard.refresh()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.REVOKED' });
    expect(await machine.restart()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.REVOKED' });
    expect(await machine.store.read()).not.toContain('eyJ');
  });

  test('needs the network on its first start, and is licensed by itself when it comes', async () => {
    const { key } = await newLicense(suite.tenant, nodeLocked);
    const machine = new Machine(key, 'machine-1');
    machine.cut();
    expect(await machine.guard.start()).toMatchObject({ status: 'unlicensed', reason: 'NETWORK.UNREACHABLE' });
    machine.connect();
    await timers.advance(60_000);
    expect(machine.seen).toEqual(['unlicensed NETWORK.UNREACHABLE', 'licensed LICENSE.VALID']);
  });

  test('refuses the store of another machine', async () => {
    const { key } = await newLicense(suite.tenant, nodeLocked);
    const original = new Machine(key, 'machine-1');
    await original.guard.start();
    const store = memoryStore();
    await store.write((await original.store.read()) ?? '');
    const copy = new Machine(key, 'machine-2', { store });
    copy.cut();
    expect(await copy.guard.start()).toMatchObject({
      status: 'unlicensed',
      reason: 'CERTIFICATE.FINGERPRINT_MISMATCH',
    });
  });

  test('does not use the certificate of another license key', async () => {
    const { key } = await newLicense(suite.tenant, nodeLocked);
    const first = new Machine(key, 'machine-1');
    await first.guard.start();
    const second = new Machine('ANOTHER-KEY', 'machine-1', { store: first.store });
    second.cut();
    expect(await second.guard.start()).toMatchObject({ status: 'unlicensed', reason: 'NETWORK.UNREACHABLE' });
  });
});

describe('invalid responses', () => {
  const json = { 'content-type': 'application/json' };
  const page = '<html>Log in to the Wi-Fi</html>';
  const envelope = (code: string) => JSON.stringify({ error: { code, message: 'x' }, meta: {} });
  test.each([
    ['a failure of the service', 500, envelope('INTERNAL.ERROR'), 'INTERNAL.ERROR'],
    ['an overload', 503, envelope('SERVICE.UNAVAILABLE'), 'SERVICE.UNAVAILABLE'],
    ['a login page of a Wi-Fi', 200, page, 'RESPONSE.INVALID'],
    ['a revoked API key', 401, envelope('AUTH.INVALID_API_KEY'), 'AUTH.INVALID_API_KEY'],
    ['a suspended vendor', 403, envelope('TENANT.STATUS.SUSPENDED'), 'TENANT.STATUS.SUSPENDED'],
  ])('%s turns no customer away', async (_what, status, body, reason) => {
    const { key } = await newLicense(suite.tenant, nodeLocked);
    const machine = new Machine(key, 'machine-1');
    await machine.guard.start();
    machine.network = async () => new Response(body, { status, headers: json });
    expect(await machine.guard.refresh()).toMatchObject({ status: 'offline', reason });
  });

  test('a service that fails for a day turns no customer away, and is not asked much more often than usual', async () => {
    const { key } = await newLicense(suite.tenant, { ...nodeLocked, entitlements: [{ code: 'export' }] });
    const machine = new Machine(key, 'machine-1');
    await machine.guard.start();
    machine.network = async () => new Response(envelope('INTERNAL.ERROR'), { status: 500, headers: json });
    machine.requests.length = 0;
    await timers.advance(dayMs);
    expect(machine.guard.state).toMatchObject({ status: 'offline', reason: 'INTERNAL.ERROR' });
    expect(machine.guard.has('export')).toBe(true);
    // 24 checks of a service that works, and the doubling delays after the first failure.
    expect(machine.requests.length).toBeLessThan(40);
    machine.connect();
    await timers.advance(2 * hourMs);
    expect(machine.guard.state).toMatchObject({ status: 'licensed' });
  });

  test('a fake service that says yes does not bring a revoked license back, nor one that says no end a good one', async () => {
    const license = await newLicense(suite.tenant, nodeLocked);
    const machine = new Machine(license.key, 'machine-1');
    let recorded = '';
    machine.network = async (path, body) => {
      if (path !== 'validate') return undefined;
      const headers = { 'x-api-key': suite.tenant.apiKey, ...json };
      const url = `${baseUrl}/api/v1/integration/licenses/${license.key}/validate`;
      recorded = await (await fetch(url, { method: 'POST', body, headers })).text();
      return new Response(recorded, { headers: json });
    };
    expect(await machine.guard.start()).toMatchObject({ status: 'licensed' });
    const answer = (text: string) => async (path: string) =>
      path === 'validate' ? new Response(text, { headers: json }) : undefined;
    machine.network = answer(
      recorded.replace(/"proof":"[^"]*"/, '"ignored":1').replace('"valid":true', '"valid":false'),
    );
    expect(await machine.guard.refresh()).toMatchObject({ status: 'offline' });
    machine.connect();
    await change(license, 'revoke');
    await machine.guard.refresh();
    machine.network = answer(recorded);
    expect(await machine.guard.refresh()).toMatchObject({ status: 'unlicensed', reason: 'LICENSE.REVOKED' });
  });
});

describe('the clock of the machine', () => {
  test('set back, it ends the certificate offline, and an answer of the service makes it good again', async () => {
    const { key } = await newLicense(suite.tenant, nodeLocked);
    const machine = new Machine(key, 'machine-1');
    await machine.guard.start();
    machine.cut();
    await timers.advance(5 * dayMs);
    timers.skewMs = -4 * dayMs;
    expect(await machine.guard.refresh()).toMatchObject({ status: 'unlicensed', reason: 'CLOCK.SET_BACK' });
    expect(await machine.restart()).toMatchObject({ status: 'unlicensed', reason: 'CLOCK.SET_BACK' });
    machine.connect();
    expect(await machine.guard.refresh()).toMatchObject({ status: 'licensed' });
    machine.cut();
    expect(await machine.guard.refresh()).toMatchObject({ status: 'offline' });
  });

  test.each([-400, 400])('always wrong by %i days, it changes nothing', async (days) => {
    const { key } = await newLicense(suite.tenant, nodeLocked);
    timers.skewMs = days * dayMs;
    const machine = new Machine(key, 'machine-1');
    expect(await machine.guard.start()).toMatchObject({ status: 'licensed' });
    machine.cut();
    await timers.advance(6 * dayMs);
    expect(await machine.restart()).toMatchObject({ status: 'offline' });
    await timers.advance(2 * dayMs);
    expect(machine.guard.state).toMatchObject({ status: 'unlicensed', reason: 'CERTIFICATE.EXPIRED' });
  });

  test('set back a little again and again, it is noticed, because time also passes without it', async () => {
    const { key } = await newLicense(suite.tenant, { ...nodeLocked, offline_ttl_seconds_max: 3600 });
    const machine = new Machine(key, 'machine-1');
    await machine.guard.start();
    machine.cut();
    // Each step is within the tolerance, and the clock shows the same time as before it.
    for (let step = 0; step < 16; step += 1) {
      await timers.advance(240_000);
      timers.skewMs -= 240_000;
    }
    expect(machine.guard.state).toMatchObject({ status: 'unlicensed', reason: 'CLOCK.SET_BACK' });
  });
});

describe('a floating license', () => {
  test('keeps its seat with heartbeats, and frees it when it stops', async () => {
    const license = await newLicense(suite.tenant, floating);
    const first = new Machine(license.key, 'machine-1');
    const second = new Machine(license.key, 'machine-2');
    await first.guard.start();
    await timers.advance(3 * hourMs);
    expect(first.requests.filter((path) => path.endsWith('heartbeat')).length).toBeGreaterThan(3 * 6 * 2);
    expect(first.guard.state.status).toBe('licensed');
    expect(await second.guard.start()).toMatchObject({ reason: 'ACTIVATION.LIMIT_REACHED' });
    await first.guard.stop();
    expect(first.guard.state).toMatchObject({ status: 'unlicensed', reason: 'GUARD.STOPPED' });
    expect(await activationsOf(license)).toEqual([]);
    expect(await second.guard.refresh()).toMatchObject({ status: 'licensed' });
    first.cut();
    expect(await first.guard.start(), 'a released seat leaves no certificate').toMatchObject({ status: 'unlicensed' });
  });

  test('waits for a free seat, and gets the one of a machine that crashed', async () => {
    const { key } = await newLicense(suite.tenant, floating);
    const first = new Machine(key, 'machine-1');
    await first.guard.start();
    timers.kill();
    const second = new Machine(key, 'machine-2');
    expect(await second.guard.start()).toMatchObject({ status: 'unlicensed' });
    await timers.advance(hourMs);
    expect(second.guard.state.status).toBe('licensed');
  });

  test('is offline during an outage until its lease ends, and takes a seat again after it', async () => {
    const { key } = await newLicense(suite.tenant, floating);
    const machine = new Machine(key, 'machine-1');
    await machine.guard.start();
    await timers.advance(hourMs);
    machine.cut();
    await timers.advance(260_000);
    expect(machine.guard.state.status).toBe('offline');
    await timers.advance(600_000);
    expect(machine.guard.state).toMatchObject({ status: 'unlicensed', reason: 'CERTIFICATE.EXPIRED' });
    machine.connect();
    await timers.advance(600_000);
    expect(machine.guard.state.status).toBe('licensed');
  });

  test('a node-locked seat is kept when the application stops', async () => {
    const license = await newLicense(suite.tenant, nodeLocked);
    const { guard } = new Machine(license.key, 'machine-1');
    await guard.start();
    await guard.stop();
    expect(guard.state.status).toBe('licensed');
    expect(await activationsOf(license)).toHaveLength(1);
    expect(timers.pending).toBe(0);
  });
});
