import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Activation, LatestRelease, PendingTrial, Trial, Verdict } from '../../src/api-types.ts';
import { type GuardClient, type Jwks, type LicensingClient, LicensingError } from '../../src/index.ts';

const keyPair = generateKeyPairSync('ed25519');
const forger = generateKeyPairSync('ed25519').privateKey;

export const issuer = 'https://licensing.example.com';
export const audience = 'tenant-1';
export const licenseKey = 'ABCDE-FGHIJ-KLMNP';
export const trialKey = 'TRIAL-FGHIJ-KLMNP';
/** A key that no license has. */
export const unknownKey = 'WRONG-FGHIJ-KLMNP';

/** The cases run on 64-bit systems only, whose names in Node are those of the API. */
const systemPlatform = { darwin: 'macos', linux: 'linux', win32: 'windows' }[process.platform as string] ?? 'any';

function jwksOf(key: KeyObject): Jwks {
  const { x = '' } = key.export({ format: 'jwk' });
  return { keys: [{ kty: 'OKP', crv: 'Ed25519', kid: 'key-1', x }] };
}

export const jwks = jwksOf(keyPair.publicKey);

/** What identifies a machine in the body of a call. */
interface Identity {
  readonly fingerprint?: string | undefined;
  readonly components?: Readonly<Record<string, string>> | undefined;
}

/** The components of the machine with a fingerprint. No language has a style of its own for their names. */
export function componentsOf(fingerprint: string): Readonly<Record<string, string>> {
  return { root_disk: fingerprint };
}

/** A service with one license, whose state and failures the test controls. It signs as the real one does. */
export class FakeService implements GuardClient {
  readonly #nowMs: () => number;
  /** The code of the verdict. */
  code = 'LICENSE.VALID';
  isForged = false;
  /** Whether each call with a fingerprint must have the components of that machine, and no other may have some. */
  demandsComponents = false;
  /** Whether a trial has to be confirmed. */
  requiresEmail = false;
  /** What the service answers instead, as when it is overloaded or the API key is wrong; null: it works. */
  failure: { readonly status: number; readonly code: string } | null = null;
  /** After how many further calls the network fails; null: never. */
  callsLeft: number | null = null;
  ttlSeconds = 86_400;
  seats = 1;
  leaseMs: number | null = null;
  requiresActivation = true;
  entitlements = ['export'];
  holderName: string | null = 'Ada';
  expiresAt: string | null = null;
  maintenanceExpiresAt: string | null = null;
  readonly calls: string[] = [];
  readonly #held = new Map<string, Activation>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Frees every seat, as the vendor does. */
  freeSeats(): void {
    this.#held.clear();
  }

