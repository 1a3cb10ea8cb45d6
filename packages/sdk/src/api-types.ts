// Generated from openapi.json by scripts/generate-types.ts. Do not edit.
import type { UnknownWebhookEvent } from './unknown-webhook-event.ts';

/** Whether a license may be used now, and why. */
export interface Verdict {
  /** Whether the license may be used as the request asks. */
  readonly valid: boolean;
  readonly code: VerdictCode | (string & {});
  /** The reason as an English sentence. */
  readonly detail: string;
  /** The time of the verdict, by the service's clock. */
  readonly checkedAt: string;
  /** The `nonce` of the request. */
  readonly nonce: string | null;
  readonly license: VerdictLicense | null;
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

/** One answer per entitlement. */
export interface EntitlementChecks {
  /** One entry per code. */
  readonly entitlements: EntitlementCheck[];
}

/** What became of each event, and the counters after them. */
export interface UsageReport {
  /** One result per event. */
  readonly results: UsageResult[];
  /** The counters of the metered entitlements that the events name, in the current periods. */
  readonly counters: UsageCounter[];
}

/** A license that can be checked without a network. */
export interface Certificate {
  /** A compact JWS (EdDSA) of type `license+jwt`. */
  readonly certificate: string;
  /** The end of the certificate. */
  readonly expiresAt: string;
}

/** A product that the tenant licenses. */
export interface Product {
  readonly id: string;
  /** Unique within the tenant. */
  readonly code: string;
  readonly name: string;
  /** A note for the users of the tenant. */
  readonly description: string | null;
  /** The platforms that the product runs on, in words of your choice. */
  readonly platforms: string[];
  /**
   * The page on which the holder of a license renews it, which the portal links to. `{license_id}` in it stands for the
   * id of the license.
   */
  readonly renewalUrl: string | null;
  /** The policy of trials without a key, one of the product; null: applications cannot start trials of the product. */
  readonly trialPolicyId: string | null;
  readonly downloadStorage: DownloadStorage | null;
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  readonly metadata: Record<string, unknown>;
  /** Since when no licenses of the product are issued; null: they are. */
  readonly archivedAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** The result of allowing another trial. */
export interface AllowedTrial {
  /** The trials that were forgotten; 0: none was known. */
  readonly forgotten: number;
}

/** A template of licenses: their term, their devices and their entitlements. */
export interface Policy {
  readonly id: string;
  /** The product that the policy belongs to. */
  readonly productId: string;
  /** Unique within the product. */
  readonly code: string;
  readonly name: string;
  /** Days from `expiryBasis` to the expiry of a license. Null with a null `durationMonths`: perpetual. */
  readonly durationDays: number | null;
  /**
   * Months of the calendar from `expiryBasis` to the expiry of a license, in the tenant's timezone. January 31 and one
   * month are February 28. Excludes `durationDays`.
   */
  readonly durationMonths: number | null;
  readonly expiryBasis: ExpiryBasis | (string & {});
  readonly expiryStrategy: ExpiryStrategy | (string & {});
  /** Days after `expiresAt` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`. */
  readonly graceDays: number;
  readonly renewalBasis: RenewalBasis | (string & {});
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
  readonly fingerprintMatching: FingerprintMatching | (string & {});
  /** Whether a license expires only at the end of the month of its expiry, in the tenant's timezone. Renewals too. */
  readonly endsWithMonth: boolean;
  /** Whether a trial without a key works only after its email address is confirmed with a code from a mail. */
  readonly trialRequiresEmail: boolean;
  /**
   * Seconds without a heartbeat after which an activation expires; null: never. A new value starts at the change for
   * every active device.
   */
  readonly leaseSeconds: number | null;
  /**
   * Maximum self-service deactivations; null: unlimited. Those by the vendor, and of devices above limit and overage,
   * do not count.
   */
  readonly maxDeactivations: number | null;
  /** Maximum validity of an offline certificate, in seconds. */
  readonly offlineTtlSecondsMax: number;
  /** The prefix of generated keys; null: the tenant's `licenseKeyPrefix`. */
  readonly keyPrefix: string | null;
  /** Whether the holder of a license may replace its key in the portal. */
  readonly holderMayReplaceKey: boolean;
  /** The entitlements that every license of the policy has. */
  readonly entitlements: PolicyEntitlement[];
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  readonly metadata: Record<string, unknown>;
  /** Since when no licenses are issued under the policy; null: they are. */
  readonly archivedAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** The right of a holder to use a product under a policy. */
export interface License {
  readonly id: string;
  /** The product of the policy. */
  readonly productId: string;
  readonly policyId: string;
  /** The license key that the holder enters; unique within the tenant. */
  readonly key: string;
  readonly status: LicenseStatus | (string & {});
  /** Why the license was suspended, reinstated or revoked; null if nobody said why. */
  readonly statusReason: string | null;
  /** The batch that the license was issued in; null: alone. */
  readonly batchId: string | null;
  readonly holder: LicenseHolder;
  /** The license is pending before this time. */
  readonly startsAt: string;
  /** The end of the license; null: perpetual, or not determined yet because the term starts with the first use. */
  readonly expiresAt: string | null;
  /** Releases after this time are not included; null: all releases are included. */
  readonly maintenanceExpiresAt: string | null;
  /** The license's own limit of active devices; null: the limit of the policy. */
  readonly maxActivations: number | null;
  /** Your own number of the order, unique among your licenses; null: there is none. */
  readonly orderNumber: string | null;
  /** Overrides of the policy's entitlements. */
  readonly entitlements: LicenseEntitlement[];
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

/** The result of an import. */
export interface ImportResult {
  /** The number of created licenses. */
  readonly created: number;
  /** The number of refused rows. */
  readonly failed: number;
  readonly errors: ImportError[];
  /** The columns of the file. Only with `dryRun`. */
  readonly columns?: ImportColumn[];
  /** The first 20 rows, valid or not. Only with `dryRun`. */
  readonly rows?: ImportedRow[];
}

/** An import that runs after its request, and its progress. */
export interface LicenseImport {
  readonly id: string;
  readonly state: LicenseImportState | (string & {});
  /** The number of rows that were valid when the file was read. */
  readonly total: number;
  /** The number of these rows that were imported or refused. */
  readonly done: number;
  /** The number of created licenses. */
  readonly created: number;
  /** The number of refused rows. */
  readonly failed: number;
  /** The first 1,000 problems, once the import has ended. */
  readonly errors: ImportError[];
  /** Why it failed, for people. */
  readonly reason: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** What a device asked about a license, and what it was told, with the number of repetitions. */
export interface LicenseCheck {
  readonly kind: LicenseCheckKind | (string & {});
  /** The device; null: the request named none. */
  readonly fingerprint: string | null;
  /** The code of the verdict; of an activation `ACTIVATION.CREATED`, or the error code. */
  readonly code: string;
  /** Whether the device was allowed to use the license. */
  readonly isAllowed: boolean;
  /** The newest `appVersion` that the device sent. */
  readonly appVersion: string | null;
  /** The IP address of the newest request. */
  readonly address: string | null;
  /** The time of the first request with this result that is kept. */
  readonly firstAt: string;
  /** The time of the newest one. */
  readonly lastAt: string;
  /** The number of requests of this device with this result. */
  readonly count: number;
}

/** The sale of the license; null if no sale has issued it. */
export interface LicenseSale {
  readonly connectionId: string;
  readonly provider: SalesProvider | (string & {});
  readonly sale: Sale;
}

/** A link that logs the holder of a license in to the portal. */
export interface PortalLink {
  /** The address that logs the holder in, once. */
  readonly url: string;
  /** The link no longer works after this time. */
  readonly expiresAt: string;
}

/** Licenses that were issued together. The list of licenses has a filter for them. */
export interface LicenseBatch {
  readonly id: string;
  readonly name: string;
  readonly policyId: string;
  readonly note: string | null;
  /** The number of licenses that were asked for. */
  readonly count: number;
  /** The number of licenses that were issued. */
  readonly issued: number;
  /** Those that were validated or activated. Only with `include=details`. */
  readonly used?: number;
  readonly state: LicenseBatchState | (string & {});
  /** Why it failed, for people. */
  readonly reason: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** A change of many licenses, which a job makes. */
export interface BulkOperation {
  readonly id: string;
  /** The action as it was requested; `{ "type": "undo" }` for an undo. */
  readonly action: Record<string, unknown>;
  readonly filter: Record<string, unknown> | null;
  readonly reason: string | null;
  readonly notifyHolder: boolean;
  readonly state: BulkOperationState | (string & {});
  /** The number of licenses that matched at the beginning; null: more than 100,000. */
  readonly total: number | null;
  /** The number of licenses that were changed. */
  readonly changed: number;
  /** The number of licenses that already were as the action makes them. */
  readonly unchanged: number;
  /** The number of licenses that cannot be changed like this. */
  readonly refused: number;
  /** The reasons of the refusals, at most 20. */
  readonly refusals: BulkRefusal[];
  /** The operation whose changes this one takes back. */
  readonly undoes: string | null;
  /** The operation that takes this one back. */
  readonly undoneBy: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** What an operation would do. */
export interface BulkPreview {
  /** The number of licenses that matched at the beginning; null: more than 100,000. */
  readonly total: number | null;
  /** The number of licenses that were changed. */
  readonly changed: number;
  /** The number of licenses that already were as the action makes them. */
  readonly unchanged: number;
  /** The number of licenses that cannot be changed like this. */
  readonly refused: number;
  /** The reasons of the refusals, at most 20. */
  readonly refusals: BulkRefusal[];
  /** Up to five licenses that would change. */
  readonly examples: BulkExample[];
  /** When the last certificate ends after `suspend` or `revoke`; null if none works. */
  readonly offlineUntil: string | null;
}

/** The holder of one or several licenses: everything with one email address, compared without case. */
export interface Customer {
  /** The address, in the spelling of the newest license. */
  readonly email: string;
  /** The name in the newest license; null: it has none. */
  readonly name: string | null;
  /** The licenses of the address that are not deleted. */
  readonly licensesCount: number;
  /** Those of them that are active now. */
  readonly activeLicensesCount: number;
  /** The devices that hold a seat of these licenses now. */
  readonly activeActivationsCount: number;
  /** The newest validation of any of these licenses, at most a second old; null: there was none. */
  readonly lastValidatedAt: string | null;
  /** When the newest mail to the address was queued; null: none is kept. */
  readonly lastMailAt: string | null;
}

/** A customer with its licenses. */
export interface CustomerDetails {
  /** The address, in the spelling of the newest license. */
  readonly email: string;
  /** The name in the newest license; null: it has none. */
  readonly name: string | null;
  /** The licenses of the address that are not deleted. */
  readonly licensesCount: number;
  /** Those of them that are active now. */
  readonly activeLicensesCount: number;
  /** The devices that hold a seat of these licenses now. */
  readonly activeActivationsCount: number;
  /** The newest validation of any of these licenses, at most a second old; null: there was none. */
  readonly lastValidatedAt: string | null;
  /** When the newest mail to the address was queued; null: none is kept. */
  readonly lastMailAt: string | null;
  /** The newest 100 licenses, with the names of product and policy. */
  readonly licenses: LicenseDetails[];
  /** The newest 25 devices that hold a seat of these licenses. */
  readonly activations: Activation[];
  /** The newest 25 mails to the address. */
  readonly mails: HolderMail[];
}

/** The personal data of a customer. */
export interface CustomerExport {
  /** The address of the request. */
  readonly email: string;
  /** When the data was read. */
  readonly exportedAt: string;
  /** Every license of the address, deleted ones included. */
  readonly licenses: ExportedLicense[];
  /** The mails to the address that are still kept, without their text. */
  readonly mails: HolderMail[];
  /** The trials without a key that these licenses began with. */
  readonly trials: ExportedTrial[];
  /** Every device of these licenses, released ones included. */
  readonly activations: ExportedActivation[];
  /** What these devices asked recently, and what they were told. */
  readonly checks: ExportedLicenseCheck[];
  /** The notes about the person. */
  readonly notes: ExportedCustomerNote[];
  /** What the person bought in the connected shops. */
  readonly purchases: CustomerPurchase[];
}

/** A note about a customer, for the people of the tenant. */
export interface CustomerNote {
  readonly id: string;
  /** The note. */
  readonly text: string;
  readonly authorType: NoteAuthorType | (string & {});
  /** The id of the user, access token or admin. */
  readonly authorId: string;
  /** The author's present name; null if it was removed, and for admins on the tenant surface. */
  readonly authorName: string | null;
  /** When the note was written. */
  readonly createdAt: string;
}

/** A mail to the holder of a license. */
export interface HolderMail {
  readonly id: string;
  readonly type: HolderMailType | (string & {});
  /** The address that the mail is for. */
  readonly recipient: string;
  /** The license that the mail is about; null for a login. */
  readonly licenseId: string | null;
  readonly state: HolderMailState | (string & {});
  /** Why it was not sent; null after a success. */
  readonly reason: string | null;
  /** The subject as it was sent; null before. */
  readonly subject: string | null;
  /** The mail server of the last attempt; null before the first. */
  readonly server: 'service' | 'own' | (string & {}) | null;
  /** The number of attempts to send it. */
  readonly attempts: number;
  /** When the next attempt is due; null if none follows. */
  readonly nextAttemptAt: string | null;
  /** The mail that a person sent again with this one; null otherwise. */
  readonly resentFrom: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** When it ended; null while it waits. */
  readonly endedAt: string | null;
}

/** A shop that sells for the tenant. */
export interface Connection {
  readonly id: string;
  readonly provider: SalesProvider | (string & {});
  /** The name of the shop, for the users of the tenant. */
  readonly name: string;
  readonly status: ConnectionStatus | (string & {});
  /** The address to which the shop sends its messages. */
  readonly webhookUrl: string;
  /** Whether a signing secret is stored. */
  readonly hasSigningSecret: boolean;
  /** Whether a key of the shop's API is stored. */
  readonly hasApiKey: boolean;
  /** True: a comparison runs every night and applies what it finds. It needs the key of the shop's API. */
  readonly comparesItself: boolean;
  /** When the latest message arrived; null before the first one. */
  readonly lastEventAt: string | null;
  /** The number of sales whose licenses do not match them, and of messages that failed; at most 1,000. */
  readonly problemsCount: number;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A new connection, with its secret if the service generated it. */
export interface ConnectionWithSecret {
  readonly id: string;
  readonly provider: SalesProvider | (string & {});
  /** The name of the shop, for the users of the tenant. */
  readonly name: string;
  readonly status: ConnectionStatus | (string & {});
  /** The address to which the shop sends its messages. */
  readonly webhookUrl: string;
  /** Whether a signing secret is stored. */
  readonly hasSigningSecret: boolean;
  /** Whether a key of the shop's API is stored. */
  readonly hasApiKey: boolean;
  /** True: a comparison runs every night and applies what it finds. It needs the key of the shop's API. */
  readonly comparesItself: boolean;
  /** When the latest message arrived; null before the first one. */
  readonly lastEventAt: string | null;
  /** The number of sales whose licenses do not match them, and of messages that failed; at most 1,000. */
  readonly problemsCount: number;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
  /** The generated secret of a `custom` shop. Only this response contains it; null if the request contained one. */
  readonly signingSecret: string | null;
}

/** What the shop sells, by its own API. */
export interface ShopCatalog {
  /** What the shop sells. */
  readonly items: ShopOffer[];
}

/** What an item of a shop becomes. */
export interface Offer {
  readonly id: string;
  /** The shop's id of the item, such as a price. */
  readonly externalId: string;
  /** The name of the item, for the users of the tenant. */
  readonly name: string;
  /** The policy of the licenses. */
  readonly policyId: string;
  readonly quantity: OfferQuantity | (string & {});
  /** How many devices one unit allows; a request with it alone means `seats`. */
  readonly seatsPerUnit: number;
  readonly onRefund: OfferRefund | (string & {});
  readonly onPaymentFailure: OfferPaymentFailure | (string & {});
  /** After how many days a missing payment suspends; null unless `suspendAfterDays`. */
  readonly suspendAfterDays: number | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** A message of a shop, with what it did. */
export interface SaleEvent {
  readonly id: string;
  /** The shop's id of the message, or a hash of its body. */
  readonly externalId: string;
  /** The shop's own name of the event. */
  readonly type: string;
  /** By the clock of the shop; null if it does not say it. */
  readonly occurredAt: string | null;
  /** UTC with microseconds. */
  readonly receivedAt: string;
  readonly state: SaleEventState | (string & {});
  /** How often the service has tried to apply it. */
  readonly attempts: number;
  /** When the service tries next; null: only a person can. */
  readonly nextAttemptAt: string | null;
  /** What it did, in order. */
  readonly effects: SaleEffect[];
  /** Why it did nothing or failed, for people. */
  readonly reason: string | null;
  /** The sale that it is about. */
  readonly saleId: string | null;
  /** The message as the shop sent it. Only for one event, and only for owners and admins. */
  readonly body?: string | null;
}

/** A message that was sent through the real path. */
export interface TestSale {
  readonly eventId: string;
  /** The id of the sale in the imagined shop. */
  readonly saleExternalId: string;
  /** The id of the checkout, for the address of the purchase page. */
  readonly checkoutId: string;
}

/** A comparison of a shop's sales with the licenses here. */
export interface Comparison {
  readonly id: string;
  readonly state: ComparisonState | (string & {});
  /** The number of sales of the shop that were read. */
  readonly seen: number;
  /** The number of sales in the shop; null if it does not say it. */
  readonly total: number | null;
  /** The number of differences that were found. */
  readonly differences: number;
  /** Whether the differences are applied without a person. */
  readonly appliesItself: boolean;
  /** Why it failed, or why it waits, for people. */
  readonly reason: string | null;
  /** When the service continues: it waits while the shop accepts no requests. Null: it has ended. */
  readonly continuesAt: string | null;
  /** UTC with microseconds. */
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** A sale of a shop whose licenses here do not match it. */
export interface ComparisonDifference {
  readonly id: string;
  /** The shop's id of the subscription or of the order. */
  readonly externalId: string;
  readonly kind: ComparisonDifferenceKind | (string & {});
  /** What differs, for people. */
  readonly summary: string;
  readonly buyer: {
    /** The shop's id of the customer. */
    readonly reference: string | null;
    readonly name: string | null;
    readonly email: string | null;
  } | null;
  readonly state: ComparisonDifferenceState | (string & {});
  /** The licenses of the sale. */
  readonly licenseIds: string[];
}

/** A device that uses a license. */
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
  /** The IP address that sent the activation; null: the vendor activated the device. */
  readonly ip: string | null;
  readonly status: ActivationStatus | (string & {});
  /** The time of the newest heartbeat, at first of the activation. */
  readonly lastHeartbeatAt: string;
  /** The activation expires at this time without a heartbeat; null: it never expires. */
  readonly leaseExpiresAt: string | null;
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
}

/** A page of the devices that use a license. */
export interface LicensedDevices {
  /** The devices that hold a seat, newest activation first. */
  readonly activations: LicensedDevice[];
  /** The `cursor` of the next page; null: this is the last one. */
  readonly nextCursor: string | null;
}

/** A trial: its license, and the seat of the device. */
export interface Trial {
  readonly status: 'started';
  /** The key of the license. The application validates and activates with it. */
  readonly licenseKey: string;
  readonly licenseStatus: LicenseStatus | (string & {});
  /** The end of the license; null: it has none. */
  readonly expiresAt: string | null;
  /** The seat of the device; null: it has none. */
  readonly activation: Activation | null;
}

/** The trial starts when its email address is confirmed. */
export interface PendingTrial {
  readonly status: 'confirmation_required';
  /** The address of the request, to which the code was sent. */
  readonly email: string;
  /** The code works until this time. */
  readonly expiresAt: string;
}

/** The update for a license, and what it misses. */
export interface LatestRelease {
  readonly release: OfferedRelease | null;
  readonly newest: NewestRelease | null;
  readonly newestPermitted: PermittedRelease | null;
}

/** The link to a file, and what to compare it with. */
export interface ReleaseDownload {
  readonly url: string;
  /** Until when the link works; null: always. */
  readonly expiresAt: string | null;
  readonly fileName: string;
  readonly size: number;
  readonly sha256: string;
}

/** A version of a product. */
export interface Release {
  readonly id: string;
  readonly productId: string;
  /** A semantic version, unique within the product. */
  readonly version: string;
  /** `stable`, `beta`, `alpha`, or a name of your own. */
  readonly channel: string;
  readonly status: ReleaseStatus | (string & {});
  /** Markdown. */
  readonly notes: string;
  /** When it was published. */
  readonly releasedAt: string | null;
  /** The entitlements that a license needs for the release. */
  readonly minimumEntitlements: string[];
  readonly yankedReason: string | null;
  readonly downloadsCount: number;
  /** The files. */
  readonly artifacts: ReleaseArtifact[];
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** The downloads of a day. */
export interface ReleaseDownloads {
  /** A day in UTC. */
  readonly day: string;
  readonly count: number;
}

/** A feature or a quantity that policies and licenses grant. */
export interface Entitlement {
  readonly id: string;
  /** Unique within the tenant. */
  readonly code: string;
  readonly name: string;
  readonly type: EntitlementType | (string & {});
  /** A note for the users of the tenant. */
  readonly description: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** The usage of one entitlement by one license in one interval. */
export interface UsageBucket {
  /** The start of the bucket. */
  readonly bucketStart: string;
  readonly licenseId: string;
  /** The holder of the license and the end of its key, also after its deletion. */
  readonly licenseName: string;
  /** The code of the entitlement. */
  readonly entitlement: string;
  /** The quantity used in the bucket. */
  readonly quantity: number;
}

/** The usage in one interval. */
export interface UsagePoint {
  /** The start of the bucket. */
  readonly bucketStart: string;
  /** One sum per entitlement that was used in the bucket. */
  readonly entitlements: UsageSum[];
}

/** A credential of the Integration API, without the raw key. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly status: ApiKeyStatus | (string & {});
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** The masked key, such as `vx_3f9a…c2d1`, by which people recognise it. */
  readonly hint: string;
  /** When the key stops working; null: never. */
  readonly expiresAt: string | null;
  /** The time of the newest request; null before the first. */
  readonly lastUsedAt: string | null;
  /** What the key may do. */
  readonly scopes: (ApiKeyScope | (string & {}))[];
  /** The networks from which the key may be used; empty: all networks. */
  readonly allowedCidrs: string[];
  /** The only product that the key works for: it does not know the licenses of other products. Null: all products. */
  readonly productId: string | null;
  /** The requests per minute with this key; null: only the tenant's limit applies. */
  readonly rateLimitPerMinute: number | null;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  readonly rateLimitPerAddressPerMinute: number | null;
  readonly createdBy: ApiKeyCreator | null;
}

/** A new API key with the raw key. */
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
  readonly scopes: (ApiKeyScope | (string & {}))[];
  /** The networks from which the key may be used; empty: all networks. */
  readonly allowedCidrs: string[];
  /** The only product that the key works for: it does not know the licenses of other products. Null: all products. */
  readonly productId: string | null;
  /** The requests per minute with this key; null: only the tenant's limit applies. */
  readonly rateLimitPerMinute: number | null;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  readonly rateLimitPerAddressPerMinute: number | null;
  readonly createdBy: ApiKeyCreator | null;
}

/** The settings of a tenant. */
export interface Settings {
  /** The name of the tenant. */
  readonly name: string;
  /** The time zone of periods and buckets, by its name in the IANA time zone database. */
  readonly timezone: string;
  /** The address that the tenant's customers write to. */
  readonly supportEmail: string | null;
  /** The prefix of generated license keys if the policy has no `keyPrefix`; null: no prefix. */
  readonly licenseKeyPrefix: string | null;
  /** The number of days before its expiry from which a license counts as expiring. */
  readonly expiringSoonDays: number;
  /** The recipients of notification mails. An empty list means the owners. */
  readonly notificationEmails: string[];
  /** The subscription of a new webhook endpoint that names no events. */
  readonly webhookEventDefaults: string[];
  readonly retentionDays: RetentionDays;
  /** The maximum number of trials without a key that start on a day (UTC). */
  readonly trialsPerDayMax: number;
  /** The maximum number of trials without a key that one client address may start within 24 hours. */
  readonly trialsPerAddressMax: number;
}

/** An endpoint that receives events, without its secret. */
export interface WebhookEndpoint {
  readonly id: string;
  /** The URL that receives events. */
  readonly url: string;
  /** A note for the users of the tenant. */
  readonly description: string | null;
  /** The subscribed types of events, or `["*"]` for all. */
  readonly events: string[];
  /** Deliver only events about licenses, devices and usage of this product, and test events. Null: all. */
  readonly productId: string | null;
  /** The own headers, without their values. */
  readonly headers: WebhookHeader[];
  readonly status: WebhookStatus | (string & {});
  /**
   * `requested`: a caller disabled it. `gone`: it responded with 410. `failing`: at least ten deliveries in a row
   * failed over a day or more. `null`: it is enabled.
   */
  readonly disabledReason: 'requested' | 'gone' | 'failing' | (string & {}) | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
  /** Until then deliveries are also signed with the secret before the rotation. Only with `include=details`. */
  readonly previousSecretExpiresAt?: string | null;
  readonly health?: WebhookEndpointHealth;
}

/** An endpoint with its new secret. */
export interface WebhookEndpointWithSecret {
  readonly id: string;
  /** The URL that receives events. */
  readonly url: string;
  /** A note for the users of the tenant. */
  readonly description: string | null;
  /** The subscribed types of events, or `["*"]` for all. */
  readonly events: string[];
  /** Deliver only events about licenses, devices and usage of this product, and test events. Null: all. */
  readonly productId: string | null;
  /** The own headers, without their values. */
  readonly headers: WebhookHeader[];
  readonly status: WebhookStatus | (string & {});
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

/** How many deliveries are sent again. */
export interface RecoveredWebhook {
  /** Number of events that are sent, or would be sent with `dryRun`. */
  readonly count: number;
}

/** A delivery of one event to one endpoint. */
export interface WebhookDelivery {
  readonly id: string;
  /** The webhook endpoint. */
  readonly webhookId: string;
  /** The id of the event, sent as `webhook-id`. */
  readonly eventId: string;
  /** The type of the event, such as `license.created`. */
  readonly eventType: string;
  readonly status: WebhookDeliveryStatus | (string & {});
  /** Why no further attempt follows; `null` unless the delivery failed. */
  readonly failureReason: 'attempts_exhausted' | 'endpoint_disabled' | 'endpoint_deleted' | (string & {}) | null;
  /** The time of the next attempt; null if none follows. */
  readonly nextAttemptAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** The body of every attempt, as it is sent. */
  readonly requestBody: string;
  /** The last 100 attempts, oldest first. */
  readonly attempts: WebhookAttempt[];
}

/** A delivery of one event to one endpoint, with its last attempt. */
export interface WebhookDeliverySummary {
  readonly id: string;
  /** The webhook endpoint. */
  readonly webhookId: string;
  /** The id of the event, sent as `webhook-id`. */
  readonly eventId: string;
  /** The type of the event, such as `license.created`. */
  readonly eventType: string;
  readonly status: WebhookDeliveryStatus | (string & {});
  /** Why no further attempt follows; `null` unless the delivery failed. */
  readonly failureReason: 'attempts_exhausted' | 'endpoint_disabled' | 'endpoint_deleted' | (string & {}) | null;
  /** The time of the next attempt; null if none follows. */
  readonly nextAttemptAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  readonly lastAttempt: WebhookAttemptSummary | null;
}

/** A message to the users of a tenant. */
export interface Notification {
  readonly id: string;
  /** The subject, such as `license.expiring`. */
  readonly type: string;
  readonly severity: Severity | (string & {});
  /** One line that says what happened. */
  readonly title: string;
  /** What happened and what to do, as plain text. */
  readonly body: string;
  /** The type of the resource that it is about, such as `license`; null if it is about none. */
  readonly resourceType: string | null;
  /** Its id; null also if it is about several. */
  readonly resourceId: string | null;
  /** Null while it is unread. */
  readonly readAt: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
}

/** How many notifications are unread. */
export interface UnreadNotificationCount {
  /** The number of unread notifications, at most 100. */
  readonly count: number;
}

/** How many notifications became read. */
export interface ReadCount {
  /** The number of notifications marked as read. */
  readonly count: number;
}

/** A change, who made it and with which request. */
export interface AuditRecord {
  readonly id: string;
  /** When the change was made. */
  readonly occurredAt: string;
  /** `RESOURCE.VERB`; with the suffix `_BY_ADMIN` if an admin of the platform acted on a tenant. */
  readonly event: string;
  readonly actorType: ActorType | (string & {});
  /**
   * The id of the user, admin, API key or access token (whose type is `user`), of the session of a holder, or of the
   * connection.
   */
  readonly actorId: string | null;
  /** The actor's present name; null if it was removed, and for admins on the tenant surface. */
  readonly actorName: string | null;
  /** The id of the user who created the access token that acted; null for other actors. */
  readonly actorCreatedBy: string | null;
  /** The type of the affected resource, such as `license`. */
  readonly resourceType: string;
  /** The id of the affected resource. */
  readonly resourceId: string | null;
  /**
   * For a license or an activation: the holder of the license and the end of its key, also after it was deleted. Null
   * otherwise.
   */
  readonly resourceName: string | null;
  /** The id of the request that caused the record. */
  readonly requestId: string | null;
  /** The IP address of the client. */
  readonly ip: string | null;
  /** The changed fields; they never contain secrets. */
  readonly changes: AuditChange[];
}

/** The body of a delivery. Later versions add types of events: ignore those that you do not know. */
export type WebhookEvent =
  | LicenseEvent
  | ActivationEvent
  | ActivationRefusalEvent
  | EntitlementEvent
  | ApiKeyEvent
  | WebhookEndpointEvent
  | TestEvent
  | UnknownWebhookEvent;

/**
 * The reason of a failure; `/docs/errors/` explains each. Programs may depend on it. Later versions add codes: accept
 * unknown ones.
 */
export type ErrorCode =
  | 'REQUEST.MALFORMED'
  | 'FEATURE_FLAG.CONTEXT_INVALID'
  | 'TENANT.SELECTION_REQUIRED'
  | 'PAYMENT.EVENT_REJECTED'
  | 'AUTH.INVALID_API_KEY'
  | 'AUTH.INVALID_TOKEN'
  | 'AUTH.INVALID_CREDENTIALS'
  | 'SALES.SIGNATURE_INVALID'
  | 'AUTH.TWO_FACTOR_REQUIRED'
  | 'AUTH.TWO_FACTOR_INVALID'
  | 'AUTH.SSO_DENIED'
  | 'AUTH.SSO_TOKEN_INVALID'
  | 'BILLING.PAYMENT_FAILED'
  | 'TENANT.STATUS.SUSPENDED'
  | 'TENANT.STATUS.CLOSED'
  | 'TENANT.ACCESS_DENIED'
  | 'AUTH.ABILITY_REQUIRED'
  | 'AUTH.SCOPE_REQUIRED'
  | 'AUTH.IP_NOT_ALLOWED'
  | 'AUTH.ROLE_REQUIRED'
  | 'AUTH.EMAIL_UNVERIFIED'
  | 'AUTH.TWO_FACTOR_SETUP_REQUIRED'
  | 'AUTH.SSO_EMAIL_UNVERIFIED'
  | 'AUTH.SSO_NO_ACCOUNT'
  | 'AUTH.SIGN_UP_CLOSED'
  | 'AUTH.SSO_ROLE_MISSING'
  | 'AUTH.SSO_ACCOUNT_DISABLED'
  | 'BILLING.ROLE_REQUIRED'
  | 'PLAN.LIMIT_REACHED'
  | 'PORTAL.NOT_PERMITTED'
  | 'METRICS.ACCESS_DENIED'
  | 'ROUTE.NOT_FOUND'
  | 'RESOURCE.NOT_FOUND'
  | 'TENANT.NOT_FOUND'
  | 'LICENSE.NOT_FOUND'
  | 'CUSTOMER.NOT_FOUND'
  | 'CUSTOMER_NOTE.NOT_FOUND'
  | 'PRODUCT.NOT_FOUND'
  | 'RELEASE.NOT_FOUND'
  | 'FEATURE_FLAG.NOT_FOUND'
  | 'ACTIVATION.NOT_FOUND'
  | 'AUTH.SSO_OFF'
  | 'PORTAL.NOT_FOUND'
  | 'ROUTE.METHOD_NOT_ALLOWED'
  | 'REQUEST.TIMEOUT'
  | 'PRODUCT.CODE_TAKEN'
  | 'PRODUCT.IN_USE'
  | 'RELEASE.VERSION_TAKEN'
  | 'RELEASE.TRANSITION_INVALID'
  | 'RELEASE.ARTIFACT_REQUIRED'
  | 'POLICY.CODE_TAKEN'
  | 'POLICY.IN_USE'
  | 'ENTITLEMENT.CODE_TAKEN'
  | 'ENTITLEMENT.IN_USE'
  | 'LICENSE.KEY_TAKEN'
  | 'LICENSE.ORDER_NUMBER_TAKEN'
  | 'LICENSE.TRANSITION_INVALID'
  | 'BULK_OPERATION.TRANSITION_INVALID'
  | 'LICENSE.HOLDER_EMAIL_MISSING'
  | 'PORTAL.HANDLE_TAKEN'
  | 'PORTAL.DOMAIN_TAKEN'
  | 'PORTAL.DOMAIN_NOT_PROVED'
  | 'PORTAL.SWITCHED_OFF'
  | 'TRIAL.NOT_OFFERED'
  | 'SALES.OFFER_TAKEN'
  | 'SALES.COMPARISON_RUNNING'
  | 'TENANT.TRANSITION_INVALID'
  | 'MEMBER.ALREADY_ADDED'
  | 'MEMBER.CONSENT_REQUIRED'
  | 'MEMBER.LAST_OWNER'
  | 'ACCESS_TOKEN.TOO_MANY'
  | 'API_KEY.REVOKED'
  | 'WEBHOOK.DISABLED'
  | 'FEATURE_FLAG.KEY_TAKEN'
  | 'FEATURE_FLAG.TOO_MANY'
  | 'USER.DISABLED'
  | 'USER.BEING_ERASED'
  | 'MAIL.EXPIRED'
  | 'MAIL.NOT_REPEATABLE'
  | 'ACCOUNT.LAST_OWNER'
  | 'ACCOUNT.CHANGED'
  | 'ACCOUNT.NO_PASSWORD'
  | 'ACCOUNT.EMAIL_TAKEN'
  | 'ACCOUNT.EXPORT_NOT_READY'
  | 'ONBOARDING.NO_PROVIDER'
  | 'ONBOARDING.TOO_MANY_OPEN'
  | 'ONBOARDING.TOO_MANY_FREE'
  | 'ONBOARDING.TRANSITION_INVALID'
  | 'CATALOG_PRODUCT.CODE_TAKEN'
  | 'CATALOG_PRODUCT.IN_USE'
  | 'PLAN.CODE_TAKEN'
  | 'PLAN.IN_USE'
  | 'PLAN.FREE_FIXED'
  | 'COUPON.CODE_TAKEN'
  | 'COUPON.NOT_REDEEMABLE'
  | 'BILLING.MANAGED_BY_SUBSCRIPTION'
  | 'BILLING.TEST_TENANT'
  | 'TEST_TENANT.NOT_LIVE'
  | 'TEST_TENANT.NOT_TEST'
  | 'BILLING.NO_PROVIDER'
  | 'BILLING.NO_SUBSCRIPTION'
  | 'BILLING.REFUSED'
  | 'SUBSCRIPTION.TRANSITION_INVALID'
  | 'INVOICE.NOT_FINAL'
  | 'INVOICE.NOT_DUE'
  | 'INVOICE.ALREADY_REMINDED'
  | 'INVOICE.TRANSITION_INVALID'
  | 'ADMIN.EMAIL_TAKEN'
  | 'ADMIN.LAST_SUPER_ADMIN'
  | 'ADMIN.OWN_ROLE'
  | 'AUTH.TWO_FACTOR_ENABLED'
  | 'AUTH.TWO_FACTOR_NOT_SET_UP'
  | 'AUTH.SSO_IDENTITY_TAKEN'
  | 'IDEMPOTENCY.IN_PROGRESS'
  | 'REQUEST.TOO_LARGE'
  | 'REQUEST.URI_TOO_LONG'
  | 'REQUEST.UNSUPPORTED_MEDIA_TYPE'
  | 'SALES.NO_API'
  | 'SALES.KEY_REFUSED'
  | 'MAIL.NOT_ACCEPTED'
  | 'VALIDATION.FAILED'
  | 'AUTH.LINK_INVALID'
  | 'AUTH.SSO_ATTEMPT_INVALID'
  | 'POLICY.ARCHIVED'
  | 'PRODUCT.ARCHIVED'
  | 'TRIAL.EMAIL_REQUIRED'
  | 'TRIAL.CODE_INVALID'
  | 'LICENSE.RENEWAL_IN_PAST'
  | 'LICENSE.REVOKED'
  | 'LICENSE.SUSPENDED'
  | 'LICENSE.NOT_STARTED'
  | 'LICENSE.EXPIRED'
  | 'LICENSE.PRODUCT_MISMATCH'
  | 'LICENSE.KEY_REQUIRED'
  | 'LICENSE.MAINTENANCE_EXPIRED'
  | 'ACTIVATION.FINGERPRINT_REQUIRED'
  | 'ACTIVATION.LEASE_EXPIRED'
  | 'ACTIVATION.LIMIT_EXCEEDED'
  | 'ENTITLEMENT.NOT_GRANTED'
  | 'ACTIVATION.LIMIT_REACHED'
  | 'ACTIVATION.DEACTIVATION_LIMIT_REACHED'
  | 'IMPORT.REJECTED'
  | 'PORTAL.LOGIN_INVALID'
  | 'OFFLINE_REQUEST.INVALID'
  | 'OFFLINE_REQUEST.OTHER_PRODUCT'
  | 'IDEMPOTENCY.KEY_REUSED'
  | 'BILLING.REFERENCE_REUSED'
  | 'RATE_LIMIT.EXCEEDED'
  | 'TRIAL.LIMIT_REACHED'
  | 'MAIL.LIMIT_REACHED'
  | 'AUTH.LOCKED_OUT'
  | 'REQUEST.HEADERS_TOO_LARGE'
  | 'INTERNAL.ERROR'
  | 'SERVICE.UNAVAILABLE'
  | 'SALES.SHOP_UNAVAILABLE'
  | 'TENANT.MOVING';

/**
 * The reason for a verdict. `LICENSE.VALID`: valid without restrictions. Later versions add codes: accept unknown ones,
 * and let `valid` decide.
 */
export type VerdictCode =
  /** The license is valid. Unlock the product. */
  | 'LICENSE.VALID'
  /** The license has expired and is in its grace period. Unlock the product, and remind the customer to renew. */
  | 'LICENSE.IN_GRACE'
  /** The license has expired. The verdict is valid if the policy allows expired licenses. Renew the license. */
  | 'LICENSE.EXPIRED'
  /** No license has this key. Ask the customer to check the key. */
  | 'LICENSE.NOT_FOUND'
  /** The license was revoked permanently. Issue another license. */
  | 'LICENSE.REVOKED'
  /** The license is suspended. Ask the vendor to reinstate it. */
  | 'LICENSE.SUSPENDED'
  /** The license starts later: see `startsAt`. Wait until it starts. */
  | 'LICENSE.NOT_STARTED'
  /** The license is for another product. Use a license of this product. */
  | 'LICENSE.PRODUCT_MISMATCH'
  /**
   * This version was released after the maintenance expired: see `maintenanceExpiresAt`. Renew the license, or use an
   * older version.
   */
  | 'LICENSE.MAINTENANCE_EXPIRED'
  /** The license must be activated per device, and the request names none. Send the fingerprint of the device. */
  | 'ACTIVATION.FINGERPRINT_REQUIRED'
  /** This fingerprint is not activated. Activate the device. */
  | 'ACTIVATION.NOT_FOUND'
  /** The lease of the device ended without a heartbeat. Activate the device again. */
  | 'ACTIVATION.LEASE_EXPIRED'
  /**
   * More devices are activated than the license allows. The verdict is valid if the policy allows the overage. Release
   * devices, which is always possible while they are refused, or raise `maxActivations`.
   */
  | 'ACTIVATION.LIMIT_EXCEEDED'
  /**
   * The license does not grant every requested entitlement: see `entitlements`. Offer an upgrade, or grant the
   * entitlement.
   */
  | 'ENTITLEMENT.NOT_GRANTED';

/** The license with its effective limit of activations; null for an unknown key. */
export interface VerdictLicense {
  readonly id: string;
  /** The product of the policy. */
  readonly productId: string;
  readonly policyId: string;
  /** The license key that the holder enters; unique within the tenant. */
  readonly key: string;
  readonly status: LicenseStatus | (string & {});
  /** Why the license was suspended, reinstated or revoked; null if nobody said why. */
  readonly statusReason: string | null;
  /** The batch that the license was issued in; null: alone. */
  readonly batchId: string | null;
  readonly holder: LicenseHolder;
  /** The license is pending before this time. */
  readonly startsAt: string;
  /** The end of the license; null: perpetual, or not determined yet because the term starts with the first use. */
  readonly expiresAt: string | null;
  /** Releases after this time are not included; null: all releases are included. */
  readonly maintenanceExpiresAt: string | null;
  /** The effective limit: the license's own, otherwise its policy's. Null: unlimited. */
  readonly maxActivations: number | null;
  /** Your own number of the order, unique among your licenses; null: there is none. */
  readonly orderNumber: string | null;
  /** Overrides of the policy's entitlements. */
  readonly entitlements: LicenseEntitlement[];
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

/** The access of a license to one entitlement. */
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

/** What became of one event. */
export interface UsageResult {
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
}

/** A metered entitlement of a license: its use and its limit. */
export interface UsageCounter {
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
}

/** The S3 storage of private files: a download is a link that works for 5 minutes. Null: every file is public. */
export interface DownloadStorage {
  /** The https address of the storage. */
  readonly endpoint: string;
  /** The region of the bucket. */
  readonly region: string;
  /** The bucket with the files. */
  readonly bucket: string;
  /** The id of the key. */
  readonly accessKeyId: string;
}

/** The event from which `durationDays` or `durationMonths` counts. */
export type ExpiryBasis = 'creation' | 'first_validation' | 'first_activation';

/** Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`. */
export type ExpiryStrategy = 'deny' | 'allow';

/** Whether a renewal counts from the expiry, from the present time, or from the later of the two. */
export type RenewalBasis = 'from_expiry' | 'from_now' | 'from_expiry_or_now';

/**
 * How the service recognises a device whose fingerprint is not activated. `exact`: it does not. `most`: more than half
 * of the stored `components` are equal. `any`: one of them is equal.
 */
export type FingerprintMatching = 'exact' | 'most' | 'any';

/** An entitlement as a policy grants it. */
export interface PolicyEntitlement {
  /** The code of an entitlement: letters, digits and `._:-`. */
  readonly code: string;
  /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
  readonly value?: string | number | boolean | null;
  /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
  readonly limit?: number | null;
  readonly reset?: ResetPeriod | (string & {});
  readonly overage?: OverageMode | (string & {});
}

/** `pending` before `startsAt`; `expired` after `expiresAt`. `revoked` is permanent. */
export type LicenseStatus = 'pending' | 'active' | 'suspended' | 'revoked' | 'expired';

/** The person or company that the license was issued to. */
export interface LicenseHolder {
  readonly name: string | null;
  readonly email: string | null;
  /** Your own id of the holder, such as a customer number. */
  readonly reference: string | null;
}

/** An entitlement of a license that overrides its policy. */
export interface LicenseEntitlement {
  /** The code of an entitlement: letters, digits and `._:-`. */
  readonly code: string;
  /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
  readonly value?: string | number | boolean | null;
  /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
  readonly limit?: number | null;
  readonly reset?: ResetPeriod | (string & {});
  readonly overage?: OverageMode | (string & {});
  /** The override applies until this time; null: it has no end. */
  readonly expiresAt?: string | null;
}

/** One problem of an imported file. */
export interface ImportError {
  /** The number of the row, from 1. The header is not counted. */
  readonly row: number;
  /** The column that is not valid. */
  readonly field: string;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** A column of an imported file. */
export interface ImportColumn {
  /** The name of the column. */
  readonly name: string;
  /** False for a column of an export that an import ignores. */
  readonly imported: boolean;
}

/** A row of an imported file, as the service read it. */
export interface ImportedRow {
  /** The number of the row, from 1. */
  readonly row: number;
  /** The values by column. Long ones are cut off. */
  readonly values: Record<string, unknown>;
}

/** `failed`: see `reason`. The licenses that were created until then are kept. */
export type LicenseImportState = 'running' | 'done' | 'failed';

/** What the device asked for. */
export type LicenseCheckKind = 'validation' | 'activation';

/** The kind of shop; `custom` is a shop of your own, which sends the messages that the guide describes. */
export type SalesProvider =
  | 'stripe'
  | 'paddle'
  | 'lemonsqueezy'
  | 'polar'
  | 'gumroad'
  | 'custom';

/** A subscription or an order in a shop, with its licenses. */
export interface Sale {
  readonly id: string;
  /** The shop's id of the subscription or of the order. */
  readonly externalId: string;
  readonly kind: SaleKind | (string & {});
  readonly state: SaleState | (string & {});
  readonly buyer: SaleBuyer;
  /** What was sold. */
  readonly items: SaleItem[];
  /** The licenses that it has issued, in their order. */
  readonly licenseIds: string[];
  /** The end of the period that is paid; null: it has none. */
  readonly paidUntil: string | null;
  /** When a subscription ends or has ended, if that is known. */
  readonly endsAt: string | null;
  readonly refund: SaleRefund | (string & {});
  readonly dispute: SaleDispute | (string & {});
  readonly problem: SaleProblem | null;
  /** The sale in the shop's own dashboard; null: it has no address. */
  readonly shopUrl: string | null;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /** UTC with microseconds. */
  readonly updatedAt: string;
}

/** `failed`: see `reason`. The licenses that were issued until then are kept. */
export type LicenseBatchState = 'running' | 'done' | 'failed';

/** `cancelled`: what was changed until then is kept, and can be undone. */
export type BulkOperationState = 'running' | 'done' | 'cancelled';

/** Why licenses cannot be changed. */
export interface BulkRefusal {
  /** The code that a single change would be refused with. */
  readonly code: string;
  /** Why, for people. */
  readonly message: string;
  /** The number of licenses that were refused for this reason. */
  readonly count: number;
}

/** A license that would change. */
export interface BulkExample {
  readonly licenseId: string;
  readonly key: string;
  readonly holder: LicenseHolder;
  readonly changes: BulkChange[];
}

/** A license, on request with what applies to it from its product and its policy. */
export interface LicenseDetails {
  readonly id: string;
  /** The product of the policy. */
  readonly productId: string;
  readonly policyId: string;
  /** The license key that the holder enters; unique within the tenant. */
  readonly key: string;
  readonly status: LicenseStatus | (string & {});
  /** Why the license was suspended, reinstated or revoked; null if nobody said why. */
  readonly statusReason: string | null;
  /** The batch that the license was issued in; null: alone. */
  readonly batchId: string | null;
  readonly holder: LicenseHolder;
  /** The license is pending before this time. */
  readonly startsAt: string;
  /** The end of the license; null: perpetual, or not determined yet because the term starts with the first use. */
  readonly expiresAt: string | null;
  /** Releases after this time are not included; null: all releases are included. */
  readonly maintenanceExpiresAt: string | null;
  /** The license's own limit of active devices; null: the limit of the policy. */
  readonly maxActivations: number | null;
  /** Your own number of the order, unique among your licenses; null: there is none. */
  readonly orderNumber: string | null;
  /** Overrides of the policy's entitlements. */
  readonly entitlements: LicenseEntitlement[];
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
  /** The name of the product. Only with `include=details`. */
  readonly productName?: string;
  /** The name of the policy. Only with `include=details`. */
  readonly policyName?: string;
  /** The license's own limit of devices, else its policy's. Null: unlimited. Only with `include=details`. */
  readonly activationsLimit?: number | null;
  /** The limit with the overage of the policy. Null: unlimited. Only with `include=details`. */
  readonly activationsAdmitted?: number | null;
  readonly pendingTerm?: PendingTerm | null;
  /** Since when devices are refused because every seat is taken; null: none is. Only with `include=details`. */
  readonly refusedSince?: string | null;
}

/** A license of the person. A deleted license is kept as history, with the time of its deletion. */
export interface ExportedLicense {
  readonly id: string;
  /** The product of the policy. */
  readonly productId: string;
  readonly policyId: string;
  /** The license key that the holder enters; unique within the tenant. */
  readonly key: string;
  readonly status: LicenseStatus | (string & {});
  /** Why the license was suspended, reinstated or revoked; null if nobody said why. */
  readonly statusReason: string | null;
  /** The batch that the license was issued in; null: alone. */
  readonly batchId: string | null;
  readonly holder: LicenseHolder;
  /** The license is pending before this time. */
  readonly startsAt: string;
  /** The end of the license; null: perpetual, or not determined yet because the term starts with the first use. */
  readonly expiresAt: string | null;
  /** Releases after this time are not included; null: all releases are included. */
  readonly maintenanceExpiresAt: string | null;
  /** The license's own limit of active devices; null: the limit of the policy. */
  readonly maxActivations: number | null;
  /** Your own number of the order, unique among your licenses; null: there is none. */
  readonly orderNumber: string | null;
  /** Overrides of the policy's entitlements. */
  readonly entitlements: LicenseEntitlement[];
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
  readonly deletedAt: string | null;
}

/** A trial without a key that the person started. */
export interface ExportedTrial {
  readonly productId: string;
  readonly licenseId: string;
  /** The device that started the trial. */
  readonly fingerprint: string;
  /** UTC with microseconds. */
  readonly startedAt: string;
  readonly convertedAt: string | null;
}

/** A device with its components. */
export interface ExportedActivation {
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
  /** The IP address that sent the activation; null: the vendor activated the device. */
  readonly ip: string | null;
  readonly status: ActivationStatus | (string & {});
  /** The time of the newest heartbeat, at first of the activation. */
  readonly lastHeartbeatAt: string;
  /** The activation expires at this time without a heartbeat; null: it never expires. */
  readonly leaseExpiresAt: string | null;
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  readonly metadata: Record<string, unknown>;
  /** UTC with microseconds. */
  readonly createdAt: string;
  /**
   * Parts of the device and their hashes. Without `fingerprint`, the fingerprint is the hexadecimal SHA-256 of the
   * sorted lines `name=value`, joined by line feeds.
   */
  readonly components?: Record<string, unknown>;
}

/** What a device asked about a license of the person. */
export interface ExportedLicenseCheck {
  readonly licenseId: string;
  readonly kind: LicenseCheckKind | (string & {});
  /** The device; null: the request named none. */
  readonly fingerprint: string | null;
  /** The code of the verdict; of an activation `ACTIVATION.CREATED`, or the error code. */
  readonly code: string;
  /** Whether the device was allowed to use the license. */
  readonly isAllowed: boolean;
  /** The newest `appVersion` that the device sent. */
  readonly appVersion: string | null;
  /** The IP address of the newest request. */
  readonly address: string | null;
  /** The time of the first request with this result that is kept. */
  readonly firstAt: string;
  /** The time of the newest one. */
  readonly lastAt: string;
  /** The number of requests of this device with this result. */
  readonly count: number;
}

/** A note about the person. */
export interface ExportedCustomerNote {
  /** The note. */
  readonly text: string;
  /** When the note was written. */
  readonly createdAt: string;
}

/** A purchase of the person in a shop of the tenant. */
export interface CustomerPurchase {
  readonly connectionId: string;
  /** The shop's id of the subscription or of the order. */
  readonly externalId: string;
  /** `subscription` or `one_time`; null if the shop has not said it. */
  readonly kind: string | null;
  /** The state in the shop; null if the shop has not said it. */
  readonly state: string | null;
  readonly buyer: CustomerPurchaseBuyer;
  /** What was bought, by the shop's ids. */
  readonly items: CustomerPurchaseItem[];
  /** When the shop reported it first. */
  readonly createdAt: string;
}

/** Whether a user of the tenant or an admin of the platform wrote it. */
export type NoteAuthorType = 'user' | 'admin';

/** The type of the mail: the event that it reports. */
export type HolderMailType =
  | 'license.issued'
  | 'license.key_replaced'
  | 'license.renewed'
  | 'license.expiring'
  | 'license.expired'
  | 'license.suspended'
  | 'license.reinstated'
  | 'activation.created'
  | 'activation.limit_reached'
  | 'trial.confirm'
  | 'portal.login'
  | 'portal.device_released';

/** `sent`: a mail server accepted it. `refused`: it was refused for good. `cancelled`: it became useless. */
export type HolderMailState = 'queued' | 'sent' | 'refused' | 'cancelled';

/** `disabled`: its address refuses messages, and messages that wait are not applied. */
export type ConnectionStatus = 'active' | 'disabled';

/** Something that the shop sells, for the choice of an offer. */
export interface ShopOffer {
  /** The shop's id of the item. */
  readonly externalId: string;
  /** The shop's name of the item. */
  readonly name: string;
  /** The price in words; null if the shop does not say it. */
  readonly price: string | null;
}

/**
 * `policy`: one license for as many devices as the policy allows. `seats`: one license for quantity × `seatsPerUnit`
 * devices. `licenses`: one license for each. `ignore`: no license.
 */
export type OfferQuantity = 'policy' | 'seats' | 'licenses' | 'ignore';

/**
 * What a full refund or a lost dispute does. `revoke` is final, so a subscription that still runs is only suspended.
 */
export type OfferRefund = 'revoke' | 'suspend' | 'nothing';

/**
 * What a missing payment does. `nothing`: the license ends with the period that is paid. `suspendAfterDays`: it works
 * for so many days more and is then suspended.
 */
export type OfferPaymentFailure = 'nothing' | 'suspend_after_days';

/**
 * `pending`: it waits. `applied`: it changed licenses. `nothing`: there was nothing to change. `failed`: see `reason`.
 */
export type SaleEventState = 'pending' | 'applied' | 'nothing' | 'failed';

/** What a message did to one license. */
export interface SaleEffect {
  readonly effect: SaleEffectName | (string & {});
  readonly licenseId: string;
}

/** `failed`: see `reason`. What was found until then is kept. */
export type ComparisonState = 'running' | 'done' | 'failed';

/**
 * `missing_here`: paid there and no license here. `active_here_only`: ended or not paid there and usable here.
 * `other_terms`: other seats, another end or another policy. `problem`: the offers do not fit the sale.
 */
export type ComparisonDifferenceKind =
  | 'missing_here'
  | 'active_here_only'
  | 'other_terms'
  | 'problem';

/** `open`: it waits for a decision. `applied`: the licenses match the shop now. */
export type ComparisonDifferenceState = 'open' | 'applied';

/** `expired`: no heartbeat arrived before the lease ended. */
export type ActivationStatus = 'active' | 'expired' | 'deactivated';

/** A device that holds a seat of the license, as its holder may see it. */
export interface LicensedDevice {
  /** The id of the activation: `deactivate` releases it. */
  readonly id: string;
  /**
   * The beginning of the name of the device, otherwise of its host name: at most 4 characters and at most half of it,
   * and `…`.
   */
  readonly name: string | null;
  /** The operating system of the device, in words of your choice. */
  readonly platform: string | null;
  /** The time of the newest heartbeat, at first of the activation. */
  readonly lastHeartbeatAt: string;
  /** When the device was activated. */
  readonly createdAt: string;
  /** Whether the device has the `fingerprint` of the request. */
  readonly isThisDevice: boolean;
}

/** The newest permitted release that is newer than `currentVersion`. */
export interface OfferedRelease {
  readonly id: string;
  readonly version: string;
  readonly channel: string;
  /** Markdown. */
  readonly notes: string;
  /** UTC with microseconds. */
  readonly releasedAt: string;
  readonly artifacts: OfferedArtifact[];
}

/** The newest release of the channel. */
export interface NewestRelease {
  readonly version: string;
  /** UTC with microseconds. */
  readonly releasedAt: string;
  /** Why the license does not permit it; null: it does. */
  readonly code: string | null;
  readonly detail: string | null;
}

/** The newest release that the license permits. */
export interface PermittedRelease {
  readonly version: string;
}

/** `yanked`: withdrawn; nobody is offered it any more. */
export type ReleaseStatus = 'draft' | 'published' | 'yanked';

/** A file of a release. */
export interface ReleaseArtifact {
  readonly id: string;
  readonly platform: ReleasePlatform | (string & {});
  readonly arch: ReleaseArch | (string & {});
  readonly fileName: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
  /** The address of the file, https; with `downloadStorage` of the product it may be private. */
  readonly url: string;
  /** The signature that the updater verifies. */
  readonly signature: string | null;
}

/**
 * `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
 * changed.
 */
export type EntitlementType = 'boolean' | 'value' | 'metered';

/** The usage of one entitlement by all licenses. */
export interface UsageSum {
  /** The code of the entitlement. */
  readonly code: string;
  readonly quantity: number;
}

/** Only an `active` key is accepted. */
export type ApiKeyStatus = 'active' | 'revoked' | 'expired';

/**
 * A permission of the Integration API. Certificates require `licenses:validate`. A new key has all but `trials:create`,
 * with which an application starts trials without a key, and `releases:read`, with which it finds updates.
 */
export type ApiKeyScope =
  | 'licenses:validate'
  | 'activations:write'
  | 'entitlements:check'
  | 'usage:write'
  | 'trials:create'
  | 'releases:read';

/** Who created the key. */
export interface ApiKeyCreator {
  /** `user`, `admin` or `system`. */
  readonly type: string;
  /** The id of the user or admin, or of the access token; its type is `user` too. */
  readonly id: string | null;
  /**
   * The present name of the member or access token; null for others and for callers with an access token. Only in lists
   * with `include=details`.
   */
  readonly name?: string | null;
}

/** How long data is kept, in days. */
export interface RetentionDays {
  /** The retention of audit records and unread notifications in days. Read notifications: 90 days. */
  readonly audit: number;
  /** The retention of usage in days. */
  readonly usage: number;
  /** The retention of events and webhook deliveries in days. */
  readonly deliveries: number;
  /** The retention of the list of mails to license holders in days. */
  readonly mails: number;
  /** The retention of the messages of shops and of comparisons in days. */
  readonly saleMessages: number;
  /** The retention of the checks of licenses in days: what devices asked, and what they were told. */
  readonly checks: number;
}

/** A header that is sent with each delivery. */
export interface WebhookHeader {
  /** The name of the header. */
  readonly name: string;
  /** Never returned. If absent in a change, the stored value stays, unless the URL names another server. */
  readonly value?: string;
}

/** A disabled endpoint receives nothing. */
export type WebhookStatus = 'enabled' | 'disabled';

/** The recent deliveries of an endpoint. */
export interface WebhookEndpointHealth {
  /** True while an enabled endpoint has failed deliveries since the last success, or deliveries to retry. */
  readonly isFailing: boolean;
  /** Deliveries that failed at least once and wait for the next attempt, among the 100 oldest that wait. */
  readonly retryingDeliveries: number;
  /** Deliveries that failed since the last success. */
  readonly failedDeliveries: number;
  /** When the first of them failed. */
  readonly failingSince: string | null;
  /** From then on a failed delivery disables the endpoint if ten in a row have failed. */
  readonly disabledFrom: string | null;
  readonly lastDelivery: LastWebhookDelivery | null;
  readonly last_24Hours: WebhookDeliveryCounts;
}

/** `pending` while attempts follow. */
export type WebhookDeliveryStatus = 'pending' | 'succeeded' | 'failed';

/** One attempt to deliver an event. */
export interface WebhookAttempt {
  /** When the attempt began. */
  readonly at: string;
  /** `manual` for an attempt that a caller requested. */
  readonly trigger: 'schedule' | 'manual' | (string & {});
  readonly requestHeaders: WebhookRequestHeaders;
  /** The HTTP status; null without a response. */
  readonly responseStatus: number | null;
  /** The duration in milliseconds. */
  readonly durationMs: number;
  /** Why the attempt failed, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`. */
  readonly error: string | null;
  /** The first 16 KiB of the response. */
  readonly responseBody: string | null;
}

/** The last attempt so far. */
export interface WebhookAttemptSummary {
  /** When the attempt began. */
  readonly at: string;
  /** The HTTP status; null without a response. */
  readonly responseStatus: number | null;
  /** The duration in milliseconds. */
  readonly durationMs: number;
  /** Why the attempt failed, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`. */
  readonly error: string | null;
}

/** How urgent the notification is. */
export type Severity = 'info' | 'warning' | 'critical';

/**
 * Who acted; `system` is the service itself, `holder` the holder of a license in the portal, and `connection` a shop
 * whose message caused the change.
 */
export type ActorType =
  | 'user'
  | 'admin'
  | 'api_key'
  | 'system'
  | 'holder'
  | 'connection';

/** One changed field with its former and its new value. */
export interface AuditChange {
  /** The name of the field. */
  readonly field: string;
  /** The value before; null for a creation. */
  readonly old: unknown;
  /** The value after. */
  readonly new: unknown;
}

/** A delivery to a webhook endpoint, signed as Standard Webhooks specifies. */
export interface LicenseEvent {
  /** The id of the event. It is the same in every attempt: use it to drop repetitions. */
  readonly id: string;
  readonly type:
    | 'license.created'
    | 'license.updated'
    | 'license.suspended'
    | 'license.reinstated'
    | 'license.revoked'
    | 'license.renewed'
    | 'license.converted'
    | 'license.expiring'
    | 'license.expired'
    | 'license.deleted';
  /** UTC with microseconds. */
  readonly occurredAt: string;
  readonly tenantId: string;
  /** The request that caused the event; null for work of the service itself. */
  readonly requestId: string | null;
  readonly apiVersion: '1';
  readonly data: License;
}

/** A delivery to a webhook endpoint, signed as Standard Webhooks specifies. */
export interface ActivationEvent {
  /** The id of the event. It is the same in every attempt: use it to drop repetitions. */
  readonly id: string;
  readonly type: 'activation.created' | 'activation.deactivated' | 'activation.expired';
  /** UTC with microseconds. */
  readonly occurredAt: string;
  readonly tenantId: string;
  /** The request that caused the event; null for work of the service itself. */
  readonly requestId: string | null;
  readonly apiVersion: '1';
  readonly data: Activation;
}

/** A delivery to a webhook endpoint, signed as Standard Webhooks specifies. */
export interface ActivationRefusalEvent {
  /** The id of the event. It is the same in every attempt: use it to drop repetitions. */
  readonly id: string;
  readonly type: 'activation.limit_reached';
  /** UTC with microseconds. */
  readonly occurredAt: string;
  readonly tenantId: string;
  /** The request that caused the event; null for work of the service itself. */
  readonly requestId: string | null;
  readonly apiVersion: '1';
  readonly data: ActivationRefusal;
}

/** A delivery to a webhook endpoint, signed as Standard Webhooks specifies. */
export interface EntitlementEvent {
  /** The id of the event. It is the same in every attempt: use it to drop repetitions. */
  readonly id: string;
  readonly type: 'entitlement.limit_reached';
  /** UTC with microseconds. */
  readonly occurredAt: string;
  readonly tenantId: string;
  /** The request that caused the event; null for work of the service itself. */
  readonly requestId: string | null;
  readonly apiVersion: '1';
  readonly data: UsageLimitReached;
}

/** A delivery to a webhook endpoint, signed as Standard Webhooks specifies. */
export interface ApiKeyEvent {
  /** The id of the event. It is the same in every attempt: use it to drop repetitions. */
  readonly id: string;
  readonly type: 'api_key.created' | 'api_key.revoked';
  /** UTC with microseconds. */
  readonly occurredAt: string;
  readonly tenantId: string;
  /** The request that caused the event; null for work of the service itself. */
  readonly requestId: string | null;
  readonly apiVersion: '1';
  readonly data: ApiKey;
}

/** A delivery to a webhook endpoint, signed as Standard Webhooks specifies. */
export interface WebhookEndpointEvent {
  /** The id of the event. It is the same in every attempt: use it to drop repetitions. */
  readonly id: string;
  readonly type: 'webhook.disabled' | 'webhook.secret_rotated';
  /** UTC with microseconds. */
  readonly occurredAt: string;
  readonly tenantId: string;
  /** The request that caused the event; null for work of the service itself. */
  readonly requestId: string | null;
  readonly apiVersion: '1';
  readonly data: WebhookEndpoint;
}

/** A delivery to a webhook endpoint, signed as Standard Webhooks specifies. */
export interface TestEvent {
  /** The id of the event. It is the same in every attempt: use it to drop repetitions. */
  readonly id: string;
  readonly type: 'webhook.test';
  /** UTC with microseconds. */
  readonly occurredAt: string;
  readonly tenantId: string;
  /** The request that caused the event; null for work of the service itself. */
  readonly requestId: string | null;
  readonly apiVersion: '1';
  readonly data: {
    readonly webhookId: string;
  };
}

/** The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy. */
export type ResetPeriod = 'none' | 'day' | 'week' | 'month' | 'year';

/** Whether usage above the limit is refused or counted. A policy refuses it by default. */
export type OverageMode = 'deny' | 'allow';

/** A subscription ends or is renewed; a one-time sale is for ever, or for the term of its policy. */
export type SaleKind = 'subscription' | 'one_time';

/**
 * The one state of a sale. `pending`: not paid yet. `pastDue`: a payment is missing. `ended`: nothing is granted after
 * the end. `refunded`: the payment of the present period was given back completely. `disputed`: its bank has taken it
 * back, for good or until somebody decides.
 */
export type SaleState =
  | 'pending'
  | 'active'
  | 'past_due'
  | 'paused'
  | 'ended'
  | 'refunded'
  | 'disputed';

/** Who bought, as far as the shop says it. */
export interface SaleBuyer {
  /** The shop's id of the customer. */
  readonly reference: string | null;
  /** The buyer's name. */
  readonly name: string | null;
  /** The buyer's email address. */
  readonly email: string | null;
}

/** One item of a sale. */
export interface SaleItem {
  /** The shop's id of what was sold. */
  readonly externalId: string;
  /** How many were sold. */
  readonly quantity: number;
  /** The offer that says what it becomes; null: none does. */
  readonly offerId: string | null;
  /** The policy of that offer. */
  readonly policyId: string | null;
}

/** How much of the payment of the present period was given back. */
export type SaleRefund = 'none' | 'partial' | 'full';

/** Of the payment of the present period. `open`: the bank of the buyer has taken the money until somebody decides. */
export type SaleDispute = 'none' | 'open' | 'lost';

/** Why the licenses of a sale do not match it. */
export interface SaleProblem {
  readonly code: SaleProblemCode | (string & {});
  /** What is wrong and what to do, for people. */
  readonly message: string;
}

/** A changed field of a license. */
export interface BulkChange {
  /** The field; `entitlements.` with a code for an override. */
  readonly field: string;
  /** The value before. */
  readonly old: unknown;
  /** The value after. */
  readonly new: unknown;
}

/** The term that has not begun; null: none. Only with `include=details`. */
export interface PendingTerm {
  /** What the term begins with. */
  readonly beginsWith: 'first_validation' | 'first_activation' | (string & {});
  /** The days that the license is valid from then on. */
  readonly durationDays: number | null;
  /** Or the months of the calendar. */
  readonly durationMonths: number | null;
  /** Whether it then goes on until the month ends. */
  readonly endsWithMonth: boolean;
}

/** The person, as the shop names it. */
export interface CustomerPurchaseBuyer {
  readonly reference: string | null;
  readonly name: string | null;
  readonly email: string | null;
}

/** What was bought. */
export interface CustomerPurchaseItem {
  readonly externalId: string;
  readonly quantity: number;
}

/** What happened to the license. */
export type SaleEffectName =
  | 'issued'
  | 'renewed'
  | 'changed'
  | 'ended'
  | 'suspended'
  | 'reinstated'
  | 'revoked'
  | 'holder_changed';

/** A file of a release, without its address. */
export interface OfferedArtifact {
  readonly id: string;
  readonly platform: ReleasePlatform | (string & {});
  readonly arch: ReleaseArch | (string & {});
  readonly fileName: string;
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly signature: string | null;
}

/** The operating system of a file. */
export type ReleasePlatform = 'windows' | 'macos' | 'linux' | 'any';

/** The processor of a file. */
export type ReleaseArch = 'x64' | 'arm64' | 'x86' | 'arm' | 'universal' | 'any';

/** The newest delivery that is still stored. */
export interface LastWebhookDelivery {
  readonly id: string;
  /** The type of its event. */
  readonly eventType: string;
  readonly status: WebhookDeliveryStatus | (string & {});
  /** UTC with microseconds. */
  readonly createdAt: string;
}

/** Deliveries created in the last 24 hours. */
export interface WebhookDeliveryCounts {
  /** At most 1,000. */
  readonly pending: number;
  /** At most 1,000. */
  readonly succeeded: number;
  /** At most 1,000. */
  readonly failed: number;
}

/** The headers of the request. The signature is not stored. */
export interface WebhookRequestHeaders {
  readonly 'content-type': string;
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
}

/** A device that was refused because every seat is taken. */
export interface ActivationRefusal {
  readonly licenseId: string;
  /** The device that was refused. */
  readonly fingerprint: string;
  /** The name of the device. */
  readonly name: string | null;
  /** The host name of the device. */
  readonly hostname: string | null;
  /** The operating system of the device. */
  readonly platform: string | null;
  /** The IP address of the device. */
  readonly ip: string | null;
  /** The devices that hold a seat. */
  readonly activationsCount: number;
  /** The seats of the license. */
  readonly maxActivations: number | null;
}

/** The limit that a license has used up. */
export interface UsageLimitReached {
  readonly licenseId: string;
  /** The code of the entitlement. */
  readonly entitlement: string;
  readonly limit: number;
  /** The quantity used in the period. */
  readonly usage: number;
  /** The end of the period; null when usage is never reset. */
  readonly resetsAt: string | null;
}

/**
 * `unmapped`: an item has no offer. `too_many`: more than 1,000 licenses at once. `limit_reached`: the plan allows no
 * more licenses. `refused`: a license could not be issued or changed, for example because its policy was deleted.
 * `unusable`: the buyer has paid for a license that somebody suspended, revoked or deleted here.
 */
export type SaleProblemCode =
  | 'unmapped'
  | 'too_many'
  | 'limit_reached'
  | 'refused'
  | 'unusable';

/** Asks whether a license may be used. Every field is optional and adds a condition. */
export interface ValidateLicense {
  /** The id or the code of the product that the license must belong to. */
  product?: string | undefined;
  /** The device that the license must be activated for, if its policy requires activation. */
  fingerprint?: string | undefined;
  /**
   * Parts of the device and their hashes. Without `fingerprint`, the fingerprint is the hexadecimal SHA-256 of the
   * sorted lines `name=value`, joined by line feeds.
   */
  components?: Readonly<Record<string, string>> | undefined;
  /** The entitlements that the license must grant. If absent, the verdict lists all granted entitlements. */
  entitlements?: readonly string[] | undefined;
  /** When your release was published; it must not be after the end of the maintenance. */
  versionReleasedAt?: string | Date | undefined;
  /** The response contains it unchanged. With `proof` it is required and has 16 to 128 characters. */
  nonce?: string | undefined;
  /** The version of your application. It changes no verdict; the checks of the license show it. */
  appVersion?: string | undefined;
  /** Whether the verdict shall be signed. */
  proof?: boolean | undefined;
}

/** Activates a device, which has a fingerprint, components, or both. */
export type CreateActivation = {
  /**
   * Identifies the device to its license. Your application computes it. Unicode spellings (NFC, NFD) are the same
   * device.
   */
  fingerprint?: string | undefined;
  /**
   * Parts of the device and their hashes. Without `fingerprint`, the fingerprint is the hexadecimal SHA-256 of the
   * sorted lines `name=value`, joined by line feeds.
   */
  components?: Readonly<Record<string, string>> | undefined;
  /** The name of the device that people recognise. */
  name?: string | null | undefined;
  /** The host name of the device. */
  hostname?: string | null | undefined;
  /** The operating system of the device, in words of your choice. */
  platform?: string | null | undefined;
  /** The version of your application. It changes no verdict; the checks of the license show it. */
  appVersion?: string | undefined;
  /** Your own data about the device. */
  metadata?: Record<string, unknown> | null | undefined;
} & ({ fingerprint: string } | { components: Readonly<Record<string, string>> });

/** Asks for the devices that use a license. */
export interface ListLicensedDevices {
  /** This device: `isThisDevice` says which one it is. */
  fingerprint?: string | undefined;
  /**
   * Parts of the device and their hashes. Without `fingerprint`, the fingerprint is the hexadecimal SHA-256 of the
   * sorted lines `name=value`, joined by line feeds.
   */
  components?: Readonly<Record<string, string>> | undefined;
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** The `meta.next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** Starts the trial of a product on a device. */
export type StartTrial = {
  /** The code or the id of the product. */
  product: string;
  /**
   * Identifies the device to its license. Your application computes it. Unicode spellings (NFC, NFD) are the same
   * device.
   */
  fingerprint?: string | undefined;
  /**
   * Parts of the device and their hashes. Without `fingerprint`, the fingerprint is the hexadecimal SHA-256 of the
   * sorted lines `name=value`, joined by line feeds.
   */
  components?: Readonly<Record<string, string>> | undefined;
  /** The user's email address. The policy decides whether it is required. */
  email?: string | undefined;
  /** The user's name. */
  name?: string | undefined;
  device?: TrialDevice | undefined;
} & ({ fingerprint: string } | { components: Readonly<Record<string, string>> });

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

/** Requests a certificate, which an application verifies without a network. */
export interface IssueCertificate {
  /** Binds the certificate to this device, which must be active if the policy requires it. */
  fingerprint?: string | undefined;
  /**
   * Parts of the device and their hashes. Without `fingerprint`, the fingerprint is the hexadecimal SHA-256 of the
   * sorted lines `name=value`, joined by line feeds.
   */
  components?: Readonly<Record<string, string>> | undefined;
  /** Seconds of validity, at most the policy's `offlineTtlSecondsMax`. That is also the default. */
  ttlSeconds?: number | undefined;
}

/** Asks for the newest release that a license permits. */
export interface FindRelease {
  /** The code or the id of the product. */
  product: string;
  /** The key of the license. */
  licenseKey?: string | undefined;
  /** `stable`, `beta`, `alpha`, or a name of your own. */
  channel?: string | undefined;
  platform: ReleasePlatform;
  arch: ReleaseArch;
  /** The version that is installed. */
  currentVersion?: string | undefined;
}

/** A new draft of a release. */
export interface CreateRelease {
  /** A semantic version, unique within the product. */
  version: string;
  /** `stable`, `beta`, `alpha`, or a name of your own. */
  channel?: string | undefined;
  /** Markdown. */
  notes?: string | undefined;
  /** The entitlements that a license needs for the release. */
  minimumEntitlements?: readonly string[] | undefined;
  /** The files. */
  artifacts?: readonly WriteReleaseArtifact[] | undefined;
}

/** The fields of a draft to change; `artifacts` replaces all files. */
export interface UpdateRelease {
  /** A semantic version, unique within the product. */
  version?: string | undefined;
  /** `stable`, `beta`, `alpha`, or a name of your own. */
  channel?: string | undefined;
  /** Markdown. */
  notes?: string | undefined;
  /** The entitlements that a license needs for the release. */
  minimumEntitlements?: readonly string[] | undefined;
  /** The files. */
  artifacts?: readonly WriteReleaseArtifact[] | undefined;
}

/** Why a release is withdrawn. */
export interface YankRelease {
  /** Why, for the users of the tenant. */
  reason: string;
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
  /**
   * The page on which the holder of a license renews it, which the portal links to. `{license_id}` in it stands for the
   * id of the license.
   */
  renewalUrl?: string | null | undefined;
  downloadStorage?: DownloadStorageInput | null | undefined;
  /** Your own data: at most 64 keys, 16 KiB as JSON and 4 levels deep. */
  metadata?: Record<string, unknown> | undefined;
}

/** Names the device or the address, or both, that may have another trial. */
export interface AllowTrial {
  /** The device that had a trial. */
  fingerprint?: string | undefined;
  /** The address that had a trial. */
  email?: string | undefined;
}

/** The fields of a product to change. A field that is left out keeps its value; null clears it. */
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
  /**
   * The page on which the holder of a license renews it, which the portal links to. `{license_id}` in it stands for the
   * id of the license.
   */
  renewalUrl?: string | null | undefined;
  /** The policy of trials without a key, one of the product; null: applications cannot start trials of the product. */
  trialPolicyId?: string | null | undefined;
  downloadStorage?: DownloadStorageInput | null | undefined;
  /** Replaces all metadata; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** A new policy: the terms of its licenses. */
export interface CreatePolicy {
  /** The product that the policy belongs to. */
  productId: string;
  /** Unique within the product: lower-case letters, digits and hyphens. */
  code: string;
  /** The name that users see. */
  name: string;
  /** Days from `expiryBasis` to the expiry of a license. Null with a null `durationMonths`: perpetual. */
  durationDays?: number | null | undefined;
  /**
   * Months of the calendar from `expiryBasis` to the expiry of a license, in the tenant's timezone. January 31 and one
   * month are February 28. Excludes `durationDays`.
   */
  durationMonths?: number | null | undefined;
  expiryBasis?: ExpiryBasis | undefined;
  expiryStrategy?: ExpiryStrategy | undefined;
  /** Days after `expiresAt` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`. */
  graceDays?: number | undefined;
  renewalBasis?: RenewalBasis | undefined;
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
  fingerprintMatching?: FingerprintMatching | undefined;
  /** Whether a license expires only at the end of the month of its expiry, in the tenant's timezone. Renewals too. */
  endsWithMonth?: boolean | undefined;
  /** Whether a trial without a key works only after its email address is confirmed with a code from a mail. */
  trialRequiresEmail?: boolean | undefined;
  /**
   * Seconds without a heartbeat after which an activation expires; null: never. A new value starts at the change for
   * every active device.
   */
  leaseSeconds?: number | null | undefined;
  /**
   * Maximum self-service deactivations; null: unlimited. Those by the vendor, and of devices above limit and overage,
   * do not count.
   */
  maxDeactivations?: number | null | undefined;
  /** Maximum validity of an offline certificate, in seconds. */
  offlineTtlSecondsMax?: number | undefined;
  /** The prefix of generated keys; null: the tenant's `licenseKeyPrefix`. */
  keyPrefix?: string | null | undefined;
  /** Whether the holder of a license may replace its key in the portal. */
  holderMayReplaceKey?: boolean | undefined;
  /** The entitlements that every license of the policy has. */
  entitlements?: readonly PolicyEntitlementInput[] | null | undefined;
  /** Your own data; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** The fields of a policy to change. A field that is left out keeps its value; null clears it. */
export interface UpdatePolicy {
  /** Unique within the product: lower-case letters, digits and hyphens. */
  code?: string | undefined;
  /** The name that users see. */
  name?: string | undefined;
  /** Days from `expiryBasis` to the expiry of a license. Null with a null `durationMonths`: perpetual. */
  durationDays?: number | null | undefined;
  /**
   * Months of the calendar from `expiryBasis` to the expiry of a license, in the tenant's timezone. January 31 and one
   * month are February 28. Excludes `durationDays`.
   */
  durationMonths?: number | null | undefined;
  expiryBasis?: ExpiryBasis | undefined;
  expiryStrategy?: ExpiryStrategy | undefined;
  /** Days after `expiresAt` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`. */
  graceDays?: number | undefined;
  renewalBasis?: RenewalBasis | undefined;
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
  fingerprintMatching?: FingerprintMatching | undefined;
  /** Whether a license expires only at the end of the month of its expiry, in the tenant's timezone. Renewals too. */
  endsWithMonth?: boolean | undefined;
  /** Whether a trial without a key works only after its email address is confirmed with a code from a mail. */
  trialRequiresEmail?: boolean | undefined;
  /**
   * Seconds without a heartbeat after which an activation expires; null: never. A new value starts at the change for
   * every active device.
   */
  leaseSeconds?: number | null | undefined;
  /**
   * Maximum self-service deactivations; null: unlimited. Those by the vendor, and of devices above limit and overage,
   * do not count.
   */
  maxDeactivations?: number | null | undefined;
  /** Maximum validity of an offline certificate, in seconds. */
  offlineTtlSecondsMax?: number | undefined;
  /** The prefix of generated keys; null: the tenant's `licenseKeyPrefix`. */
  keyPrefix?: string | null | undefined;
  /** Whether the holder of a license may replace its key in the portal. */
  holderMayReplaceKey?: boolean | undefined;
  /** The entitlements that every license of the policy has. */
  entitlements?: readonly PolicyEntitlementInput[] | null | undefined;
  /** Your own data; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
}

/** A new license of a policy. */
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
  holder?: LicenseHolderInput | null | undefined;
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
  /** Your own number of the order, unique among your licenses; null: there is none. */
  orderNumber?: string | null | undefined;
  /**
   * Overrides the entitlements of the policy by code, until its own `expiresAt`. Fields that are left out come from the
   * policy; `null` clears a field.
   */
  entitlements?: readonly LicenseEntitlementInput[] | null | undefined;
  /** Your own data; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
  /**
   * Whether the holder gets a mail about it, if the license has an address. Default: the settings of the tenant and of
   * the product decide.
   */
  notifyHolder?: boolean | undefined;
}

/** The fields of a license to change. A field that is left out keeps its value; null clears it. */
export interface UpdateLicense {
  /** Moves the license to another policy of the same product. */
  policyId?: string | undefined;
  /** The person or company that the license was issued to. Null clears all of its fields. */
  holder?: LicenseHolderInput | null | undefined;
  /** The license is pending before this time. */
  startsAt?: string | Date | undefined;
  /** The end of the license; null: perpetual, unless the policy's term starts with the first use. */
  expiresAt?: string | Date | null | undefined;
  /** Releases after this time are not included; null: all releases are included. */
  maintenanceExpiresAt?: string | Date | null | undefined;
  /** The license's own limit of active devices; null: the limit of the policy. */
  maxActivations?: number | null | undefined;
  /** Your own number of the order, unique among your licenses; null: there is none. */
  orderNumber?: string | null | undefined;
  /**
   * Overrides the entitlements of the policy by code, until its own `expiresAt`. Fields that are left out come from the
   * policy; `null` clears a field.
   */
  entitlements?: readonly LicenseEntitlementInput[] | null | undefined;
  /** Your own data; null empties it. */
  metadata?: Record<string, unknown> | null | undefined;
  /**
   * Whether the holder gets a mail about it, if the license has an address. Default: the settings of the tenant and of
   * the product decide.
   */
  notifyHolder?: boolean | undefined;
}

/** Turns a trial license into a license of another policy. */
export interface ConvertLicense {
  /** The policy that was bought: one of the license's product, other than the trial's. */
  policyId: string;
}

/** Licenses of a policy that are issued together. */
export interface CreateLicenseBatch {
  /** How people recognise the batch. */
  name: string;
  /** The policy that the licenses are issued under. */
  policyId: string;
  /** The number of licenses. */
  count: number;
  /** Your own note, such as the order of the reseller. */
  note?: string | null | undefined;
}

/** A change of many licenses. */
export interface CreateBulkOperation {
  filter?: LicenseFilter | undefined;
  /** The ids of the licenses. Send either `ids` or `filter`. */
  ids?: readonly string[] | undefined;
  action: BulkAction;
  /** Why, for people: it is kept in the audit record and, with a status, in the license. */
  reason?: string | null | undefined;
  /** Whether the holders get the mails that single changes cause. */
  notifyHolder?: boolean | undefined;
  /** True: answers what the operation would do, and does nothing. */
  dryRun?: boolean | undefined;
}

/** The fields of the holder to change in all licenses of a customer. Null removes the name. */
export interface UpdateCustomer {
  /** The holder's name. */
  name?: string | null | undefined;
  /** The new address. If other licenses have it, they become licenses of one customer. */
  email?: string | undefined;
}

/** A new note about a customer. */
export interface CreateCustomerNote {
  /** The note. The customer never sees it, but an export of their personal data contains it. */
  text: string;
}

/** Sends the license key to the holder, even if such mails are switched off. */
export interface SendHolderMail {
  /** The license whose key is sent to its holder. */
  licenseId: string;
}

/** A new connection to a shop. */
export interface CreateConnection {
  provider: SalesProvider;
  /** The name of the shop, for the users of the tenant. */
  name: string;
  /**
   * The secret with which the shop signs its messages. It is stored encrypted and never returned. Until it is set,
   * messages are refused. A `custom` shop gets a generated one.
   */
  signingSecret?: string | undefined;
  /**
   * A key of the shop's API, with which the service reads sales. It is stored encrypted and never returned. Required
   * for `gumroad`.
   */
  apiKey?: string | undefined;
  status?: ConnectionStatus | undefined;
  /** True: a comparison runs every night and applies what it finds. It needs the key of the shop's API. */
  comparesItself?: boolean | undefined;
}

/** The fields of a connection to change. A field that is left out keeps its value. */
export interface UpdateConnection {
  /** The name of the shop, for the users of the tenant. */
  name?: string | undefined;
  /**
   * The secret with which the shop signs its messages. It is stored encrypted and never returned. It replaces the
   * former one at once.
   */
  signingSecret?: string | undefined;
  /**
   * A key of the shop's API, with which the service reads sales. It is stored encrypted and never returned. Null
   * removes it.
   */
  apiKey?: string | null | undefined;
  status?: ConnectionStatus | undefined;
  /** True: a comparison runs every night and applies what it finds. It needs the key of the shop's API. */
  comparesItself?: boolean | undefined;
}

/** A new offer of a connection. */
export interface CreateOffer {
  /** The shop's id of the item, such as a price. */
  externalId: string;
  /** The name of the item, for the users of the tenant. Default: the shop's id. */
  name?: string | undefined;
  /** The policy of the licenses. */
  policyId: string;
  quantity?: OfferQuantity | undefined;
  /** How many devices one unit allows; a request with it alone means `seats`. */
  seatsPerUnit?: number | undefined;
  onRefund?: OfferRefund | undefined;
  onPaymentFailure?: OfferPaymentFailure | undefined;
  /** After how many days a missing payment suspends; null unless `suspendAfterDays`. */
  suspendAfterDays?: number | null | undefined;
}

/** The fields of an offer to change. A field that is left out keeps its value. */
export interface UpdateOffer {
  /** The name of the item, for the users of the tenant. */
  name?: string | undefined;
  /** The policy of the licenses. */
  policyId?: string | undefined;
  quantity?: OfferQuantity | undefined;
  /** How many devices one unit allows; a request with it alone means `seats`. */
  seatsPerUnit?: number | undefined;
  onRefund?: OfferRefund | undefined;
  onPaymentFailure?: OfferPaymentFailure | undefined;
  /** After how many days a missing payment suspends; null unless `suspendAfterDays`. */
  suspendAfterDays?: number | null | undefined;
}

/** What the test sale sells, and to whom. */
export interface SendTestSale {
  /** The address of the buyer. Default: the address of the caller. */
  email?: string | undefined;
  /** The item that is sold. Default: that of the first offer. */
  externalId?: string | undefined;
}

/** A new feature or limit that policies and licenses can grant. */
export interface CreateEntitlement {
  /** Unique within the tenant. It cannot be changed. */
  code: string;
  /** The name that users see. */
  name: string;
  type: EntitlementType;
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
}

/** The fields of an entitlement to change. */
export interface UpdateEntitlement {
  /** The name that users see. */
  name?: string | undefined;
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
}

/** A new API key. */
export interface CreateApiKey {
  /** The name by which people recognise the key. */
  name: string;
  /** What the key may do. */
  scopes?: readonly ApiKeyScope[] | undefined;
  /** When the key stops working; null: never. */
  expiresAt?: string | Date | null | undefined;
  /** The networks from which the key may be used; empty: all networks. */
  allowedCidrs?: readonly string[] | undefined;
  /** The only product that the key works for: it does not know the licenses of other products. Null: all products. */
  productId?: string | null | undefined;
  /** The requests per minute with this key; null: only the tenant's limit applies. */
  rateLimitPerMinute?: number | null | undefined;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  rateLimitPerAddressPerMinute?: number | null | undefined;
}

/** The fields of an API key to change. A field that is left out keeps its value; null lifts a limit. */
export interface UpdateApiKey {
  /** The name by which people recognise the key. */
  name?: string | undefined;
  /** What the key may do. */
  scopes?: readonly ApiKeyScope[] | undefined;
  /** When the key stops working; null: never. */
  expiresAt?: string | Date | null | undefined;
  /** The networks from which the key may be used; empty: all networks. */
  allowedCidrs?: readonly string[] | undefined;
  /** The only product that the key works for: it does not know the licenses of other products. Null: all products. */
  productId?: string | null | undefined;
  /** The requests per minute with this key; null: only the tenant's limit applies. */
  rateLimitPerMinute?: number | null | undefined;
  /**
   * The requests that one client address may send with the key per minute; an IPv6 address counts with its /64 network.
   * Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
   */
  rateLimitPerAddressPerMinute?: number | null | undefined;
}

/** How a key is replaced. */
export interface RotateApiKey {
  /** How long the old key still works. 0: it ends now. A key never ends later than its `expiresAt`. */
  overlapSeconds?: number | undefined;
  /** When the new key stops working; null: never. */
  expiresAt?: string | Date | null | undefined;
}

/** The settings to change. A field that is left out keeps its value. */
export interface UpdateSettings {
  /** The name of the tenant. */
  name?: string | undefined;
  /** The time zone of periods and buckets, by its name in the IANA time zone database. `null` sets `UTC`. */
  timezone?: string | null | undefined;
  /** The address that the tenant's customers write to. */
  supportEmail?: string | null | undefined;
  /** The prefix of generated license keys if the policy has no `keyPrefix`; null: no prefix. */
  licenseKeyPrefix?: string | null | undefined;
  /** The number of days before its expiry from which a license counts as expiring. `null` sets 14. */
  expiringSoonDays?: number | null | undefined;
  /** The recipients of notification mails. An empty list means the owners. */
  notificationEmails?: readonly string[] | null | undefined;
  /** The subscription of a new webhook endpoint that names no events. `null` sets `["*"]`, which means all events. */
  webhookEventDefaults?: readonly EventTypeOrAll[] | null | undefined;
  retentionDays?: RetentionDaysInput | null | undefined;
  /** The maximum number of trials without a key that start on a day (UTC). `null` sets 1000. */
  trialsPerDayMax?: number | null | undefined;
  /** The maximum number of trials without a key that one client address may start within 24 hours. `null` sets 20. */
  trialsPerAddressMax?: number | null | undefined;
}

/** A new endpoint that receives events. */
export interface CreateWebhookEndpoint {
  /** The URL that receives events: https, a public address, without credentials and without a fragment. */
  url: string;
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
  /** Types of events, or `["*"]` for all. If absent or `null`, the setting `webhookEventDefaults` applies. */
  events?: readonly EventTypeOrAll[] | null | undefined;
  /** Deliver only events about licenses, devices and usage of this product, and test events. Null: all. */
  productId?: string | null | undefined;
  /** All headers of your own, such as an authorization for your gateway. */
  headers?: readonly WebhookHeaderInput[] | undefined;
}

/** The fields of a webhook endpoint to change. */
export interface UpdateWebhookEndpoint {
  /** The URL that receives events: https, a public address, without credentials and without a fragment. */
  url?: string | undefined;
  /** A note for the users of the tenant. */
  description?: string | null | undefined;
  /** Types of events, or `["*"]` for all. `null` applies the setting `webhookEventDefaults`. */
  events?: readonly EventTypeOrAll[] | null | undefined;
  /** Deliver only events about licenses, devices and usage of this product, and test events. Null: all. */
  productId?: string | null | undefined;
  /** All headers of your own, such as an authorization for your gateway. */
  headers?: readonly WebhookHeaderInput[] | undefined;
  /** `enabled` resets the failures; `disabled` fails the pending deliveries. */
  status?: WebhookStatus | undefined;
}

/** Delivers the failed events of a period again. */
export interface RecoverWebhook {
  /** The start of the range, inclusive. */
  since: string | Date;
  /** The end of the range, exclusive. Default, also for null: the present time. */
  until?: string | Date | null | undefined;
  /** Counts the events without sending them. */
  dryRun?: boolean | undefined;
}

/** A message to the members of a tenant. */
export interface CreateNotification {
  /** The subject, such as `license.expiring`. Notifications of the service use the types of its events. */
  type?: string | undefined;
  severity?: Severity | undefined;
  /** One line that says what happened. */
  title: string;
  /** What happened and what to do, as plain text. */
  body: string;
}

/** The filters and the page size of a list. */
export interface ProductFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Whether the list has archived rows: none (`false`), only those (`true`), or these as well (`all`). */
  archived?: Archived | undefined;
  /** The complete code. */
  code?: string | undefined;
  /** Words. Each must be a prefix of a word of the name or the code. Case is ignored. */
  q?: string | undefined;
}

/** The filters and the page size of a list. */
export interface PolicyFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Whether the list has archived rows: none (`false`), only those (`true`), or these as well (`all`). */
  archived?: Archived | undefined;
  /** Return only policies of this product. */
  productId?: string | undefined;
  /** The complete code. Policies of several products can have the same code. */
  code?: string | undefined;
  /** Words. Each must be a prefix of a word of the name or the code. Case is ignored. */
  q?: string | undefined;
}

/** The filters and the page size of a list. */
export interface ReleaseFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** `yanked`: withdrawn; nobody is offered it any more. */
  status?: ReleaseStatus | undefined;
  /** `stable`, `beta`, `alpha`, or a name of your own. */
  channel?: string | undefined;
}

/** The filters and the page size of a list. */
export interface ReleaseDownloadFilters {
  /** A day in UTC. */
  from?: string | undefined;
  /** A day in UTC. */
  to?: string | undefined;
}

/** The filters and the page size of a list. */
export interface LicenseFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only licenses with this status. */
  status?: LicenseStatus | undefined;
  /** Return only licenses of this product. */
  productId?: string | undefined;
  /** Return only licenses of this policy. */
  policyId?: string | undefined;
  /** Return only licenses of this batch. */
  batchId?: string | undefined;
  /** The complete key. A generated key is also found in lower case and without its dashes. */
  key?: string | undefined;
  /** The complete address. Case is ignored. */
  holderEmail?: string | undefined;
  /** The complete reference, in the stored spelling. */
  holderReference?: string | undefined;
  /** The complete order number, in the stored spelling. */
  orderNumber?: string | undefined;
  /** Return only licenses that expire before this time. */
  expiresBefore?: string | Date | undefined;
  /** Return only licenses that expire at this time or later. */
  expiresAfter?: string | Date | undefined;
  /** Return only licenses that expire within so many days of 24 hours from now. */
  expiresWithinDays?: number | undefined;
  /** The metadata contain this key at the top level. */
  metadataKey?: string | undefined;
  /**
   * The value of `metadataKey`, which is then required. Strings are written as they are, other values as JSON (`true`,
   * `5`).
   */
  metadataValue?: string | undefined;
  /**
   * Words. Each must be a prefix of the key, its end of at least four characters, or a prefix of a word of the holder's
   * name, email address or reference. A key can have spaces instead of its dashes. Case and accents are ignored.
   */
  q?: string | undefined;
  /** Adds the names of the product and the policy, and the effective limit of devices. */
  include?: 'details' | undefined;
  /** The order; `-` is descending. Licenses without an end are the last to expire. */
  sort?: LicenseSort | undefined;
}

/** The filters and the page size of a list. */
export interface ActivationFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Adds the key and the holder of the license. */
  include?: 'details' | undefined;
  /** Return only activations of this license. */
  licenseId?: string | undefined;
  /** Return only activations with this status. */
  status?: ActivationStatus | undefined;
  /** The complete fingerprint. Several licenses can have the same one. */
  fingerprint?: string | undefined;
  /** The beginning of the fingerprint; or words by which `GET /licenses` finds the license with its own `q`. */
  q?: string | undefined;
}

/** The filters and the page size of a list. */
export interface EntitlementFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** The complete code. */
  code?: string | undefined;
  /** Return only entitlements of this type. */
  type?: EntitlementType | undefined;
}

/** The filters and the page size of a list. */
export interface UsageFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only the usage of this license. */
  licenseId?: string | undefined;
  /** Return only the usage of this entitlement. */
  entitlement?: string | undefined;
  /** Return only buckets that begin at this time or later. */
  from?: string | Date | undefined;
  /** Return only buckets that begin before this time. */
  to?: string | Date | undefined;
  /** The length of a bucket. Buckets begin in the tenant's timezone; weeks on Monday. */
  interval?: UsageInterval | undefined;
}

/** The filters and the page size of a list. */
export interface ApiKeyFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Adds the names of the creators. */
  include?: 'details' | undefined;
  /** Return only keys with this status. */
  status?: ApiKeyStatus | undefined;
}

/** The filters and the page size of a list. */
export interface WebhookFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Adds the health of the endpoint and the end of its previous secret. */
  include?: 'details' | undefined;
  /** Return only endpoints with this status. */
  status?: WebhookStatus | undefined;
}

/** The filters and the page size of a list. */
export interface WebhookDeliveryFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only deliveries to this endpoint. */
  webhookId?: string | undefined;
  /** Return only deliveries with this status. */
  status?: WebhookDeliveryStatus | undefined;
  /** The type of an event. */
  eventType?: EventType | undefined;
  /** Return only deliveries created at this time or later. */
  from?: string | Date | undefined;
  /** Return only deliveries created before this time. */
  to?: string | Date | undefined;
}

/** The filters and the page size of a list. */
export interface NotificationFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only notifications of this type. */
  type?: string | undefined;
  /** Return only notifications of this severity. */
  severity?: Severity | undefined;
  /** `true` returns unread notifications, `false` read ones. */
  unread?: boolean | undefined;
}

/** The filters and the page size of a list. */
export interface AuditLogFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** The full event code, such as `LICENSE.RENEWED`. */
  event?: string | undefined;
  /** Return only records of this type of actor. */
  actorType?: ActorType | undefined;
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

/** The filters and the page size of a list. */
export interface LicenseCheckFilters {
  /** Maximum number of rows. */
  limit?: number | undefined;
  /** Return only checks that were allowed, or only those that were refused. */
  isAllowed?: boolean | undefined;
}

/** The filters and the page size of a list. */
export interface LicenseBatchFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
}

/** The filters and the page size of a list. */
export interface BulkOperationFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
}

