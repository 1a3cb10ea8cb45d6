// Generated from openapi.json by scripts/generate-types.ts. Do not edit.

/** The answer to the question whether a license may be used. */
export interface Verdict {
  /** Whether the license may be used as the request asks. */
  readonly valid: boolean;
  /**
   * The reason for a verdict. `LICENSE.VALID`: valid without restrictions. Later versions add codes: accept unknown
   * ones, and let `valid` decide.
   */
  readonly code:
    | 'LICENSE.VALID'
    | 'LICENSE.IN_GRACE'
    | 'LICENSE.EXPIRED'
    | 'LICENSE.NOT_FOUND'
    | 'LICENSE.REVOKED'
    | 'LICENSE.SUSPENDED'
    | 'LICENSE.NOT_STARTED'
    | 'LICENSE.PRODUCT_MISMATCH'
    | 'LICENSE.MAINTENANCE_EXPIRED'
    | 'ACTIVATION.FINGERPRINT_REQUIRED'
    | 'ACTIVATION.NOT_FOUND'
    | 'ACTIVATION.LEASE_EXPIRED'
    | 'ACTIVATION.LIMIT_EXCEEDED'
    | 'ENTITLEMENT.NOT_GRANTED'
    | (string & {});
  /** The reason as an English sentence. */
  readonly detail: string;
  /** The time of the verdict, by the service's clock. */
  readonly checkedAt: string;
  /** The `nonce` of the request. */
  readonly nonce: string | null;
  readonly license: {
    readonly id: string;
    /** The product of the policy. */
    readonly productId: string;
    readonly policyId: string;
    /** The license key that the holder enters; unique within the tenant. */
    readonly key: string;
    /** `pending` before `starts_at`; `expired` after `expires_at`. `revoked` is permanent. */
    readonly status: 'pending' | 'active' | 'suspended' | 'revoked' | 'expired' | (string & {});
    /** The person or company that the license was issued to. */
    readonly holder: {
      readonly name: string | null;
      readonly email: string | null;
      /** Your own id of the holder, such as a customer number. */
      readonly reference: string | null;
    };
    /** The license is pending before this time. */
    readonly startsAt: string;
    /** The end of the license; null: perpetual, or not determined yet because the term starts with the first use. */
    readonly expiresAt: string | null;
    /** Releases after this time are not included; null: all releases are included. */
    readonly maintenanceExpiresAt: string | null;
    /** The effective limit: the license's own, otherwise its policy's. Null: unlimited. */
    readonly maxActivations: number | null;
    /** Overrides of the policy's entitlements. */
    readonly entitlements: {
      /** The code of an entitlement: letters, digits and `._:-`. */
      readonly code: string;
      /**
       * The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants.
       */
      readonly value?: string | number | boolean | null;
      /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
      readonly limit?: number | null;
      /**
       * The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a
       * policy.
       */
      readonly reset?: 'none' | 'day' | 'week' | 'month' | 'year' | (string & {});
      /** Whether usage above the limit is refused or counted. A policy refuses it by default. */
      readonly overage?: 'deny' | 'allow' | (string & {});
      /** The override applies until this time; null: it has no end. */
      readonly expiresAt?: string | null;
    }[];
    /** The number of activations that are active now. */
    readonly activationsCount: number;
    /** The number of self-service deactivations. */
    readonly deactivationsCount: number;
    /** The time of the newest validation; null before the first. */
    readonly lastValidatedAt: string | null;
    /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
    readonly metadata: Record<string, unknown>;
    /** UTC with microseconds. */
    readonly createdAt: string;
    /** UTC with microseconds. */
    readonly updatedAt: string;
  } | null;
  /** The activation of the `fingerprint`, if there is one. */
  readonly activation: Activation | null;
  /** The requested entitlements; without a request, all that the license grants. */
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
  /** Whether the license may use the entitlement now. */
  readonly hasAccess: boolean;
  /** The granted value, if the type is `value`. */
  readonly value: string | number | boolean | null;
  /** The quantity per period; null: unlimited. */
  readonly limit: number | null;
  /** The quantity used in the current period. Null unless the entitlement is metered and granted. */
  readonly usage: number | null;
  /** The quantity left in the current period. Null unless the entitlement is metered, granted and limited. */
  readonly remaining: number | null;
  /** `deny` or `allow`. Null unless the entitlement is metered and granted. */
  readonly overage: string | null;
  /** The end of the current period; null: the counter never resets. */
  readonly resetsAt: string | null;
  /** The end of the grant; null: the end of the license. */
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
  /** The device that the license must be activated for, if its policy requires activation. */
  fingerprint?: string | undefined;
  /** The entitlements that the license must grant. If absent, the verdict lists all granted entitlements. */
  entitlements?: readonly string[] | undefined;
  /** When your release was published; it must not be after the end of the maintenance. */
  versionReleasedAt?: string | Date | undefined;
  /** The response contains it unchanged. With `proof` it is required and has 16 to 128 characters. */
  nonce?: string | undefined;
  /** Whether the verdict shall be signed. */
  proof?: boolean | undefined;
}