  get holders(): string[] {
    return [...this.#held.keys()];
  }

  async validate(key: string, question: Parameters<GuardClient['validate']>[1] = {}): Promise<Verdict> {
    this.#called('validate', question);
    const { fingerprint, nonce = '', entitlements, versionReleasedAt } = question;
    const checkedAt = this.#timestamp();
    const activation = (fingerprint !== undefined && this.#active(fingerprint)) || null;
    const isKnown = key !== unknownKey;
    const isSeatless = isKnown && this.#isUsable() && this.requiresActivation && activation === null;
    const code = isKnown ? (isSeatless ? 'ACTIVATION.NOT_FOUND' : this.code) : 'LICENSE.NOT_FOUND';
    const valid = isKnown && !isSeatless && this.#isUsable();
    const iat = Math.floor(this.#nowMs() / 1000);
    const question2 = { entitlements, version_released_at: versionReleasedAt };
    const sub = isKnown ? 'license-1' : null;
    const claims = { iss: issuer, aud: audience, sub, iat, exp: iat + 300, nonce, valid, code };
    const said = { key_hint: `…${key.slice(-4)}`, product: 'editor', fingerprint: fingerprint ?? null, ...question2 };
    const proof = this.isForged
      ? signed('verdict+jwt', { ...claims, ...said, valid: true, code: 'LICENSE.VALID' }, forger)
      : signed('verdict+jwt', { ...claims, ...said });
    const checks = this.entitlements.map((one) => ({ ...grant(one), hasAccess: valid }));
    const verdict = {
      valid,
      code,
      detail: `It is ${code}.`,
      checkedAt,
      nonce,
      activation,
      entitlements: checks,
      proof,
    };
    const { expiresAt, maintenanceExpiresAt, seats: maxActivations } = this;
    const license = { expiresAt, maintenanceExpiresAt, maxActivations, holder: { name: this.holderName } };
    // A guard reads only these fields of a license.
    return { ...verdict, license: isKnown ? { id: 'license-1', ...license } : null } as unknown as Verdict;
  }

  async activate(_key: string, device: Parameters<GuardClient['activate']>[1]): Promise<Activation> {
    this.#called('activate', device);
    const { fingerprint = '' } = device;
    if (!this.#isUsable()) throw refused(this.code, 422);
    const held = this.#active(fingerprint);
    if (held !== undefined) return held;
    const taken = this.holders.filter((holder) => this.#active(holder) !== undefined).length;
    if (taken >= this.seats) throw refused('ACTIVATION.LIMIT_REACHED', 422);
    const activation = this.#lease({ id: `seat-of-${fingerprint}`, fingerprint, createdAt: this.#timestamp() });
    this.#held.set(fingerprint, activation);
    return activation;
  }

  async heartbeat(_key: string, id: string): Promise<Activation> {
    this.#called('heartbeat');
    const held = this.holders.map((holder) => this.#active(holder)).find((one) => one?.id === id);
    if (held === undefined) throw refused('ACTIVATION.NOT_FOUND', 404);
    const renewed = this.#lease(held);
    this.#held.set(held.fingerprint, renewed);
    return renewed;
  }

  async listActivations(_key: string, page: Parameters<GuardClient['listActivations']>[1] = {}) {
    this.#called('listActivations', page);
    const { fingerprint } = page;
    const held = this.holders.flatMap((holder) => this.#active(holder) ?? []);
    const activations = held.map(({ id, createdAt, lastHeartbeatAt, fingerprint: owner }) => {
      return { id, createdAt, lastHeartbeatAt, name: null, platform: null, isThisDevice: owner === fingerprint };
    });
    return { activations, nextCursor: null };
  }

  async deactivate(_key: string, id: string): Promise<{ deleted: true; id: string }> {
    this.#called('deactivate');
    for (const [holder, one] of this.#held) if (one.id === id) this.#held.delete(holder);
    return { deleted: true, id };
  }

  async startTrial(trial: Parameters<NonNullable<GuardClient['startTrial']>>[0]): Promise<Trial | PendingTrial> {
    this.#called('startTrial', trial);
    const { fingerprint = '', email } = trial;
    if (this.requiresEmail)
      return { status: 'confirmation_required', email: email ?? '', expiresAt: this.#timestamp() };
    return await this.#trialOf(fingerprint ?? '');
  }

  async confirmTrial(code: string): Promise<Trial> {
    this.#called('confirmTrial');
    if (code !== 'CODE') throw refused('TRIAL.CODE_INVALID', 422);
    return await this.#trialOf('machine-1');
  }

  async latestRelease(question: Parameters<LicensingClient['latestRelease']>[0]): Promise<LatestRelease> {
    this.#called('latestRelease');
    const { licenseKey: key, currentVersion, channel = 'stable', platform, arch } = question;
    if (platform !== systemPlatform || arch !== process.arch) throw refused('CASE.SYSTEM_WRONG', 400);
    const version = channel === 'beta' ? '3.0.0-beta.1' : '2.0.0';
    const denial = this.#isUsable() ? null : this.code;
    const code = key === undefined ? 'LICENSE.KEY_REQUIRED' : denial;
    const releasedAt = this.#timestamp();
    const isOffered = code === null && currentVersion !== version;
    return {
      release: isOffered ? { id: 'release-1', version, channel, notes: '', releasedAt, artifacts: [] } : null,
      newest: { version, releasedAt, code, detail: code && `It is ${code}.` },
      newestPermitted: code === null ? { version } : null,
    };
  }

  async #trialOf(fingerprint: string): Promise<Trial> {
    const machine = { fingerprint, components: componentsOf(fingerprint) };
    const activation = await this.activate(trialKey, machine);
    return { status: 'started', licenseKey: trialKey, licenseStatus: 'active', expiresAt: null, activation };
  }

  async issueCertificate(key: string, terms: Parameters<GuardClient['issueCertificate']>[1] = {}) {
    this.#called('issueCertificate', terms);
    const { fingerprint } = terms;
    const held = fingerprint === undefined ? undefined : this.#active(fingerprint);
    if (!this.#isUsable()) throw refused(this.code, 422);
    if (this.requiresActivation && held === undefined) throw refused('ACTIVATION.NOT_FOUND', 422);
    const iat = Math.floor(this.#nowMs() / 1000);
    const leaseEnd = held?.leaseExpiresAt
      ? Math.floor(Date.parse(held.leaseExpiresAt) / 1000)
      : Number.MAX_SAFE_INTEGER;
    const exp = Math.min(iat + this.ttlSeconds, leaseEnd);
    const claims = { iss: issuer, aud: audience, sub: 'license-1', iat, nbf: iat, exp, jti: 'x', policy: 'yearly' };
    const entitlements = this.entitlements.map((code) => ({
      ...{ code, type: 'boolean', value: null, limit: null, expires_at: null },
    }));
    const said = { key_hint: `…${key.slice(-4)}`, product: 'editor', fingerprint: fingerprint ?? null, entitlements };
    const { expiresAt: license_expires_at, maintenanceExpiresAt: maintenance_expires_at, seats } = this;
    const facts = { license_expires_at, maintenance_expires_at, holder_name: this.holderName, seats };
    this.certificateEndMs = exp * 1000;
    return {
      certificate: signed('license+jwt', { ...claims, ...said, ...facts }),
      expiresAt: new Date(exp * 1000).toISOString(),
    };
  }

  /** The end of the last certificate. */
  certificateEndMs = 0;

  #called(name: string, { fingerprint, components }: Identity = {}): void {
    this.calls.push(name);
    const isRight = isDeepStrictEqual(components, fingerprint === undefined ? undefined : componentsOf(fingerprint));
    if (this.demandsComponents && !isRight) throw refused('CASE.COMPONENTS_WRONG', 400);
    if (this.failure !== null) throw refused(this.failure.code, this.failure.status);
    if (this.callsLeft === null) return;
    if (this.callsLeft === 0) throw new LicensingError({ code: 'NETWORK.UNREACHABLE', message: 'No network.' });
    this.callsLeft -= 1;
  }

  #isUsable(): boolean {
    return this.code === 'LICENSE.VALID' || this.code === 'LICENSE.IN_GRACE';
  }

  #timestamp(): string {
    return new Date(this.#nowMs()).toISOString();
  }

  #active(fingerprint: string): Activation | undefined {
    const held = this.#held.get(fingerprint);
    const end = held?.leaseExpiresAt;
    return end && Date.parse(end) <= this.#nowMs() ? undefined : held;
  }

  #lease(activation: Pick<Activation, 'id' | 'fingerprint' | 'createdAt'>): Activation {
    const leaseExpiresAt = this.leaseMs === null ? null : new Date(this.#nowMs() + this.leaseMs).toISOString();
    return { ...activation, lastHeartbeatAt: this.#timestamp(), leaseExpiresAt } as Activation;
  }
}

function grant(code: string) {
  const none = { value: null, limit: null, usage: null, remaining: null, overage: null, resetsAt: null };
  return { code, type: 'boolean', ...none, expiresAt: null, source: 'policy', reason: null } as const;
}

function refused(code: string, status: number): LicensingError {
  return new LicensingError({ code, message: `Refused: ${code}.`, status });
}

function signed(typ: string, claims: object, key = keyPair.privateKey): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'EdDSA', typ, kid: 'key-1' })}.${encode(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}
