// Generated from openapi.json by scripts/generate-types.ts. Do not edit.

/** The answer to the question whether a license may be used. */
export interface Verdict {
  readonly valid: boolean;
  /** The reason for the verdict. `LICENSE.VALID`: valid without restrictions. */
  readonly code: string;
  readonly detail: string;
  /** UTC with microseconds. */
  readonly checkedAt: string;
  readonly nonce: string | null;
  readonly license: License | null;
  readonly activation: Activation | null;
  readonly entitlements: EntitlementCheck[];
  /**
   * The signed verdict, if the request asked for it: a compact JWS (EdDSA) of type `verdict+jwt`. Verify it with the
   * JWK Set of the tenant, and compare its claims with the question, first of all the `nonce`.
   */
  readonly proof?: string;
}

/** What a license grants of one entitlement. */
export interface EntitlementCheck {
  readonly code: string;
  /** `boolean`, `value` or `metered`; null when neither policy nor license lists it. */
  readonly type: string | null;
  readonly hasAccess: boolean;
  readonly value: string | number | boolean | null;
  /** Null: unlimited. */
  readonly limit: number | null;
  /** The quantity used in the current period. Null unless the entitlement is metered and granted. */
  readonly usage: number | null;
  /** The quantity left in the current period. Null unless the entitlement is metered, granted and limited. */
  readonly remaining: number | null;
  /** `deny` or `allow`. Null unless the entitlement is metered and granted. */
  readonly overage: string | null;
  /** UTC with microseconds. */
  readonly resetsAt: string | null;
  /** UTC with microseconds. */
  readonly expiresAt: string | null;
  /** The origin of the grant: `license` or `policy`. */
  readonly source: string | null;
  /**
   * Null with access. Without access `ENTITLEMENT.NOT_GRANTED`, `ENTITLEMENT.EXPIRED`, `ENTITLEMENT.LIMIT_REACHED`, or
   * the code of the verdict on the license.
   */
  readonly reason: string | null;
}

/** The conditions of a validation. */
export interface ValidateLicense {
  /** The id or the code of the product that the license must belong to. */
  product?: string | undefined;
  fingerprint?: string | undefined;
  entitlements?: readonly string[] | undefined;
  versionReleasedAt?: string | Date | undefined;
  /** The response contains it unchanged. With `proof` it is required and has 16 to 128 characters. */
  nonce?: string | undefined;
  /** Whether the verdict shall be signed. */
  proof?: boolean | undefined;
}

