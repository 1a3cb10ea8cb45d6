import type { Activation, Verdict } from '../api-types.ts';
import { LicensingError } from '../error.ts';
import { randomKey } from '../request.ts';
import type { Machine } from './machine.ts';
import type { GuardMemory, Seat } from './memory.ts';
import type { GuardClient, LicenseGuardOptions } from './options.ts';
import { provenAnswer } from './proof.ts';
import type { Reason } from './state.ts';

/** What a check needs. */
export interface Consultation {
  readonly client: GuardClient;
  readonly options: LicenseGuardOptions;
  readonly machine: Machine;
  readonly memory: GuardMemory;
  readonly signal: AbortSignal;
}

/** The answer of the service, proven if there are keys. */
export interface Answer {
  readonly verdict: Verdict;
  /** Why the application must not be used; null if it may. */
  readonly denial: Reason | null;
  /** Why this machine got no seat; null if it has or needs no seat. */
  readonly seatDenial: Reason | null;
  /** The id of the license; null if no license has the key. */
  readonly licenseId: string | null;
  /** The service's time of the answer, in milliseconds since 1970. */
  readonly serverMs: number | null;
  /** Whether taking a seat failed after the answer, so that the next check should come soon. */
  readonly isIncomplete: boolean;
}

/** Refusals of a verdict that a new activation can change. */
export const seatless: readonly string[] = ['ACTIVATION.NOT_FOUND', 'ACTIVATION.LEASE_EXPIRED'];

/**
 * Asks the service. Takes a seat if there is a fingerprint, again if the old one was freed, and renews its lease.
 * Rejects if there is no answer that can be trusted: that says nothing about the license.
 */
export async function consult(consultation: Consultation): Promise<Answer> {
  const { memory } = consultation;
  const { fingerprint } = consultation.machine;
  let seatDenial: Reason | null = null;
  let isIncomplete = false;
  let mayTakeSeat = fingerprint !== undefined;
  const ensureSeat = async () => {
    mayTakeSeat = false;
    seatDenial = await takeSeat(consultation);
  };
  // The store may be a copy from another machine, and the seat belongs to that machine.
  if (memory.seat !== null && memory.seat.fingerprint !== fingerprint) memory.seat = null;
  if (memory.seat !== null && memory.seat.leaseMs !== null) await renewLease(consultation);
  if (memory.seat === null && mayTakeSeat) await ensureSeat();
  let answer = await ask(consultation);
  if (mayTakeSeat && lacksSeat(answer.verdict)) {
    memory.seat = null;
    try {
      await ensureSeat();
      if (seatDenial === null) answer = await ask(consultation);
    } catch {
      // The service has answered already. A refusal counts until it answers again.
      isIncomplete = true;
    }
  }
  const { activation } = answer.verdict;
  if (activation && fingerprint !== undefined) memory.seat = seatOf(activation, fingerprint);
  return { ...answer, isIncomplete, seatDenial, denial: denialOf(answer.verdict, seatDenial) };
}

function lacksSeat({ valid, code, activation }: Verdict): boolean {
  return valid ? !activation : seatless.includes(code);
}

/** Without a seat, the reason that the service gave for that says more than the verdict. */
function denialOf({ valid, code, detail }: Verdict, seatDenial: Reason | null): Reason | null {
  if (valid) return null;
  return seatDenial !== null && seatless.includes(code) ? seatDenial : { code, detail };
}

async function ask({ client, options, machine, memory, signal }: Consultation) {
  const { licenseKey } = memory;
  const { product, entitlements, versionReleasedAt, appVersion, jwks } = options;
  const question = {
    ...(appVersion !== undefined && { appVersion }),
    ...(product !== undefined && { product }),
    ...machine,
    ...(entitlements !== undefined && entitlements.length > 0 && { entitlements: [...entitlements] }),
    ...(versionReleasedAt !== undefined && { versionReleasedAt: new Date(versionReleasedAt).toISOString() }),
  };
  if (jwks === undefined) {
    const verdict = await client.validate(licenseKey, question, { signal });
    return { verdict, licenseId: verdict.license?.id ?? null, serverMs: Date.parse(verdict.checkedAt) || null };
  }
  const nonce = randomKey();
  const verdict = await client.validate(licenseKey, { ...question, nonce, proof: true }, { signal });
  const proven = await provenAnswer(
    verdict,
    { ...options, licenseKey, jwks },
    { ...question, nonce },
    memory.answer.licenseId,
  );
  return { verdict, ...proven };
}

/** Takes a seat, or returns why the service refuses one. An abort does not end the call: the seat would be lost. */
async function takeSeat(consultation: Consultation): Promise<Reason | null> {
  const { client, options, machine, memory } = consultation;
  const { fingerprint = '' } = machine;
  const { licenseKey } = memory;
  const { deviceName: name, appVersion } = options;
  const device = { ...(name !== undefined && { name }), ...(appVersion !== undefined && { appVersion }) };
  try {
    const activation = await client.activate(licenseKey, { ...machine, fingerprint, ...device });
    memory.seat = seatOf(activation, fingerprint);
    // The seat existed already, and its lease may be about to end.
    const isOld = activation.lastHeartbeatAt !== activation.createdAt;
    if (isOld && memory.seat.leaseMs !== null) await renewLease(consultation);
    return null;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { code: error.code, detail: error.message };
  }
}

async function renewLease({ client, memory, signal }: Consultation): Promise<void> {
  if (memory.seat === null) return;
  const { id, fingerprint } = memory.seat;
  try {
    memory.seat = seatOf(await client.heartbeat(memory.licenseKey, id, { signal }), fingerprint);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    memory.seat = null;
  }
}

/** Frees the floating seat of this machine, and returns whether it had one that is free now. Never rejects. */
export async function freeSeat(client: GuardClient, memory: GuardMemory, fingerprint?: string): Promise<boolean> {
  const { seat, licenseKey } = memory;
  if (seat === null || seat.leaseMs === null || seat.fingerprint !== fingerprint) return false;
  try {
    await client.deactivate(licenseKey, seat.id);
  } catch {
    // The seat is free at the end of its lease. Until then, this machine may use it.
    return false;
  }
  memory.seat = null;
  memory.answer = { ...memory.answer, certificate: null };
  return true;
}

/** Returns the seat of an activation. Both times are the service's, so this machine's clock does not matter. */
export function seatOf({ id, leaseExpiresAt, lastHeartbeatAt }: Activation, fingerprint: string): Seat {
  const leaseMs = leaseExpiresAt === null ? Number.NaN : Date.parse(leaseExpiresAt) - Date.parse(lastHeartbeatAt);
  return { id, fingerprint, leaseMs: leaseMs > 0 ? leaseMs : null };
}

/** Whether the service refused because of the license or the seat, and not because of the caller or a failure. */
function isRefusal(error: unknown): error is LicensingError {
  return (
    error instanceof LicensingError && error.status !== undefined && /^(LICENSE|ACTIVATION|PLAN)\./.test(error.code)
  );
}