/** A device to activate. */
export interface CreateActivation {
  /** Identifies the device to its license. Your application computes it. */
  fingerprint: string;
  /** The name of the device that people recognise. */
  name?: string | null | undefined;
  /** The host name of the device. */
  hostname?: string | null | undefined;
  /** The operating system of the device, in words of your choice. */
  platform?: string | null | undefined;
  /** Your own data about the device. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** One use of a metered entitlement. */
export interface UsageEvent {
  /** The code of a metered entitlement. */
  entitlement: string;
  /** The quantity that was used. */
  quantity: number;
  /** Of several events of a license with the same key, only the first accepted one is counted. */
  idempotencyKey?: string | undefined;
  /** From 35 days ago to 5 minutes ahead. Default: the present time. */
  occurredAt?: string | Date | undefined;
}

/** What became of the reported events. */
export interface UsageReport {
  /** One result per event. */
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
    /** The code of the entitlement. */
    readonly code: string;
    /** The quantity used in the current period. */
    readonly usage: number;
    /** The quantity per period; null: unlimited. */
    readonly limit: number | null;
    /** The quantity left in the current period; null: unlimited. */
    readonly remaining: number | null;
    /** The end of the current period; null: the counter never resets. */
    readonly resetsAt: string | null;
  }[];
}

/** The terms of an offline certificate. */
export interface IssueCertificate {
  /** Binds the certificate to this device, which must be active if the policy requires it. */
  fingerprint?: string | undefined;
  /** Seconds of validity, at most the policy's `offline_ttl_seconds_max`. That is also the default. */
  ttlSeconds?: number | undefined;
}

/** An offline certificate. */
export interface Certificate {
  /** A compact JWS (EdDSA) of type `license+jwt`. */
  readonly certificate: string;
  /** The end of the certificate. */
  readonly expiresAt: string;
}

/** What a vendor sells. */
export interface Product {
  readonly id: string;
  /** Unique within the tenant. */
  readonly code: string;
  readonly name: string;
  /** A note for the users of the tenant. */
  readonly description: string | null;
  /** The platforms that the product runs on, in words of your choice. */
  readonly platforms: string[];
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
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
  /** The name that users see. */
  name: string;
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
  /** The platforms that the product runs on, in words of your choice. */
  platforms?: readonly string[] | undefined;
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  metadata?: Record<string, unknown> | undefined;
}

/** The changes of a product: absent stays, null clears. */
export interface UpdateProduct {
  /**
   * Unique within the tenant. Lower-case letters, digits and hyphens. Integration requests can identify the product by
   * its code.
   */
  code?: string | undefined;
  /** The name that users see. */
  name?: string | undefined;
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
  /** The platforms that the product runs on, in words of your choice. Null empties the list. */
  platforms?: readonly string[] | null | undefined;
  /** Replaces all metadata; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** The filters and the page size of a list. */
export interface ProductFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** The complete code. */
  code?: string | undefined;
  /** Words. Each must be a prefix of a word of the name or the code. Case is ignored. */
  q?: string | undefined;
}