/** A device to activate. */
export interface CreateActivation {
  fingerprint: string;
  name?: string | null | undefined;
  hostname?: string | null | undefined;
  platform?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** One use of a metered entitlement. */
export interface UsageEvent {
  entitlement: string;
  quantity: number;
  /** Of several events of a license with the same key, only the first accepted one is counted. */
  idempotencyKey?: string | undefined;
  occurredAt?: string | Date | undefined;
}

/** What became of the reported events. */
export interface UsageReport {
  readonly results: {
    /** The index of the event in the request, from 0. */
    readonly index: number;
    /** `accepted`, `duplicate` or `refused`. */
    readonly status: string;
    /**
     * For a refused event one of `USAGE.OUT_OF_WINDOW`, `USAGE.TOTAL_TOO_LARGE`, `ENTITLEMENT.NOT_GRANTED`,
     * `ENTITLEMENT.EXPIRED`, `ENTITLEMENT.NOT_METERED`, `ENTITLEMENT.LIMIT_REACHED`, `LICENSE.REVOKED`,
     * `LICENSE.SUSPENDED`, `LICENSE.NOT_STARTED`, `LICENSE.EXPIRED`; otherwise null.
     */
    readonly reason: string | null;
  }[];
  /** The counters of the metered entitlements that the events name, in the current periods. */
  readonly counters: {
    readonly code: string;
    readonly usage: number;
    readonly limit: number | null;
    /** Null without a limit. */
    readonly remaining: number | null;
    /** UTC with microseconds. */
    readonly resetsAt: string | null;
  }[];
}

/** The terms of an offline certificate. */
export interface IssueCertificate {
  fingerprint?: string | undefined;
  /** Seconds of validity, at most the policy's `offline_ttl_seconds_max`. That is also the default. */
  ttlSeconds?: number | undefined;
}

/** An offline certificate. */
export interface Certificate {
  /** A compact JWS (EdDSA) of type `license+jwt`. */
  readonly certificate: string;
  /** UTC with microseconds. */
  readonly expiresAt: string;
}

/** What a vendor sells. */
export interface Product {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly platforms: string[];
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A new product. */
export interface CreateProduct {
  /**
   * Unique within the tenant. Lower-case letters, digits and hyphens. Integration requests can identify the product by
   * its code.
   */
  code: string;
  name: string;
  description?: string | null | undefined;
  platforms?: readonly string[] | undefined;
  /** Custom data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  metadata?: Record<string, unknown> | undefined;
}

/** The changes of a product: absent stays, null clears. */
export interface UpdateProduct {
  /**
   * Unique within the tenant. Lower-case letters, digits and hyphens. Integration requests can identify the product by
   * its code.
   */
  code?: string | undefined;
  name?: string | undefined;
  description?: string | null | undefined;
  platforms?: readonly string[] | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** The filters and the page size of a list. */
export interface ProductFilters {
  /** Rows per page. */
  limit?: number | undefined;
  /**
   * Unique within the tenant. Lower-case letters, digits and hyphens. Integration requests can identify the product by
   * its code.
   */
  code?: string | undefined;
  /** Words. Each must be a prefix of a word of the name or the code. Case is ignored. */
  q?: string | undefined;
}

/** The template of licenses of one product. */
export interface Policy {
  readonly id: string;
  readonly productId: string;
  readonly code: string;
  readonly name: string;
  readonly durationDays: number | null;
  readonly expiryBasis: 'creation' | 'first_validation' | 'first_activation' | (string & {});
  readonly expiryStrategy: 'deny' | 'allow' | (string & {});
  readonly graceDays: number;
  readonly renewalBasis: 'from_expiry' | 'from_now' | (string & {});
  readonly maintenanceDays: number | null;
  readonly maxActivations: number | null;
  readonly activationOveragePercent: number | null;
  readonly requireActivation: boolean;
  readonly leaseSeconds: number | null;
  readonly maxDeactivations: number | null;
  readonly offlineTtlSecondsMax: number;
  readonly keyPrefix: string | null;
  readonly entitlements: {
    readonly code: string;
    /** `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    readonly value?: string | number | boolean | null;
    readonly limit?: number | null;
    readonly reset?: 'none' | 'day' | 'week' | 'month' | 'year' | (string & {});
    readonly overage?: 'deny' | 'allow' | (string & {});
  }[];
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A new policy. */
export interface CreatePolicy {
  productId: string;
  /** Unique within the product. */
  code: string;
  name: string;
  durationDays?: number | null | undefined;
  expiryBasis?: 'creation' | 'first_validation' | 'first_activation' | undefined;
  expiryStrategy?: 'deny' | 'allow' | undefined;
  /** Days after `expires_at` during which the verdict stays valid. */
  graceDays?: number | undefined;
  renewalBasis?: 'from_expiry' | 'from_now' | undefined;
  maintenanceDays?: number | null | undefined;
  maxActivations?: number | null | undefined;
  activationOveragePercent?: number | null | undefined;
  requireActivation?: boolean | undefined;
  leaseSeconds?: number | null | undefined;
  maxDeactivations?: number | null | undefined;
  offlineTtlSecondsMax?: number | undefined;
  keyPrefix?: string | null | undefined;
  entitlements?: readonly {
    code: string;
    /** `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    value?: string | number | boolean | null | undefined;
    limit?: number | null | undefined;
    reset?: 'none' | 'day' | 'week' | 'month' | 'year' | undefined;
    overage?: 'deny' | 'allow' | undefined;
  }[] | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** The changes of a policy: absent stays, null clears. */
export interface UpdatePolicy {
  /** Unique within the product. */
  code?: string | undefined;
  name?: string | undefined;
  durationDays?: number | null | undefined;
  expiryBasis?: 'creation' | 'first_validation' | 'first_activation' | undefined;
  expiryStrategy?: 'deny' | 'allow' | undefined;
  /** Days after `expires_at` during which the verdict stays valid. */
  graceDays?: number | undefined;
  renewalBasis?: 'from_expiry' | 'from_now' | undefined;
  maintenanceDays?: number | null | undefined;
  maxActivations?: number | null | undefined;
  activationOveragePercent?: number | null | undefined;
  requireActivation?: boolean | undefined;
  leaseSeconds?: number | null | undefined;
  maxDeactivations?: number | null | undefined;
  offlineTtlSecondsMax?: number | undefined;
  keyPrefix?: string | null | undefined;
  entitlements?: readonly {
    code: string;
    /** `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    value?: string | number | boolean | null | undefined;
    limit?: number | null | undefined;
    reset?: 'none' | 'day' | 'week' | 'month' | 'year' | undefined;
    overage?: 'deny' | 'allow' | undefined;
  }[] | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** The filters and the page size of a list. */
export interface PolicyFilters {
  /** Rows per page. */
  limit?: number | undefined;
  productId?: string | undefined;
  /** The complete code. Policies of several products can have the same code. */
  code?: string | undefined;
  /** Words. Each must be a prefix of a word of the name or the code. Case is ignored. */
  q?: string | undefined;
}

/** A license. In a verdict, `maxActivations` is the effective limit. */
export interface License {
  readonly id: string;
  readonly productId: string;
  readonly policyId: string;
  readonly key: string;
  readonly status: 'pending' | 'active' | 'suspended' | 'revoked' | 'expired' | (string & {});
  readonly holder: {
    readonly name: string | null;
    readonly email: string | null;
    readonly reference: string | null;
  };
  /** UTC with microseconds. */
  readonly startsAt: string;
  /** UTC with microseconds. */
  readonly expiresAt: string | null;
  /** UTC with microseconds. */
  readonly maintenanceExpiresAt: string | null;
  readonly maxActivations: number | null;
  readonly entitlements: {
    readonly code: string;
    /** `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    readonly value?: string | number | boolean | null;
    readonly limit?: number | null;
    readonly reset?: 'none' | 'day' | 'week' | 'month' | 'year' | (string & {});
    readonly overage?: 'deny' | 'allow' | (string & {});
    /** UTC with microseconds. */
    readonly expiresAt?: string | null;
  }[];
  /** The number of activations that are active now. */
  readonly activationsCount: number;
  /** The number of self-service deactivations. */
  readonly deactivationsCount: number;
  /** UTC with microseconds. */
  readonly lastValidatedAt: string | null;
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A new license. */
export interface CreateLicense {
  policyId: string;
  productId?: string | undefined;
  /**
   * A key of your own: letters, digits, and other characters that need no encoding in a URL path. The first character
   * must be a letter or a digit. Default: a generated key.
   */
  key?: string | undefined;
  holder?: {
    name?: string | null | undefined;
    email?: string | null | undefined;
    reference?: string | null | undefined;
  } | null | undefined;
  startsAt?: string | Date | undefined;
  expiresAt?: string | Date | null | undefined;
  maintenanceExpiresAt?: string | Date | null | undefined;
  maxActivations?: number | null | undefined;
  entitlements?: readonly {
    code: string;
    /** `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    value?: string | number | boolean | null | undefined;
    limit?: number | null | undefined;
    reset?: 'none' | 'day' | 'week' | 'month' | 'year' | undefined;
    overage?: 'deny' | 'allow' | undefined;
    expiresAt?: string | Date | null | undefined;
  }[] | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** The changes of a license: absent stays, null clears. */
export interface UpdateLicense {
  policyId?: string | undefined;
  holder?: {
    name?: string | null | undefined;
    email?: string | null | undefined;
    reference?: string | null | undefined;
  } | null | undefined;
  startsAt?: string | Date | undefined;
  expiresAt?: string | Date | null | undefined;
  maintenanceExpiresAt?: string | Date | null | undefined;
  maxActivations?: number | null | undefined;
  entitlements?: readonly {
    code: string;
    /** `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    value?: string | number | boolean | null | undefined;
    limit?: number | null | undefined;
    reset?: 'none' | 'day' | 'week' | 'month' | 'year' | undefined;
    overage?: 'deny' | 'allow' | undefined;
    expiresAt?: string | Date | null | undefined;
  }[] | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

/** The filters and the page size of a list. */
export interface LicenseFilters {
  /** Rows per page. */
  limit?: number | undefined;
  status?: 'pending' | 'active' | 'suspended' | 'revoked' | 'expired' | undefined;
  productId?: string | undefined;
  policyId?: string | undefined;
  /** The complete key. */
  key?: string | undefined;
  /** The complete address, in the stored spelling. */
  holderEmail?: string | undefined;
  /** The complete reference, in the stored spelling. */
  holderReference?: string | undefined;
  /** Return only licenses that expire before this time. */
  expiresBefore?: string | Date | undefined;
  /** Return only licenses that expire at this time or later. */
  expiresAfter?: string | Date | undefined;
  /** The metadata contain this key at the top level. */
  metadataKey?: string | undefined;
  /**
   * The value of `metadata_key`, which is then required. Strings are written as they are, other values as JSON (`true`,
   * `5`).
   */
  metadataValue?: string | undefined;
  /**
   * Words. Each must be a prefix of the key, or of a word of the holder's name, e-mail address or reference. Case and
   * accents are ignored.
   */
  q?: string | undefined;
}

/** What became of the rows of an import. */
export interface ImportResult {
  /** The number of created licenses. */
  readonly created: number;
  /** The number of refused rows. */
  readonly failed: number;
  readonly errors: {
    /** The number of the row, from 1. The header is not counted. */
    readonly row: number;
    readonly field: string;
    readonly message: string;
  }[];
}

/** One device that uses a license. */
export interface Activation {
  readonly id: string;
  readonly licenseId: string;
  readonly fingerprint: string;
  readonly name: string | null;
  readonly hostname: string | null;
  readonly platform: string | null;
  readonly ip: string | null;
  readonly status: 'active' | 'expired' | 'deactivated' | (string & {});
  /** UTC with microseconds. */
  readonly lastHeartbeatAt: string;
  /** UTC with microseconds. */
  readonly leaseExpiresAt: string | null;
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
}

/** The filters and the page size of a list. */
export interface ActivationFilters {
  /** Rows per page. */
  limit?: number | undefined;
  licenseId?: string | undefined;
  status?: 'active' | 'expired' | 'deactivated' | undefined;
  /** The complete fingerprint. Several licenses can have the same one. */
  fingerprint?: string | undefined;
}

/** A feature or a quota that licenses can grant. */
export interface Entitlement {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /**
   * `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
   * changed.
   */
  readonly type: 'boolean' | 'value' | 'metered' | (string & {});
  readonly description: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A new entitlement. */
export interface CreateEntitlement {
  code: string;
  name: string;
  /**
   * `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
   * changed.
   */
  type: 'boolean' | 'value' | 'metered';
  description?: string | null | undefined;
}

/** The changes of an entitlement. */
export interface UpdateEntitlement {
  name?: string | undefined;
  description?: string | null | undefined;
}

/** The filters and the page size of a list. */
export interface EntitlementFilters {
  /** Rows per page. */
  limit?: number | undefined;
  code?: string | undefined;
  /**
   * `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
   * changed.
   */
  type?: 'boolean' | 'value' | 'metered' | undefined;
}

/** The use of one entitlement by one license in one interval. */
export interface UsageBucket {
  /** UTC with microseconds. */
  readonly bucketStart: string;
  readonly licenseId: string;
  readonly entitlement: string;
  readonly quantity: number;
}

/** The filters and the page size of a list. */
export interface UsageFilters {
  /** Rows per page. */
  limit?: number | undefined;
  licenseId?: string | undefined;
  entitlement?: string | undefined;
  from?: string | Date | undefined;
  to?: string | Date | undefined;
  /** Buckets begin in the tenant's timezone; weeks on Monday. */
  interval?: 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
}

/** A key of an application, without its secret. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'revoked' | 'expired' | (string & {});
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** The masked key, such as `vx_3f9a…c2d1`, by which people recognise it. */
  readonly hint: string;
  /** UTC with microseconds. */
  readonly expiresAt: string | null;
  /** UTC with microseconds. */
  readonly lastUsedAt: string | null;
  readonly scopes:
    | ('licenses:validate'
    | 'activations:write'
    | 'entitlements:check'
    | 'usage:write'
    | (string & {}))[];
  readonly allowedCidrs: string[];
  readonly rateLimitPerMinute: number | null;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  readonly rateLimitPerAddressPerMinute: number | null;
  readonly createdBy: {
    readonly type: string;
    readonly id: string | null;
  } | null;
}

/** A new API key, with its secret. */
export interface CreatedApiKey {
  readonly id: string;
  readonly name: string;
  /** The key. Only this response contains it; null in a replayed response of an idempotent request. */
  readonly key: string | null;
  readonly status: 'active';
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** The masked key, such as `vx_3f9a…c2d1`, by which people recognise it. */
  readonly hint: string;
  /** UTC with microseconds. */
  readonly expiresAt: string | null;
  /** UTC with microseconds. */
  readonly lastUsedAt: string | null;
  readonly scopes:
    | ('licenses:validate'
    | 'activations:write'
    | 'entitlements:check'
    | 'usage:write'
    | (string & {}))[];
  readonly allowedCidrs: string[];
  readonly rateLimitPerMinute: number | null;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  readonly rateLimitPerAddressPerMinute: number | null;
  readonly createdBy: {
    readonly type: string;
    readonly id: string | null;
  } | null;
}

/** A new API key. */
export interface CreateApiKey {
  name: string;
  expiresAt?: string | Date | null | undefined;
  scopes?: readonly ('licenses:validate' | 'activations:write' | 'entitlements:check' | 'usage:write')[] | undefined;
  allowedCidrs?: readonly string[] | undefined;
  rateLimitPerMinute?: number | null | undefined;
  rateLimitPerAddressPerMinute?: number | null | undefined;
}

/** The filters and the page size of a list. */
export interface ApiKeyFilters {
  /** Rows per page. */
  limit?: number | undefined;
  status?: 'active' | 'revoked' | 'expired' | undefined;
}

/** The settings of the tenant. */
export interface Settings {
  readonly name: string;
  readonly timezone: string;
  readonly supportEmail: string | null;
  readonly licenseKeyPrefix: string | null;
  readonly expiringSoonDays: number;
  readonly notificationEmails: string[];
  readonly webhookEventDefaults: string[];
  readonly retentionDays: {
    readonly audit: number;
    readonly usage: number;
    readonly deliveries: number;
  };
}

/** The changes of the settings: absent stays, null clears. */
export interface UpdateSettings {
  name?: string | undefined;
  timezone?: string | null | undefined;
  supportEmail?: string | null | undefined;
  licenseKeyPrefix?: string | null | undefined;
  expiringSoonDays?: number | null | undefined;
  notificationEmails?: readonly string[] | null | undefined;
  webhookEventDefaults?:
    | readonly ('*'
    | 'license.created'
    | 'license.updated'
    | 'license.suspended'
    | 'license.reinstated'
    | 'license.revoked'
    | 'license.renewed'
    | 'license.expiring'
    | 'license.expired'
    | 'license.deleted'
    | 'activation.created'
    | 'activation.deactivated'
    | 'activation.expired'
    | 'entitlement.limit_reached'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test')[]
    | null
    | undefined;
  retentionDays?: {
    audit?: number | null | undefined;
    usage?: number | null | undefined;
    deliveries?: number | null | undefined;
  } | null | undefined;
}

/** An address that receives events. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: string[];
  readonly status: 'enabled' | 'disabled' | (string & {});
  /**
   * `requested`: a caller disabled it. `gone`: it responded with 410. `failing`: at least ten deliveries in a row
   * failed over a day or more. `null`: it is enabled.
   */
  readonly disabledReason: 'requested' | 'gone' | 'failing' | (string & {}) | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A webhook endpoint with its signing secret. */
export interface WebhookEndpointWithSecret {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly events: string[];
  readonly status: 'enabled' | 'disabled' | (string & {});
  /**
   * `requested`: a caller disabled it. `gone`: it responded with 410. `failing`: at least ten deliveries in a row
   * failed over a day or more. `null`: it is enabled.
   */
  readonly disabledReason: 'requested' | 'gone' | 'failing' | (string & {}) | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
  /** Signs deliveries (Standard Webhooks): `whsec_` followed by base64. Only this response contains it. */
  readonly secret: string | null;
}

/** A new webhook endpoint. */
export interface CreateWebhook {
  /** The URL that receives events: https, a public address, without credentials and without a fragment. */
  url: string;
  description?: string | null | undefined;
  events?:
    | readonly ('*'
    | 'license.created'
    | 'license.updated'
    | 'license.suspended'
    | 'license.reinstated'
    | 'license.revoked'
    | 'license.renewed'
    | 'license.expiring'
    | 'license.expired'
    | 'license.deleted'
    | 'activation.created'
    | 'activation.deactivated'
    | 'activation.expired'
    | 'entitlement.limit_reached'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test')[]
    | null
    | undefined;
}

/** The changes of a webhook endpoint. */
export interface UpdateWebhook {
  /** The URL that receives events: https, a public address, without credentials and without a fragment. */
  url?: string | undefined;
  description?: string | null | undefined;
  events?:
    | readonly ('*'
    | 'license.created'
    | 'license.updated'
    | 'license.suspended'
    | 'license.reinstated'
    | 'license.revoked'
    | 'license.renewed'
    | 'license.expiring'
    | 'license.expired'
    | 'license.deleted'
    | 'activation.created'
    | 'activation.deactivated'
    | 'activation.expired'
    | 'entitlement.limit_reached'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test')[]
    | null
    | undefined;
  status?: 'enabled' | 'disabled' | undefined;
}

/** The time whose failed events are sent again. */
export interface RecoverEvents {
  since: string | Date;
  until?: string | Date | null | undefined;
  /** Counts the events without sending them. */
  dryRun?: boolean | undefined;
}

/** The filters and the page size of a list. */
export interface WebhookFilters {
  /** Rows per page. */
  limit?: number | undefined;
  status?: 'enabled' | 'disabled' | undefined;
}

/** One event for one endpoint, with its attempts. */
export interface WebhookDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: 'pending' | 'succeeded' | 'failed' | (string & {});
  /** Why no further attempt follows; `null` unless the delivery failed. */
  readonly failureReason: 'attempts_exhausted' | 'endpoint_disabled' | 'endpoint_deleted' | (string & {}) | null;
  /** UTC with microseconds. */
  readonly nextAttemptAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** The last 100 attempts, oldest first. */
  readonly attempts: {
    /** UTC with microseconds. */
    readonly at: string;
    readonly trigger: 'schedule' | 'manual' | (string & {});
    readonly responseStatus: number | null;
    readonly durationMs: number;
    /** Why the attempt failed, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`. */
    readonly error: string | null;
    /** The first 16 KiB of the response. */
    readonly responseBody: string | null;
  }[];
}

/** The filters and the page size of a list. */
export interface WebhookDeliveryFilters {
  /** Rows per page. */
  limit?: number | undefined;
  webhookId?: string | undefined;
  status?: 'pending' | 'succeeded' | 'failed' | undefined;
  eventType?:
    | 'license.created'
    | 'license.updated'
    | 'license.suspended'
    | 'license.reinstated'
    | 'license.revoked'
    | 'license.renewed'
    | 'license.expiring'
    | 'license.expired'
    | 'license.deleted'
    | 'activation.created'
    | 'activation.deactivated'
    | 'activation.expired'
    | 'entitlement.limit_reached'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'webhook.disabled'
    | 'webhook.test'
    | undefined;
}

/** A notice to the people of the tenant. */
export interface Notification {
  readonly id: string;
  readonly type: string;
  readonly severity: 'info' | 'warning' | 'critical' | (string & {});
  readonly title: string;
  readonly body: string;
  /** UTC with microseconds. */
  readonly readAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
}

/** A new notification. */
export interface CreateNotification {
  /** The subject, such as `license.expiring`. Notifications of the service use the types of its events. */
  type?: string | undefined;
  severity?: 'info' | 'warning' | 'critical' | undefined;
  title: string;
  body: string;
}

/** The filters and the page size of a list. */
export interface NotificationFilters {
  /** Rows per page. */
  limit?: number | undefined;
  /** The subject, such as `license.expiring`. Notifications of the service use the types of its events. */
  type?: string | undefined;
  severity?: 'info' | 'warning' | 'critical' | undefined;
  /** `true` returns unread notifications, `false` read ones. */
  unread?: boolean | undefined;
}

/** Who changed what. */
export interface AuditRecord {
  readonly id: string;
  /** UTC with microseconds. */
  readonly occurredAt: string;
  /** `RESOURCE.VERB`; with the suffix `_BY_ADMIN` if an admin of the platform acted on a tenant. */
  readonly event: string;
  readonly actorType: 'user' | 'admin' | 'api_key' | 'system' | (string & {});
  readonly actorId: string | null;
  readonly resourceType: string;
  readonly resourceId: string | null;
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly changes: {
    readonly field: string;
    readonly old: unknown;
    readonly new: unknown;
  }[];
}

/** The filters and the page size of a list. */
export interface AuditLogFilters {
  /** Rows per page. */
  limit?: number | undefined;
  /** The full event code, such as `LICENSE.RENEWED`. */
  event?: string | undefined;
  actorType?: 'user' | 'admin' | 'api_key' | 'system' | undefined;
  /** The id of the actor: a user, an admin or an API key. */
  actorId?: string | undefined;
  /** The type of the affected resource, such as `license`. */
  resourceType?: string | undefined;
  /** The id of the affected resource. */
  resourceId?: string | undefined;
  /** The id of the request that caused the record. */
  requestId?: string | undefined;
  /** Return only records at this time or later. */
  from?: string | Date | undefined;
  /** Return only records before this time. */
  to?: string | Date | undefined;
}