/** The filters and the page size of a list. */
export interface CustomerFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /**
   * Words. Each must be a prefix of a word of the holder's name, email address or reference, or of the key of a
   * license. Case and accents are ignored.
   */
  q?: string | undefined;
}

/** The filters and the page size of a list. */
export interface CustomerNoteFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
}

/** The filters and the page size of a list. */
export interface HolderMailFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** Return only mails of this type. */
  type?: HolderMailType | undefined;
  /** Return only mails in this state. */
  state?: HolderMailState | undefined;
  /** Return only mails about this license. */
  licenseId?: string | undefined;
  /** Return only mails to this address. Case is ignored. */
  recipient?: string | undefined;
}

/** The filters and the page size of a list. */
export interface UsageSeriesFilters {
  /** Sum only the usage of this license. */
  licenseId?: string | undefined;
  /** Sum only the usage of this entitlement. */
  entitlement?: string | undefined;
  /** The first bucket contains this time. Default: 30 buckets before `to`. */
  from?: string | Date | undefined;
  /** The last bucket begins before this time. Default: now. */
  to?: string | Date | undefined;
  /** The length of a bucket. Buckets begin in the tenant's timezone; weeks on Monday. */
  interval?: UsageInterval | undefined;
}

/** The filters and the page size of a list. */
export interface ConnectionFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
}

