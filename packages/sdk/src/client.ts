import type {
  Activation,
  Certificate,
  CreateActivation,
  EntitlementChecks,
  FindRelease,
  IssueCertificate,
  LatestRelease,
  LicensedDevices,
  ListLicensedDevices,
  PendingTrial,
  ReleaseDownload,
  StartTrial,
  Trial,
  UsageEvent,
  UsageReport,
  ValidateLicense,
  Verdict,
} from './api-types.ts';
import { configurationError, given, LicensingError } from './error.ts';
import type { Jwks } from './jws.ts';
import {
  type ApiRequest,
  type CallOptions,
  type Connection,
  type ConnectionOptions,
  type CreateOptions,
  connect,
  randomKey,
} from './request.ts';

/** The options of a `LicensingClient`. */
export interface LicensingClientOptions extends ConnectionOptions {
  /** An API key of the vendor, `vx_…`. It never appears in an error. */
  readonly apiKey: string;
}

/** The answer to a deactivation or a deletion. */
export interface Deleted {
  readonly deleted: true;
  readonly id: string;
}

/**
 * Asks the service about licenses, in a vendor's application. Each method throws only a `LicensingError`; a license that
 * may not be used is the return value of `validate`.
 */
export class LicensingClient {
  readonly #connection: Connection;

  /** Throws `CONFIGURATION.INVALID` for an option that cannot work. Sends nothing. */
  constructor(options: LicensingClientOptions) {
    const { apiKey } = given(options, 'new LicensingClient({ baseUrl, apiKey })');
    this.#connection = connect(options, { header: 'x-api-key', secret: checked('apiKey', apiKey, 'vx_') });
  }

  /**
   * Asks whether a license may be used. A negative verdict is returned: check `valid`. With `proof: true` and without a
   * `nonce`, the client makes one.
   */
  async validate(licenseKey: string, question: ValidateLicense = {}, call?: CallOptions): Promise<Verdict> {
    const nonce = question.proof ? (question.nonce ?? randomKey()) : question.nonce;
    const body = { ...question, ...(nonce !== undefined && { nonce }) };
    const verdict = await this.#post<Verdict>(licenseKey, 'validate', { body }, call);
    if (typeof verdict.valid !== 'boolean' || typeof verdict.code !== 'string') throw incomplete();
    // Otherwise an old verdict with its own nonce would pass when the caller verifies the nonce of the verdict.
    if (question.proof && verdict.nonce !== nonce) throw incomplete();
    return verdict;
  }

  /** Activates this device. Repeated calls return the same activation. */
  activate(licenseKey: string, device: CreateActivation, call: CreateOptions = {}): Promise<Activation> {
    const { idempotencyKey = randomKey() } = call;
    return this.#post(licenseKey, 'activations', { body: device, idempotencyKey }, call);
  }

  /** Renews the lease of an activation. Throws 404 when the seat was freed: activate again then. */
  async heartbeat(licenseKey: string, activationId: string, call?: CallOptions): Promise<Activation> {
    return this.#post(licenseKey, `activations/${segment(activationId)}/heartbeat`, {}, call);
  }

  /**
   * Lists the devices that hold a seat, newest first and with masked names: a page of 25, or of `limit` up to 100. With
   * this device's `fingerprint`, `isThisDevice` says which one it is.
   */
  listActivations(licenseKey: string, page: ListLicensedDevices = {}, call?: CallOptions): Promise<LicensedDevices> {
    return this.#post(licenseKey, 'activations/list', { body: page }, call);
  }

  /** Frees the seat of an activation: of this device, or of one that `listActivations` lists. */
  async deactivate(licenseKey: string, activationId: string, call?: CallOptions): Promise<Deleted> {
    return this.#post(licenseKey, `activations/${segment(activationId)}/deactivate`, {}, call);
  }

  /** Returns what the license grants of the given entitlements, by default of all. */
  checkEntitlements(
    licenseKey: string,
    entitlements?: readonly string[],
    call?: CallOptions,
  ): Promise<EntitlementChecks> {
    return this.#post(licenseKey, 'entitlements/check', { body: entitlements ? { entitlements } : {} }, call);
  }

  /**
   * Reports up to 1,000 uses of metered entitlements. The report has an idempotency key, so every attempt returns the
   * first result. Every event has one as well: an event that an earlier report counted has the status `duplicate`.
   */
  reportUsage(licenseKey: string, events: readonly UsageEvent[], call: CreateOptions = {}): Promise<UsageReport> {
    const { idempotencyKey = randomKey() } = call;
    const withKeys = events.map((event, index) => ({
      ...event,
      idempotencyKey: event.idempotencyKey ?? `${idempotencyKey}-${index}`,
    }));
    return this.#post(licenseKey, 'usage', { body: { events: withKeys }, idempotencyKey }, call);
  }

