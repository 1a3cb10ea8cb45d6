import type { EntitlementCheck, Verdict } from '../api-types.ts';
import type { CertificateVerdict, CertifiedEntitlement, CertifiedLicense } from '../certificate.ts';
import type { LicensingCode } from '../codes.ts';
import { messageFor } from '../messages.ts';

/** What a guard knows. The object never changes; a change makes a new one. */
export interface GuardState {
  /**
   * - `licensed`: the service said yes.
   * - `grace`: the service said yes with a warning (`LICENSE.IN_GRACE`, for example), or the seat was lost and the
   *   certificate still runs: the application may be used, and its user should act.
   * - `offline`: the service gave no answer, and the last certificate says yes until `until`.
   * - `unlicensed`: the application must not be used, for `reason`.
   */
  readonly status: 'licensed' | 'grace' | 'offline' | 'unlicensed';
  /** The code behind the status: of the verdict, of the failure, or one of the guard (`GUARD.…`, `CLOCK.SET_BACK`). */
  readonly reason: LicensingCode;
  /** What happened and what to do, for the developer. */
  readonly detail: string;
  /** What happened and what to do, for the user of the application, in the `language` of the guard. */
  readonly message: string;
  /** The last verdict of the service, or while `offline` the one of the certificate; null before the first. */
  readonly verdict: Verdict | CertificateVerdict | null;
  /** Until when the application may be used without the service; null if it may not, or has no certificate. */
  readonly until: Date | null;
  /** When the service last answered this process; null if it has not. */
  readonly checkedAt: Date | null;
  /** What the license grants; empty when `unlicensed`. With `jwks`, only what the service has signed. */
  readonly entitlements: readonly (CertifiedEntitlement | EntitlementCheck)[];
  /**
   * Whom the license is for and when it ends, to show to the user. With a certificate, what that says, also offline and
   * after its end; otherwise what the last verdict says; null before the first.
   */
  readonly license: LicenseFacts | null;
}

/** What a component or a page needs of a state. */
export type LicenseState = Omit<GuardState, 'verdict'>;

/** Returns whether the application may be used and the license grants an entitlement. */
export function isGranted({ status, until, entitlements }: LicenseState, entitlement: string, nowMs: number): boolean {
  // A machine that slept may reach this line before the timer of the guard.
  if (status === 'offline' && until !== null && nowMs >= until.getTime()) return false;
  const granted = entitlements.find(({ code }) => code === entitlement);
  return granted !== undefined && (granted.expiresAt === null || Date.parse(granted.expiresAt) > nowMs);
}

/** What an application can show of a license. */
export type LicenseFacts = Pick<CertifiedLicense, 'expiresAt' | 'maintenanceExpiresAt' | 'holder' | 'maxActivations'>;

/** Why something is not allowed or did not work. */
export interface Reason {
  readonly code: LicensingCode;
  readonly detail: string;
}

/** Everything that a state depends on. Plain data, so that the same input always gives the same state. */
export interface Findings {
  /** The last answer of the service to this process; null before the first. */
  readonly answer: { readonly verdict: Verdict; readonly receivedAtMs: number; readonly warning: Reason | null } | null;
  /** Why the last check got no answer; null if it got one. */
  readonly failure: Reason | null;
  /** The service's last refusal, which outlives the process. There is no certificate then. */
  readonly denial: Reason | null;
  /** The verified certificate, or null. */
  readonly certified: CertificateVerdict | null;
  readonly isSetBack: boolean;
  readonly nowMs: number;
  /** For how long an answer counts when there is no certificate. */
  readonly answerLifeMs: number;
  /** The entitlements that every positive answer proves, because the question demands them. */
  readonly demanded: readonly string[];
  /** Whether answers are signed, so that only what is signed counts. */
  readonly isSigned: boolean;
  /** The language of the text for the user. */
  readonly language: string | undefined;
}

/** The reason before `start()`. */
export const notStarted: Reason = { code: 'GUARD.NOT_STARTED', detail: 'The guard has not started. Call start().' };