/** The filters and the page size of a list. */
export interface OfferFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
}

/** The filters and the page size of a list. */
export interface SaleEventFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /**
   * `pending`: it waits. `applied`: it changed licenses. `nothing`: there was nothing to change. `failed`: see
   * `reason`.
   */
  state?: SaleEventState | undefined;
  /** Return only messages about this sale. */
  saleId?: string | undefined;
}

/** The filters and the page size of a list. */
export interface SaleFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /**
   * The one state of a sale. `pending`: not paid yet. `pastDue`: a payment is missing. `ended`: nothing is granted
   * after the end. `refunded`: the payment of the present period was given back completely. `disputed`: its bank has
   * taken it back, for good or until somebody decides.
   */
  state?: SaleState | undefined;
  /** Return only sales with this problem; `any`: with any problem. */
  problem?: 'any' | 'unmapped' | 'too_many' | 'limit_reached' | 'refused' | 'unusable' | undefined;
  /**
   * Words. Each must be a prefix of the shop's id of the sale, or of a word of the buyer's name, email address or
   * reference. Case and accents are ignored.
   */
  q?: string | undefined;
}

/** The filters and the page size of a list. */
export interface ComparisonFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
}

/** The filters and the page size of a list. */
export interface DifferenceFilters {
  /** Maximum number of rows per page. */
  limit?: number | undefined;
  /** `open`: it waits for a decision. `applied`: the licenses match the shop now. */
  state?: ComparisonDifferenceState | undefined;
}