  /**
   * Starts the trial of a product on this device, or returns the one that it had. `status: confirmation_required`: the
   * user receives a code by mail, for `confirmTrial`. The API key needs the scope `trials:create`.
   */
  startTrial(trial: StartTrial, call?: CallOptions): Promise<Trial | PendingTrial> {
    return this.#send('trials', { body: trial }, call);
  }

  /** Confirms the address of a trial with the code from the mail. Repeated calls return the same trial. */
  confirmTrial(code: string, call?: CallOptions): Promise<Trial> {
    return this.#send('trials/confirm', { body: { code } }, call);
  }

  /** Issues a signed certificate, which `verifyCertificate` verifies without a network. */
  issueCertificate(licenseKey: string, terms: IssueCertificate = {}, call?: CallOptions): Promise<Certificate> {
    return this.#post(licenseKey, 'certificate', { body: terms }, call);
  }

  /**
   * Finds the newest release that a license permits and that is newer than `currentVersion`, and says why a newer one is
   * not offered. Without `licenseKey`, only the newest one is named. The API key needs the scope `releases:read`.
   */
  latestRelease(question: FindRelease, call?: CallOptions): Promise<LatestRelease> {
    return this.#send('releases/latest', { body: question }, call);
  }

  /** Returns the link to a file of a release, with its hash for `verifyArtifact`. Nothing is downloaded. */
  async downloadRelease(
    releaseId: string,
    artifactId: string,
    licenseKey: string,
    call?: CallOptions,
  ): Promise<ReleaseDownload> {
    const path = `releases/${segment(releaseId)}/artifacts/${segment(artifactId)}/download`;
    return this.#send(path, { body: { licenseKey } }, call);
  }

  /**
   * Returns the public keys of a vendor. Embed them in the application when it is built: keys that it loads at run time
   * are as trustworthy as the connection.
   */
  async jwks(tenantId: string, call?: CallOptions): Promise<Jwks> {
    const path = `/api/v1/tenants/${segment(tenantId)}/jwks.json`;
    const jwks = (await this.#connection.json({ method: 'GET', path }, call)) as Jwks;
    if (!Array.isArray(jwks.keys)) throw incomplete();
    return jwks;
  }

  async #post<Data extends object>(
    licenseKey: string,
    action: string,
    request: Pick<ApiRequest, 'body' | 'idempotencyKey'>,
    call?: CallOptions,
  ): Promise<Data> {
    return await this.#send(`licenses/${segment(licenseKey)}/${action}`, request, call);
  }

  async #send<Data extends object>(
    path: string,
    request: Pick<ApiRequest, 'body' | 'idempotencyKey'>,
    call?: CallOptions,
  ): Promise<Data> {
    const answer = await this.#connection.json(
      { ...request, method: 'POST', path: `/api/v1/integration/${path}` },
      call,
    );
    return dataOf(answer);
  }
}

/** Returns a credential unless it is of another kind. Throws `CONFIGURATION.INVALID`, without the credential. */
export function checked(option: string, secret: string, kind: 'vx_' | 'service_'): string {
  const [given] = /^(vx|service|whsec)_/.exec(secret ?? '') ?? [kind];
  if (given === kind && /^[!-~]+$/.test(secret ?? '')) return secret;
  const what = given !== kind ? `, not ${given}…` : secret ? '' : '. It is not set';
  throw configurationError(`${option} must be ${kind}…${what}.`);
}

/** Returns the `data` of a response. The API promises its fields. */
export function dataOf<Data extends object>(answer: unknown): Data {
  const { data } = answer as { readonly data?: Data };
  if (typeof data !== 'object' || data === null) throw incomplete();
  return data;
}

/** Returns the error of a successful response that lacks what the API promises. */
export function incomplete(): LicensingError {
  const message = 'The response is not one of the API: a field is missing. Check baseUrl and every proxy.';
  return new LicensingError({ code: 'RESPONSE.INVALID', message, status: 200 });
}

/**
 * Returns a license key or an id as one segment of a path. A text that no URL can carry, or that is longer than any key,
 * becomes `-`, which is not a key either, so that the service answers it like every unknown key. Throws
 * `CONFIGURATION.INVALID` for another type: a request for `undefined` would hide the mistake.
 */
export function segment(text: unknown): string {
  if (typeof text !== 'string') {
    throw configurationError(`A license key or id must be a string, not ${typeof text}.`);
  }
  return /^\.{0,2}$|[\ud800-\udfff]|.{129}/su.test(text) ? '-' : encodeURIComponent(text);
}