/** The template of licenses of one product. */
export interface Policy {
  readonly id: string;
  /** The product that the policy belongs to. */
  readonly productId: string;
  /** Unique within the product. */
  readonly code: string;
  readonly name: string;
  /** Days from `expiry_basis` to the expiry of a license; null: perpetual. */
  readonly durationDays: number | null;
  /** The event from which `duration_days` counts. */
  readonly expiryBasis: 'creation' | 'first_validation' | 'first_activation' | (string & {});
  /** Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`. */
  readonly expiryStrategy: 'deny' | 'allow' | (string & {});
  /** Days after `expires_at` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`. */
  readonly graceDays: number;
  /** Whether a renewal extends a license from its expiry or from the present time. */
  readonly renewalBasis: 'from_expiry' | 'from_now' | (string & {});
  /** Days during which new releases are included; null: all releases are included. */
  readonly maintenanceDays: number | null;
  /** Maximum active devices of a license; null: unlimited. */
  readonly maxActivations: number | null;
  /**
   * Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3; null: unlimited.
   */
  readonly activationOveragePercent: number | null;
  /** Whether a verdict is valid only for an activated fingerprint. */
  readonly requireActivation: boolean;
  /** Seconds without a heartbeat after which an activation expires and frees its seat; null: it never expires. */
  readonly leaseSeconds: number | null;
  /** Maximum self-service deactivations; deactivations by the vendor do not count; null: unlimited. */
  readonly maxDeactivations: number | null;
  /** Maximum validity of an offline certificate, in seconds. */
  readonly offlineTtlSecondsMax: number;
  /** The prefix of generated keys; null: the tenant's `license_key_prefix`. */
  readonly keyPrefix: string | null;
  /** The entitlements that every license of the policy has. */
  readonly entitlements: {
    /** The code of an entitlement: letters, digits and `._:-`. */
    readonly code: string;
    /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    readonly value?: string | number | boolean | null;
    /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
    readonly limit?: number | null;
    /**
     * The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
     */
    readonly reset?: 'none' | 'day' | 'week' | 'month' | 'year' | (string & {});
    /** Whether usage above the limit is refused or counted. A policy refuses it by default. */
    readonly overage?: 'deny' | 'allow' | (string & {});
  }[];
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A new policy. */
export interface CreatePolicy {
  /** The product that the policy belongs to. */
  productId: string;
  /** Unique within the product: lower-case letters, digits and hyphens. */
  code: string;
  /** The name that users see. */
  name: string;
  /** Days from `expiry_basis` to the expiry of a license; null: perpetual. */
  durationDays?: number | null | undefined;
  /** The event from which `duration_days` counts. */
  expiryBasis?: 'creation' | 'first_validation' | 'first_activation' | undefined;
  /** Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`. */
  expiryStrategy?: 'deny' | 'allow' | undefined;
  /** Days after `expires_at` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`. */
  graceDays?: number | undefined;
  /** Whether a renewal extends a license from its expiry or from the present time. */
  renewalBasis?: 'from_expiry' | 'from_now' | undefined;
  /** Days during which new releases are included; null: all releases are included. */
  maintenanceDays?: number | null | undefined;
  /** Maximum active devices of a license; null: unlimited. */
  maxActivations?: number | null | undefined;
  /**
   * Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3; null: unlimited.
   */
  activationOveragePercent?: number | null | undefined;
  /** Whether a verdict is valid only for an activated fingerprint. */
  requireActivation?: boolean | undefined;
  /** Seconds without a heartbeat after which an activation expires and frees its seat; null: it never expires. */
  leaseSeconds?: number | null | undefined;
  /** Maximum self-service deactivations; deactivations by the vendor do not count; null: unlimited. */
  maxDeactivations?: number | null | undefined;
  /** Maximum validity of an offline certificate, in seconds. */
  offlineTtlSecondsMax?: number | undefined;
  /** The prefix of generated keys; null: the tenant's `license_key_prefix`. */
  keyPrefix?: string | null | undefined;
  /** The entitlements that every license of the policy has. */
  entitlements?: readonly {
    /** The code of an entitlement: letters, digits and `._:-`. */
    code: string;
    /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    value?: string | number | boolean | null | undefined;
    /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
    limit?: number | null | undefined;
    /**
     * The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
     */
    reset?: 'none' | 'day' | 'week' | 'month' | 'year' | undefined;
    /** Whether usage above the limit is refused or counted. A policy refuses it by default. */
    overage?: 'deny' | 'allow' | undefined;
  }[] | null | undefined;
  /** Your own data; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** The changes of a policy: absent stays, null clears. */
export interface UpdatePolicy {
  /** Unique within the product: lower-case letters, digits and hyphens. */
  code?: string | undefined;
  /** The name that users see. */
  name?: string | undefined;
  /** Days from `expiry_basis` to the expiry of a license; null: perpetual. */
  durationDays?: number | null | undefined;
  /** The event from which `duration_days` counts. */
  expiryBasis?: 'creation' | 'first_validation' | 'first_activation' | undefined;
  /** Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`. */
  expiryStrategy?: 'deny' | 'allow' | undefined;
  /** Days after `expires_at` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`. */
  graceDays?: number | undefined;
  /** Whether a renewal extends a license from its expiry or from the present time. */
  renewalBasis?: 'from_expiry' | 'from_now' | undefined;
  /** Days during which new releases are included; null: all releases are included. */
  maintenanceDays?: number | null | undefined;
  /** Maximum active devices of a license; null: unlimited. */
  maxActivations?: number | null | undefined;
  /**
   * Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3; null: unlimited.
   */
  activationOveragePercent?: number | null | undefined;
  /** Whether a verdict is valid only for an activated fingerprint. */
  requireActivation?: boolean | undefined;
  /** Seconds without a heartbeat after which an activation expires and frees its seat; null: it never expires. */
  leaseSeconds?: number | null | undefined;
  /** Maximum self-service deactivations; deactivations by the vendor do not count; null: unlimited. */
  maxDeactivations?: number | null | undefined;
  /** Maximum validity of an offline certificate, in seconds. */
  offlineTtlSecondsMax?: number | undefined;
  /** The prefix of generated keys; null: the tenant's `license_key_prefix`. */
  keyPrefix?: string | null | undefined;
  /** The entitlements that every license of the policy has. */
  entitlements?: readonly {
    /** The code of an entitlement: letters, digits and `._:-`. */
    code: string;
    /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    value?: string | number | boolean | null | undefined;
    /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
    limit?: number | null | undefined;
    /**
     * The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
     */
    reset?: 'none' | 'day' | 'week' | 'month' | 'year' | undefined;
    /** Whether usage above the limit is refused or counted. A policy refuses it by default. */
    overage?: 'deny' | 'allow' | undefined;
  }[] | null | undefined;
  /** Your own data; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** The filters and the page size of a list. */
export interface PolicyFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only policies of this product. */
  productId?: string | undefined;
  /** The complete code. Policies of several products can have the same code. */
  code?: string | undefined;
  /** Words. Each must be a prefix of a word of the name or the code. Case is ignored. */
  q?: string | undefined;
}

/** A license. In a verdict, `maxActivations` is the effective limit. */
export interface License {
  readonly id: string;
  /** The product of the policy. */
  readonly productId: string;
  readonly policyId: string;
  /** The license key that the holder enters; unique within the tenant. */
  readonly key: string;
  /** `pending` before `starts_at`; `expired` after `expires_at`. `revoked` is permanent. */
  readonly status: 'pending' | 'active' | 'suspended' | 'revoked' | 'expired' | (string & {});
  /** The person or company that the license was issued to. */
  readonly holder: {
    readonly name: string | null;
    readonly email: string | null;
    /** Your own id of the holder, such as a customer number. */
    readonly reference: string | null;
  };
  /** The license is pending before this time. */
  readonly startsAt: string;
  /** The end of the license; null: perpetual, or not determined yet because the term starts with the first use. */
  readonly expiresAt: string | null;
  /** Releases after this time are not included; null: all releases are included. */
  readonly maintenanceExpiresAt: string | null;
  /** The license's own limit of active devices; null: the limit of the policy. */
  readonly maxActivations: number | null;
  /** Overrides of the policy's entitlements. */
  readonly entitlements: {
    /** The code of an entitlement: letters, digits and `._:-`. */
    readonly code: string;
    /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    readonly value?: string | number | boolean | null;
    /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
    readonly limit?: number | null;
    /**
     * The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
     */
    readonly reset?: 'none' | 'day' | 'week' | 'month' | 'year' | (string & {});
    /** Whether usage above the limit is refused or counted. A policy refuses it by default. */
    readonly overage?: 'deny' | 'allow' | (string & {});
    /** The override applies until this time; null: it has no end. */
    readonly expiresAt?: string | null;
  }[];
  /** The number of activations that are active now. */
  readonly activationsCount: number;
  /** The number of self-service deactivations. */
  readonly deactivationsCount: number;
  /** The time of the newest validation; null before the first. */
  readonly lastValidatedAt: string | null;
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A new license. */
export interface CreateLicense {
  /** The policy that the license is issued under. */
  policyId: string;
  /** Must be the policy's product. Default: the policy's product. */
  productId?: string | undefined;
  /**
   * A key of your own: letters, digits, and other characters that need no encoding in a URL path. The first character
   * must be a letter or a digit. Default: a generated key.
   */
  key?: string | undefined;
  holder?: {
    /** The holder's name. */
    name?: string | null | undefined;
    /** The holder's e-mail address. */
    email?: string | null | undefined;
    /** Your own id of the holder, such as a customer number. */
    reference?: string | null | undefined;
  } | null | undefined;
  /** The license is pending before this time. Default: the present time. */
  startsAt?: string | Date | undefined;
  /** The end of the license. If absent, the policy determines it. */
  expiresAt?: string | Date | null | undefined;
  /**
   * Releases after this time are not included; null: all releases are included. If absent, the policy determines it.
   */
  maintenanceExpiresAt?: string | Date | null | undefined;
  /** The license's own limit of active devices; null: the limit of the policy. */
  maxActivations?: number | null | undefined;
  /**
   * Overrides the entitlements of the policy by code, until its own `expires_at`. Fields that are left out come from
   * the policy; `null` clears a field.
   */
  entitlements?: readonly {
    /** The code of an entitlement: letters, digits and `._:-`. */
    code: string;
    /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    value?: string | number | boolean | null | undefined;
    /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
    limit?: number | null | undefined;
    /**
     * The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
     */
    reset?: 'none' | 'day' | 'week' | 'month' | 'year' | undefined;
    /** Whether usage above the limit is refused or counted. A policy refuses it by default. */
    overage?: 'deny' | 'allow' | undefined;
    /** The override applies until this time; null: it has no end. */
    expiresAt?: string | Date | null | undefined;
  }[] | null | undefined;
  /** Your own data; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** The changes of a license: absent stays, null clears. */
export interface UpdateLicense {
  /** Moves the license to another policy of the same product. */
  policyId?: string | undefined;
  /** The person or company that the license was issued to. Null clears all of its fields. */
  holder?: {
    /** The holder's name. */
    name?: string | null | undefined;
    /** The holder's e-mail address. */
    email?: string | null | undefined;
    /** Your own id of the holder, such as a customer number. */
    reference?: string | null | undefined;
  } | null | undefined;
  /** The license is pending before this time. */
  startsAt?: string | Date | undefined;
  /** The end of the license; null: perpetual, unless the policy's term starts with the first use. */
  expiresAt?: string | Date | null | undefined;
  /** Releases after this time are not included; null: all releases are included. */
  maintenanceExpiresAt?: string | Date | null | undefined;
  /** The license's own limit of active devices; null: the limit of the policy. */
  maxActivations?: number | null | undefined;
  /**
   * Overrides the entitlements of the policy by code, until its own `expires_at`. Fields that are left out come from
   * the policy; `null` clears a field.
   */
  entitlements?: readonly {
    /** The code of an entitlement: letters, digits and `._:-`. */
    code: string;
    /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
    value?: string | number | boolean | null | undefined;
    /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
    limit?: number | null | undefined;
    /**
     * The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
     */
    reset?: 'none' | 'day' | 'week' | 'month' | 'year' | undefined;
    /** Whether usage above the limit is refused or counted. A policy refuses it by default. */
    overage?: 'deny' | 'allow' | undefined;
    /** The override applies until this time; null: it has no end. */
    expiresAt?: string | Date | null | undefined;
  }[] | null | undefined;
  /** Your own data; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** The filters and the page size of a list. */
export interface LicenseFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** `pending` before `starts_at`; `expired` after `expires_at`. `revoked` is permanent. */
  status?: 'pending' | 'active' | 'suspended' | 'revoked' | 'expired' | undefined;
  /** Return only licenses of this product. */
  productId?: string | undefined;
  /** Return only licenses of this policy. */
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
    /** The column that is not valid. */
    readonly field: string;
    /** What is wrong, and what to do. */
    readonly message: string;
  }[];
}

/** One device that uses a license. */
export interface Activation {
  readonly id: string;
  readonly licenseId: string;
  /** Identifies the device to its license. Your application computes it. */
  readonly fingerprint: string;
  /** The name of the device that people recognise. */
  readonly name: string | null;
  /** The host name of the device. */
  readonly hostname: string | null;
  /** The operating system of the device, in words of your choice. */
  readonly platform: string | null;
  /** The IP address that sent the activation. */
  readonly ip: string | null;
  /** `expired`: no heartbeat arrived before the lease ended. */
  readonly status: 'active' | 'expired' | 'deactivated' | (string & {});
  /** The time of the newest heartbeat, at first of the activation. */
  readonly lastHeartbeatAt: string;
  /** The activation expires at this time without a heartbeat; null: it never expires. */
  readonly leaseExpiresAt: string | null;
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
}

/** The filters and the page size of a list. */
export interface ActivationFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only activations of this license. */
  licenseId?: string | undefined;
  /** `expired`: no heartbeat arrived before the lease ended. */
  status?: 'active' | 'expired' | 'deactivated' | undefined;
  /** The complete fingerprint. Several licenses can have the same one. */
  fingerprint?: string | undefined;
}

/** A feature or a quota that licenses can grant. */
export interface Entitlement {
  readonly id: string;
  /** Unique within the tenant. */
  readonly code: string;
  readonly name: string;
  /**
   * `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
   * changed.
   */
  readonly type: 'boolean' | 'value' | 'metered' | (string & {});
  /** A note for the users of the tenant. */
  readonly description: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A new entitlement. */
export interface CreateEntitlement {
  /** Unique within the tenant. It cannot be changed. */
  code: string;
  /** The name that users see. */
  name: string;
  /**
   * `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
   * changed.
   */
  type: 'boolean' | 'value' | 'metered';
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
}

/** The changes of an entitlement. */
export interface UpdateEntitlement {
  /** The name that users see. */
  name?: string | undefined;
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
}

/** The filters and the page size of a list. */
export interface EntitlementFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** The code of an entitlement: letters, digits and `._:-`. */
  code?: string | undefined;
  /**
   * `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
   * changed.
   */
  type?: 'boolean' | 'value' | 'metered' | undefined;
}

/** The use of one entitlement by one license in one interval. */
export interface UsageBucket {
  /** The start of the bucket. */
  readonly bucketStart: string;
  readonly licenseId: string;
  /** The code of the entitlement. */
  readonly entitlement: string;
  /** The quantity used in the bucket. */
  readonly quantity: number;
}

/** The filters and the page size of a list. */
export interface UsageFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only the usage of this license. */
  licenseId?: string | undefined;
  /** The code of an entitlement: letters, digits and `._:-`. */
  entitlement?: string | undefined;
  /** Return only buckets that begin at this time or later. */
  from?: string | Date | undefined;
  /** Return only buckets that begin before this time. */
  to?: string | Date | undefined;
  /** The length of a bucket. Buckets begin in the tenant's timezone; weeks on Monday. */
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
  /** When the key stops working; null: never. */
  readonly expiresAt: string | null;
  /** The time of the newest request; null before the first. */
  readonly lastUsedAt: string | null;
  /** What the key may do. */
  readonly scopes:
    | ('licenses:validate'
    | 'activations:write'
    | 'entitlements:check'
    | 'usage:write'
    | (string & {}))[];
  /** The networks from which the key may be used; empty: all networks. */
  readonly allowedCidrs: string[];
  /** The requests per minute with this key; null: only the tenant's limit applies. */
  readonly rateLimitPerMinute: number | null;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  readonly rateLimitPerAddressPerMinute: number | null;
  readonly createdBy: {
    /** `user`, `admin` or `system`. */
    readonly type: string;
    /** The id of the user or admin, or of the access token; its type is `user` too. */
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
  /** When the key stops working; null: never. */
  readonly expiresAt: string | null;
  /** The time of the newest request; null before the first. */
  readonly lastUsedAt: string | null;
  /** What the key may do. */
  readonly scopes:
    | ('licenses:validate'
    | 'activations:write'
    | 'entitlements:check'
    | 'usage:write'
    | (string & {}))[];
  /** The networks from which the key may be used; empty: all networks. */
  readonly allowedCidrs: string[];
  /** The requests per minute with this key; null: only the tenant's limit applies. */
  readonly rateLimitPerMinute: number | null;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  readonly rateLimitPerAddressPerMinute: number | null;
  readonly createdBy: {
    /** `user`, `admin` or `system`. */
    readonly type: string;
    /** The id of the user or admin, or of the access token; its type is `user` too. */
    readonly id: string | null;
  } | null;
}

/** A new API key. */
export interface CreateApiKey {
  /** The name by which people recognise the key. */
  name: string;
  /** When the key stops working; null: never. */
  expiresAt?: string | Date | null | undefined;
  /** What the key may do. */
  scopes?: readonly ('licenses:validate' | 'activations:write' | 'entitlements:check' | 'usage:write')[] | undefined;
  /** The networks from which the key may be used; empty: all networks. */
  allowedCidrs?: readonly string[] | undefined;
  /** The requests per minute with this key; null: only the tenant's limit applies. */
  rateLimitPerMinute?: number | null | undefined;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  rateLimitPerAddressPerMinute?: number | null | undefined;
}

/** The filters and the page size of a list. */
export interface ApiKeyFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only keys with this status. */
  status?: 'active' | 'revoked' | 'expired' | undefined;
}

/** The settings of the tenant. */
export interface Settings {
  /** The name of the tenant. */
  readonly name: string;
  /** The time zone of periods and buckets, by its name in the IANA time zone database. */
  readonly timezone: string;
  /** The address that the tenant's customers write to. */
  readonly supportEmail: string | null;
  /** The prefix of generated license keys if the policy has no `key_prefix`; null: no prefix. */
  readonly licenseKeyPrefix: string | null;
  /** The number of days before its expiry from which a license counts as expiring. */
  readonly expiringSoonDays: number;
  /** The recipients of notification mails. An empty list means the owners. */
  readonly notificationEmails: string[];
  /** The subscription of a new webhook endpoint that names no events. */
  readonly webhookEventDefaults: string[];
  /** How long data is kept, in days. */
  readonly retentionDays: {
    /** The retention of audit records and unread notifications in days. Read notifications: 90 days. */
    readonly audit: number;
    /** The retention of usage in days. */
    readonly usage: number;
    /** The retention of events and webhook deliveries in days. */
    readonly deliveries: number;
  };
}

/** The changes of the settings: absent stays, null clears. */
export interface UpdateSettings {
  /** The name of the tenant. */
  name?: string | undefined;
  /** The time zone of periods and buckets, by its name in the IANA time zone database. `null` sets `UTC`. */
  timezone?: string | null | undefined;
  /** The address that the tenant's customers write to. */
  supportEmail?: string | null | undefined;
  /** The prefix of generated license keys if the policy has no `key_prefix`; null: no prefix. */
  licenseKeyPrefix?: string | null | undefined;
  /** The number of days before its expiry from which a license counts as expiring. `null` sets 14. */
  expiringSoonDays?: number | null | undefined;
  /** The recipients of notification mails. An empty list means the owners. */
  notificationEmails?: readonly string[] | null | undefined;
  /** The subscription of a new webhook endpoint that names no events. `null` sets `["*"]`, which means all events. */
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
    /**
     * The retention of audit records and unread notifications in days. Read notifications: 90 days. `null` sets 365.
     */
    audit?: number | null | undefined;
    /** The retention of usage in days. `null` sets 400. */
    usage?: number | null | undefined;
    /** The retention of events and webhook deliveries in days. `null` sets 30. */
    deliveries?: number | null | undefined;
  } | null | undefined;
}