/** The device, as people recognise it. */
export interface TrialDevice {
  /** The name of the device that people recognise. */
  name?: string | null | undefined;
  /** The host name of the device. */
  hostname?: string | null | undefined;
  /** The operating system of the device, in words of your choice. */
  platform?: string | null | undefined;
}

/** A file of a release. */
export interface WriteReleaseArtifact {
  platform: ReleasePlatform;
  arch: ReleaseArch;
  /** Its ending tells updaters what it is. */
  fileName: string;
  /** The address of the file, https; with `downloadStorage` of the product it may be private. */
  url: string;
  /** In bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** The signature that the updater verifies. */
  signature?: string | null | undefined;
}

/** The S3 storage of private files: a download is a link that works for 5 minutes. Null: every file is public. */
export interface DownloadStorageInput {
  /** The https address of the storage. */
  endpoint: string;
  /** The region of the bucket. */
  region: string;
  /** The bucket with the files. */
  bucket: string;
  /** The id of the key. */
  accessKeyId: string;
  /** Required at first; absent: the stored key stays. */
  secretAccessKey?: string | undefined;
}

/** An entitlement as a policy grants it. */
export interface PolicyEntitlementInput {
  /** The code of an entitlement: letters, digits and `._:-`. */
  code: string;
  /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
  value?: string | number | boolean | null | undefined;
  /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
  limit?: number | null | undefined;
  reset?: ResetPeriod | undefined;
  overage?: OverageMode | undefined;
}