const setBack: Reason = {
  code: 'CLOCK.SET_BACK',
  detail: 'The clock of this machine was set back. Correct it, or connect to the service.',
};

/** Returns the state that follows from the findings. */
export function judge(findings: Findings): GuardState {
  const state = judgeWithoutMessage(findings);
  return { ...state, message: messageFor(state.reason, findings.language) };
}

function judgeWithoutMessage(findings: Findings): Omit<GuardState, 'message'> {
  const { answer, failure, denial, isSetBack } = findings;
  const verdict = answer?.verdict ?? null;
  const checkedAt = answer && new Date(answer.receivedAtMs);
  const license = factsOf(findings);
  const refused = ({ code: reason, detail }: Reason) => {
    return {
      status: 'unlicensed' as const,
      reason,
      detail,
      verdict,
      until: null,
      checkedAt,
      entitlements: [],
      license,
    };
  };
  if (denial) return refused(denial);
  const certified = isSetBack ? null : validOnly(findings.certified);
  const until = untilOf(findings, certified);
  const entitlements = grantsOf(findings, certified);
  if (answer && !failure) {
    const { code: reason, detail } = answer.warning ?? answer.verdict;
    const status = reason === 'LICENSE.VALID' ? 'licensed' : 'grace';
    return { status, reason, detail, verdict, until, checkedAt, entitlements, license };
  }
  const { code: reason, detail } = failure ?? notStarted;
  if (until) {
    const heard = certified ?? verdict;
    return { status: 'offline', reason, detail, verdict: heard, until, checkedAt, entitlements, license };
  }
  if (isSetBack && findings.certified) return refused(setBack);
  return refused(findings.certified ?? { code: reason, detail });
}

/** Returns the known details of the license. Signed values take precedence. */
function factsOf({ certified, answer }: Findings): LicenseFacts | null {
  return certified?.license ?? answer?.verdict.license ?? null;
}

/** Returns the end of the certificate. Without one, an answer counts for a while: a network may fail for a moment. */
function untilOf(findings: Findings, certified: CertificateVerdict | null): Date | null {
  if (certified?.claims) return new Date(certified.claims.exp * 1000);
  const { answer, failure, isSetBack, nowMs, answerLifeMs } = findings;
  if (!answer || !failure || findings.certified || isSetBack) return null;
  const endMs = answer.receivedAtMs + answerLifeMs;
  return nowMs < endMs ? new Date(endMs) : null;
}

function validOnly(certified: CertificateVerdict | null): CertificateVerdict | null {
  return certified?.valid ? certified : null;
}

/**
 * Returns the granted entitlements. A proof covers the demanded entitlements only, so with `jwks` the others come from
 * the certificate. An answer can still withhold one, such as a metered entitlement at its limit.
 */
function grantsOf({ answer, failure, demanded, isSigned }: Findings, certified: CertificateVerdict | null) {
  const answered = answer?.verdict.entitlements ?? [];
  const signed = certified ? certified.entitlements : answered.filter(({ code }) => demanded.includes(code));
  const granted = isSigned ? signed : answered;
  const withheld = failure ? [] : answered.filter(({ hasAccess }) => !hasAccess).map(({ code }) => code);
  return granted.filter(({ code, hasAccess }) => hasAccess && !withheld.includes(code));
}

/** Returns whether listeners are notified of the new state. A later `until` or `checkedAt` alone does not count as a change. */
export function isChange(from: GuardState, to: GuardState): boolean {
  const essence = ({ status, reason, entitlements, license }: GuardState) => {
    const granted = entitlements.map(({ code, value, limit }) => [code, value, limit]);
    const { expiresAt, maintenanceExpiresAt, holder, maxActivations } = license ?? {};
    return JSON.stringify([status, reason, granted, expiresAt, maintenanceExpiresAt, holder?.name, maxActivations]);
  };
  return essence(from) !== essence(to);
}
