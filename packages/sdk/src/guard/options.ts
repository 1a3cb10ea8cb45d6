import type { LicensingClient } from '../client.ts';
import { assertDuration, configurationError, given } from '../error.ts';
import { assertVerifiable, type Jwks } from '../jws.ts';
import type { Store } from '../stores/store.ts';
import type { Timers } from '../timers.ts';

/** The calls that a guard makes. */
export type GuardClient = Pick<
  LicensingClient,
  'validate' | 'activate' | 'heartbeat' | 'deactivate' | 'listActivations' | 'issueCertificate'
> &
  // Only `startTrial`, `confirmTrial` and `checkForUpdate` of the guard call these.
  Partial<Pick<LicensingClient, 'startTrial' | 'confirmTrial' | 'latestRelease'>>;

/** The options of a `LicenseGuard`. */
export interface LicenseGuardOptions {
  readonly client: GuardClient;
  /**
   * The user's license key. If it is empty, the guard uses the key of `startTrial` or `activate`, which it keeps in its
   * store; without one it is `unlicensed` with `LICENSE.KEY_MISSING`.
   */
  readonly licenseKey: string;
  /** Keeps the certificate between runs. Without a store, the application cannot start offline. */
  readonly store: Store;
  /** The code of the product. */
  readonly product?: string | undefined;
  /**
   * Identifies this machine, as `machineFingerprint()` of `@licensing/sdk/node` does. With it, the guard takes a seat
   * and binds the certificate to this machine. If the promise rejects, the guard is `unlicensed`.
   */
  readonly fingerprint?: string | Promise<string> | undefined;
  /**
   * The parts of this machine, as `machineComponents()` of `@licensing/sdk/node` returns them. They go with the
   * fingerprint, so that a policy can recognise the machine after a repair. If the promise rejects, they are left out.
   */
  readonly components?: Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> | undefined;
  /** The name of the device in the vendor's list of activations. */
  readonly deviceName?: string | undefined;
  /** The version of the application, which the vendor sees in the checks of the license. */
  readonly appVersion?: string | undefined;
  /** The entitlements without which the application must not be used. */
  readonly entitlements?: readonly string[] | undefined;
  /** When this version of the application was released, for licenses whose maintenance ends. It counts offline too. */
  readonly versionReleasedAt?: string | Date | undefined;
  /**
   * The public keys of the vendor, embedded in the application. With them, every answer must be signed, and the
   * certificate lets the application continue offline. Required, unless `unsigned` is true.
   */
  readonly jwks?: Jwks | undefined;
  /**
   * True instead of `jwks`: the guard has no keys. It believes whatever server answers, and works online only.
   */
  readonly unsigned?: boolean | undefined;
  /** The `PUBLIC_URL` of the service. Required with `jwks`. */
  readonly issuer?: string | undefined;
  /** The id of the vendor's tenant. Required with `jwks`. */
  readonly audience?: string | undefined;
  /** The language of `state.message`: `en`, `de` or `fr`, also as `de-AT`. Default, also for every other one: `en`. */
  readonly language?: string | undefined;
  /** The time between two checks, in milliseconds, ±10 %. Default: one hour. */
  readonly checkIntervalMs?: number | undefined;
  /** The time to the next check after a failed one. It doubles up to `checkIntervalMs`. Default: 30 seconds. */
  readonly retryIntervalMs?: number | undefined;
  /** By how much the clock may be set back before the certificate no longer counts. Default: five minutes. */
  readonly clockToleranceMs?: number | undefined;
  /** This machine's clock in milliseconds since 1970, for tests. */
  readonly now?: (() => number) | undefined;
  /** A clock in milliseconds that nobody can set, for tests. */
  readonly monotonicNow?: (() => number) | undefined;
  readonly timers?: Timers | undefined;
  /** Returns a number from 0 to 1 that spreads the checks of many machines, for tests. */
  readonly random?: (() => number) | undefined;
}

/** How a guard starts. */
export interface StartOptions {
  /** Whether to wait for the first check although the stored certificate allows the use. */
  readonly fresh?: boolean | undefined;
}

/** Throws `CONFIGURATION.INVALID` for a mistake of the programmer. What users can cause never throws. */
export function assertGuardOptions(options: LicenseGuardOptions): void {
  const use = 'new LicenseGuard({ client, licenseKey, product, fingerprint, store, jwks, issuer, audience })';
  const { client, licenseKey, store, versionReleasedAt = 0 } = given(options, use);
  if (typeof client?.validate !== 'function') throw configurationError('`client` must be a LicensingClient.');
  if (typeof licenseKey !== 'string') throw configurationError('`licenseKey` must be a string.');
  if (typeof store?.read !== 'function' || typeof store.write !== 'function') {
    throw configurationError('`store` must be a store, such as memoryStore() or fileStore(path).');
  }
  assertTrust(options);
  if (Number.isNaN(new Date(versionReleasedAt).getTime())) {
    throw configurationError('`versionReleasedAt` must be a date.');
  }
  for (const name of ['checkIntervalMs', 'retryIntervalMs', 'clockToleranceMs'] as const) {
    assertDuration(`\`${name}\``, options[name] ?? 1);
  }
}

/** A forgotten key would make the guard believe any server, so only an application that says so goes without one. */
function assertTrust({ jwks, issuer = '', audience = '', unsigned = false }: LicenseGuardOptions): void {
  if (jwks !== undefined && unsigned) throw configurationError('Pass either `jwks` or `unsigned: true`, not both.');
  if (jwks !== undefined) assertVerifiable({ jwks, issuer, audience });
  else if (unsigned !== true) {
    throw configurationError(
      'Pass `jwks`, `issuer` and `audience`, so that the guard verifies every answer. ' +
        'To believe any server that answers, pass `unsigned: true` instead.',
    );
  }
}