/** The person or company that the license was issued to. Fields that are left out are null. */
export interface LicenseHolderInput {
  /** The holder's name. */
  name?: string | null | undefined;
  /** The holder's email address. */
  email?: string | null | undefined;
  /** Your own id of the holder, such as a customer number. */
  reference?: string | null | undefined;
}

/** An override of an entitlement of the policy. */
export interface LicenseEntitlementInput {
  /** The code of an entitlement: letters, digits and `._:-`. */
  code: string;
  /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
  value?: string | number | boolean | null | undefined;
  /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
  limit?: number | null | undefined;
  reset?: ResetPeriod | undefined;
  overage?: OverageMode | undefined;
  /** The override applies until this time; null: it has no end. */
  expiresAt?: string | Date | null | undefined;
}

/** The licenses that match all filters; without a filter every license. */
export interface LicenseFilter {
  /** Return only licenses with this status. */
  status?: LicenseStatus | undefined;
  /** Return only licenses of this product. */
  productId?: string | undefined;
  /** Return only licenses of this policy. */
  policyId?: string | undefined;
  /** Return only licenses of this batch. */
  batchId?: string | undefined;
  /** The complete key. A generated key is also found in lower case and without its dashes. */
  key?: string | undefined;
  /** The complete address. Case is ignored. */
  holderEmail?: string | undefined;
  /** The complete reference, in the stored spelling. */
  holderReference?: string | undefined;
  /** The complete order number, in the stored spelling. */
  orderNumber?: string | undefined;
  /** Return only licenses that expire before this time. */
  expiresBefore?: string | Date | undefined;
  /** Return only licenses that expire at this time or later. */
  expiresAfter?: string | Date | undefined;
  /** Return only licenses that expire within so many days of 24 hours from now. */
  expiresWithinDays?: number | undefined;
  /** The metadata contain this key at the top level. */
  metadataKey?: string | undefined;
  /**
   * The value of `metadataKey`, which is then required. Strings are written as they are, other values as JSON (`true`,
   * `5`).
   */
  metadataValue?: string | undefined;
  /**
   * Words. Each must be a prefix of the key, its end of at least four characters, or a prefix of a word of the holder's
   * name, email address or reference. A key can have spaces instead of its dashes. Case and accents are ignored.
   */
  q?: string | undefined;
}