/** An address that receives events. */
export interface WebhookEndpoint {
  readonly id: string;
  /** The URL that receives events. */
  readonly url: string;
  /** A note for the users of the tenant. */
  readonly description: string | null;
  /** The subscribed types of events, or `["*"]` for all. */
  readonly events: string[];
  /** A disabled endpoint receives nothing. */
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
  /** The URL that receives events. */
  readonly url: string;
  /** A note for the users of the tenant. */
  readonly description: string | null;
  /** The subscribed types of events, or `["*"]` for all. */
  readonly events: string[];
  /** A disabled endpoint receives nothing. */
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
  /**
   * Signs deliveries (Standard Webhooks): `whsec_` followed by base64. Only this response contains it. Null in a
   * replayed response of an idempotent request.
   */
  readonly secret: string | null;
}

/** A new webhook endpoint. */
export interface CreateWebhook {
  /** The URL that receives events: https, a public address, without credentials and without a fragment. */
  url: string;
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
  /** Types of events, or `["*"]` for all. If absent or `null`, the setting `webhook_event_defaults` applies. */
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
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
  /** Types of events, or `["*"]` for all. `null` applies the setting `webhook_event_defaults`. */
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
  /** `enabled` resets the failures; `disabled` fails the pending deliveries. */
  status?: 'enabled' | 'disabled' | undefined;
}

