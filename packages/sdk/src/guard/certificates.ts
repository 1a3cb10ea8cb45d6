import { type CertificateVerdict, verifyCertificate } from '../certificate.ts';
import { LicensingError } from '../error.ts';
import { assertFileOf, readCertificateFile } from '../offline-files.ts';
import type { GuardClock } from './clock.ts';
import type { Answer } from './consult.ts';
import type { Machine } from './machine.ts';
import { assertLater, type GuardMemory } from './memory.ts';
import type { LicenseGuardOptions } from './options.ts';
import type { Reason } from './state.ts';

/** Fetches and verifies the certificates of a guard. */
export class GuardCertificates {
  readonly #options: LicenseGuardOptions;
  readonly #clock: GuardClock;
  readonly #memory: GuardMemory;
  readonly #machine: () => Promise<Machine>;

  constructor(options: LicenseGuardOptions, clock: GuardClock, memory: GuardMemory, machine: () => Promise<Machine>) {
    this.#options = options;
    this.#clock = clock;
    this.#memory = memory;
    this.#machine = machine;
  }

  /** Fetches a certificate, if there are keys to verify it. False: that failed, and the last one stays. */
  async renew(signal: AbortSignal): Promise<boolean> {
    const { client, jwks } = this.#options;
    if (jwks === undefined) return true;
    const machine = await this.#machine();
    try {
      const { certificate } = await client.issueCertificate(this.#memory.licenseKey, machine, { signal });
      const { valid, claims } = await this.#verifyNew(certificate);
      if (valid && claims?.sub === this.#memory.answer.licenseId) {
        this.#memory.answer = { ...this.#memory.answer, certificate };
        return true;
      }
    } catch {
      // The service said yes a moment ago; the next check shows what changed.
    }
    return false;
  }

  /** Verifies the kept certificate; null without one, or without keys. */
  async verifyKept(): Promise<CertificateVerdict | null> {
    const { certificate } = this.#memory.answer;
    return certificate === null || this.#options.jwks === undefined ? null : await this.#verify(certificate);
  }

  /** Keeps the certificate of a file. Rejects with a `LicensingError`, see `LicenseGuard.importCertificate`. */
  async importFile(file: string): Promise<void> {
    const read = readCertificateFile(file);
    await this.#memory.load();
    assertFileOf(read, this.#memory.licenseKey);
    const { valid, code, detail: message, claims } = await this.#verifyNew(read.certificate);
    if (!valid || claims === null) throw new LicensingError({ code, message });
    assertLater(claims.iat * 1000, this.#memory.answer);
    this.#memory.answer = { certificate: read.certificate, denial: null, deniedAtMs: null, licenseId: claims.sub };
    await this.#memory.save();
  }

  /** The time of an answer is old by its way here, so a certificate may be of the next second: it is a newer time. */
  async #verifyNew(certificate: string): Promise<CertificateVerdict> {
    const { claims, ...verdict } = await this.#verify(certificate);
    if (claims === null || verdict.code !== 'CERTIFICATE.NOT_YET_VALID') return { ...verdict, claims };
    this.#clock.synchronize(claims.nbf * 1000);
    return await this.#verify(certificate);
  }

  async #verify(certificate: string): Promise<CertificateVerdict> {
    const { jwks = { keys: [] }, issuer = '', audience = '', product, versionReleasedAt } = this.#options;
    const now = new Date(this.#clock.read().nowMs);
    const { fingerprint } = await this.#machine();
    const expected = { jwks, issuer, audience, product, fingerprint, versionReleasedAt };
    return await verifyCertificate(certificate, { ...expected, now, clockToleranceSeconds: 0 });
  }
}

/** A lost seat ends the right to use the application with the certificate, and at once without one. */
export async function decide(
  { verdict, denial, seatDenial }: Answer,
  certificates: GuardCertificates,
): Promise<{ denial: Reason | null; warning: Reason | null }> {
  if (denial !== null || !verdict.valid || seatDenial?.code !== 'ACTIVATION.LIMIT_REACHED') {
    return { denial, warning: null };
  }
  const certified = await certificates.verifyKept();
  return certified?.valid ? { denial: null, warning: seatDenial } : { denial: seatDenial, warning: null };
}