/** What happens to each license. */
export interface BulkAction {
  type: BulkActionType;
  /** Days of 24 hours, for `extend`. */
  durationDays?: number | undefined;
  /** Months of the calendar in the tenant's time zone, for `extend`; a year has 12. */
  durationMonths?: number | undefined;
  /** The new end, for `set_expiry`; null: the licenses never expire. */
  expiresAt?: string | Date | null | undefined;
  /** The new policy, for `change_policy`. */
  policyId?: string | undefined;
  /** The limit of devices, for `set_limit`; null: the limit of the policy. */
  maxActivations?: number | null | undefined;
  entitlement?: BulkGrant | undefined;
}

/** A type of event, or `*` for all types. */
export type EventTypeOrAll =
  | '*'
  | 'license.created'
  | 'license.updated'
  | 'license.suspended'
  | 'license.reinstated'
  | 'license.revoked'
  | 'license.renewed'
  | 'license.converted'
  | 'license.expiring'
  | 'license.expired'
  | 'license.deleted'
  | 'activation.created'
  | 'activation.deactivated'
  | 'activation.expired'
  | 'activation.limit_reached'
  | 'entitlement.limit_reached'
  | 'release.published'
  | 'release.yanked'
  | 'api_key.created'
  | 'api_key.revoked'
  | 'webhook.disabled'
  | 'webhook.secret_rotated'
  | 'webhook.test';