/** The time whose failed events are sent again. */
export interface RecoverEvents {
  /** The start of the range, inclusive. */
  since: string | Date;
  /** The end of the range, exclusive. Default, also for null: the present time. */
  until?: string | Date | null | undefined;
  /** Counts the events without sending them. */
  dryRun?: boolean | undefined;
}

/** The filters and the page size of a list. */
export interface WebhookFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** A disabled endpoint receives nothing. */
  status?: 'enabled' | 'disabled' | undefined;
}

/** One event for one endpoint, with its attempts. */
export interface WebhookDelivery {
  readonly id: string;
  /** The webhook endpoint. */
  readonly webhookId: string;
  /** The id of the event, sent as `webhook-id`. */
  readonly eventId: string;
  /** The type of the event, such as `license.created`. */
  readonly eventType: string;
  /** `pending` while attempts follow. */
  readonly status: 'pending' | 'succeeded' | 'failed' | (string & {});
  /** Why no further attempt follows; `null` unless the delivery failed. */
  readonly failureReason: 'attempts_exhausted' | 'endpoint_disabled' | 'endpoint_deleted' | (string & {}) | null;
  /** The time of the next attempt; null if none follows. */
  readonly nextAttemptAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** The last 100 attempts, oldest first. */
  readonly attempts: {
    /** When the attempt began. */
    readonly at: string;
    /** `manual` for an attempt that a caller requested. */
    readonly trigger: 'schedule' | 'manual' | (string & {});
    /** The HTTP status; null without a response. */
    readonly responseStatus: number | null;
    /** The duration in milliseconds. */
    readonly durationMs: number;
    /** Why the attempt failed, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`. */
    readonly error: string | null;
    /** The first 16 KiB of the response. */
    readonly responseBody: string | null;
  }[];
}

