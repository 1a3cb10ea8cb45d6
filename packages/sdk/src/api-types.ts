/** An activation: one device that uses a license. */
export interface Activation {
  readonly id: string;
  readonly licenseId: string;
  readonly fingerprint: string;
  readonly name: string | null;
  readonly hostname: string | null;
  readonly platform: string | null;
  readonly ip: string | null;
  readonly status: 'active' | 'expired' | 'deactivated' | (string & {});
  readonly lastHeartbeatAt: string;
  readonly leaseExpiresAt: string | null;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: string;
}

/** The result for one entitlement. */
export interface EntitlementCheck {
  readonly code: string;
  readonly type: string | null;
  readonly hasAccess: boolean;
  readonly value: string | number | boolean | null;
  readonly limit: number | null;
  readonly usage: number | null;
  readonly remaining: number | null;
  readonly overage: string | null;
  readonly resetsAt: string | null;
  readonly expiresAt: string | null;
  readonly source: string | null;
  readonly reason: string | null;
}

/** A license as a verdict presents it. */
export interface License {
  readonly id: string;
  readonly productId: string;
  readonly policyId: string;
  readonly key: string;
  readonly status: 'pending' | 'active' | 'suspended' | 'revoked' | 'expired' | (string & {});
  readonly holder: { readonly name: string | null; readonly email: string | null; readonly reference: string | null };
  readonly startsAt: string;
  readonly expiresAt: string | null;
  readonly maintenanceExpiresAt: string | null;
  readonly maxActivations: number | null;
  readonly entitlements: readonly { readonly code: string }[];
  readonly activationsCount: number;
  readonly deactivationsCount: number;
  readonly lastValidatedAt: string | null;
  readonly metadata: Record<string, unknown>;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The answer to the question whether a license may be used. */
export interface Verdict {
  readonly valid: boolean;
  readonly code: string;
  readonly detail: string;
  readonly checkedAt: string;
  readonly nonce: string | null;
  readonly license: License | null;
  readonly activation: Activation | null;
  readonly entitlements: EntitlementCheck[];
  readonly proof?: string;
}

/** The conditions of a validation. */
export interface ValidateLicense {
  product?: string;
  fingerprint?: string;
  entitlements?: string[];
  versionReleasedAt?: string;
  nonce?: string;
  proof?: boolean;
}

/** A device to activate. */
export interface CreateActivation {
  fingerprint: string;
  name?: string | null;
  hostname?: string | null;
  platform?: string | null;
  metadata?: Record<string, unknown> | null;
}

/** One use of a metered entitlement. */
export interface UsageEvent {
  entitlement: string;
  quantity: number;
  idempotencyKey?: string;
  occurredAt?: string;
}

/** What became of reported events. */
export interface UsageReport {
  readonly results: { readonly index: number; readonly status: string; readonly reason: string | null }[];
  readonly counters: {
    readonly code: string;
    readonly usage: number;
    readonly limit: number | null;
    readonly remaining: number | null;
    readonly resetsAt: string | null;
  }[];
}

/** The terms of an offline certificate. */
export interface IssueCertificate {
  fingerprint?: string;
  ttlSeconds?: number;
}

/** An offline certificate. */
export interface Certificate {
  readonly certificate: string;
  readonly expiresAt: string;
}