/** How long data is kept, in days; `null` sets all defaults. */
export interface RetentionDaysInput {
  /** The retention of audit records and unread notifications in days. Read notifications: 90 days. `null` sets 365. */
  audit?: number | null | undefined;
  /** The retention of usage in days. `null` sets 400. */
  usage?: number | null | undefined;
  /** The retention of events and webhook deliveries in days. `null` sets 30. */
  deliveries?: number | null | undefined;
  /** The retention of the list of mails to license holders in days. `null` sets 180. */
  mails?: number | null | undefined;
  /** The retention of the messages of shops and of comparisons in days. `null` sets 90. */
  saleMessages?: number | null | undefined;
  /** The retention of the checks of licenses in days: what devices asked, and what they were told. `null` sets 30. */
  checks?: number | null | undefined;
}

/** A header that is sent with each delivery. */
export interface WebhookHeaderInput {
  /** The name of the header. */
  name: string;
  /** Never returned. If absent in a change, the stored value stays, unless the URL names another server. */
  value?: string | undefined;
}

/** Whether the list has archived rows: none (`false`), only those (`true`), or these as well (`all`). */
export type Archived = 'false' | 'true' | 'all';

/** The order; `-` is descending. Licenses without an end are the last to expire. */
export type LicenseSort =
  | '-created_at'
  | 'created_at'
  | 'expires_at'
  | '-expires_at';