/** The filters and the page size of a list. */
export interface WebhookDeliveryFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only deliveries to this endpoint. */
  webhookId?: string | undefined;
  /** `pending` while attempts follow. */
  status?: 'pending' | 'succeeded' | 'failed' | undefined;
  /** The type of an event. */
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
  /** The subject, such as `license.expiring`. */
  readonly type: string;
  /** How urgent the notification is. */
  readonly severity: 'info' | 'warning' | 'critical' | (string & {});
  /** One line that says what happened. */
  readonly title: string;
  /** What happened and what to do, as plain text. */
  readonly body: string;
  /** Null while it is unread. */
  readonly readAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
}

/** A new notification. */
export interface CreateNotification {
  /** The subject, such as `license.expiring`. Notifications of the service use the types of its events. */
  type?: string | undefined;
  /** How urgent the notification is. */
  severity?: 'info' | 'warning' | 'critical' | undefined;
  /** One line that says what happened. */
  title: string;
  /** What happened and what to do, as plain text. */
  body: string;
}

/** The filters and the page size of a list. */
export interface NotificationFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only notifications of this type. */
  type?: string | undefined;
  /** How urgent the notification is. */
  severity?: 'info' | 'warning' | 'critical' | undefined;
  /** `true` returns unread notifications, `false` read ones. */
  unread?: boolean | undefined;
}