/** The length of a bucket. Buckets begin in the tenant's timezone; weeks on Monday. */
export type UsageInterval = 'hour' | 'day' | 'week' | 'month' | 'year';

/** The type of an event. */
export type EventType =
  /** A license was created. */
  | 'license.created'
  /** A license was changed. */
  | 'license.updated'
  /** A license was suspended. */
  | 'license.suspended'
  /** A suspended license was reinstated. */
  | 'license.reinstated'
  /** A license was revoked. */
  | 'license.revoked'
  /** A license was renewed. */
  | 'license.renewed'
  /** A trial was converted: the license has the policy that was bought. */
  | 'license.converted'
  /** A license expires soon. */
  | 'license.expiring'
  /** A license has expired. */
  | 'license.expired'
  /** A license was deleted. */
  | 'license.deleted'
  /** A device was activated. */
  | 'activation.created'
  /** A device was deactivated. */
  | 'activation.deactivated'
  /** The lease of an activation has ended. */
  | 'activation.expired'
  /** A device was refused because every seat of a license is taken. */
  | 'activation.limit_reached'
  /** The usage of a license has reached the limit of an entitlement. */
  | 'entitlement.limit_reached'
  | 'release.published'
  | 'release.yanked'
  /** An API key was created. */
  | 'api_key.created'
  /** An API key was revoked. */
  | 'api_key.revoked'
  /** The service has disabled an endpoint, or a caller has. */
  | 'webhook.disabled'
  /** The secret of an endpoint was replaced. */
  | 'webhook.secret_rotated'
  /** A caller has sent a test event to an endpoint. */
  | 'webhook.test';

/**
 * `extend`: `durationDays` or `durationMonths` later than the end. `set_expiry`: `expiresAt`. `change_policy`:
 * `policyId`. `set_limit`: `maxActivations`, the license's own limit of devices. `grant_entitlement`: `entitlement`.
 * The others need no further field.
 */
export type BulkActionType =
  | 'extend'
  | 'set_expiry'
  | 'change_policy'
  | 'set_limit'
  | 'grant_entitlement'
  | 'suspend'
  | 'reinstate'
  | 'revoke';

/** An override that each license gets. It replaces an override with the same code. */
export interface BulkGrant {
  /** The code of an entitlement: letters, digits and `._:-`. */
  code: string;
  /** The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants. */
  value?: string | number | boolean | null | undefined;
  /** The quantity that may be used per period; null: unlimited. Only for metered entitlements. */
  limit?: number | null | undefined;
  reset?: ResetPeriod | undefined;
  overage?: OverageMode | undefined;
  /** The override applies until this time. */
  expiresAt?: string | Date | null | undefined;
}