/** Who changed what. */
export interface AuditRecord {
  readonly id: string;
  /** When the change was made. */
  readonly occurredAt: string;
  /** `RESOURCE.VERB`; with the suffix `_BY_ADMIN` if an admin of the platform acted on a tenant. */
  readonly event: string;
  /** Who acted; `system` is the service itself. */
  readonly actorType: 'user' | 'admin' | 'api_key' | 'system' | (string & {});
  /** The id of the user, admin, API key or access token; the type of an access token is `user`. */
  readonly actorId: string | null;
  /** The id of the user who created the access token that acted; null for other actors. */
  readonly actorCreatedBy: string | null;
  /** The type of the affected resource, such as `license`. */
  readonly resourceType: string;
  /** The id of the affected resource. */
  readonly resourceId: string | null;
  /** The id of the request that caused the record. */
  readonly requestId: string | null;
  /** The IP address of the client. */
  readonly ip: string | null;
  /** The changed fields; they never contain secrets. */
  readonly changes: {
    /** The name of the field. */
    readonly field: string;
    /** The value before; null for a creation. */
    readonly old: unknown;
    /** The value after. */
    readonly new: unknown;
  }[];
}

/** The filters and the page size of a list. */
export interface AuditLogFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** The full event code, such as `LICENSE.RENEWED`. */
  event?: string | undefined;
  /** Return only records of this type of actor. */
  actorType?: 'user' | 'admin' | 'api_key' | 'system' | undefined;
  /** The id of the actor: a user, an admin, an API key or an access token. */
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
