# Generated from openapi.json by packages/sdk/scripts/generate-python-management.ts. Do not edit.
"""The shapes of the tenant API: what ``ManagementClient`` sends and returns."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .types import Timestamp


ActivationStatus = Literal[
    "active",
    "expired",
    "deactivated",
]


ActorType = Literal[
    "user",
    "admin",
    "api_key",
    "system",
    "holder",
    "connection",
]


ApiKeyScope = Literal[
    "licenses:validate",
    "activations:write",
    "entitlements:check",
    "usage:write",
    "trials:create",
    "releases:read",
]


ApiKeyStatus = Literal[
    "active",
    "revoked",
    "expired",
]


Archived = Literal[
    "false",
    "true",
    "all",
]


BulkActionType = Literal[
    "extend",
    "set_expiry",
    "change_policy",
    "set_limit",
    "grant_entitlement",
    "suspend",
    "reinstate",
    "revoke",
]


ComparisonDifferenceState = Literal[
    "open",
    "applied",
]


ConnectionStatus = Literal[
    "active",
    "disabled",
]


EntitlementType = Literal[
    "boolean",
    "value",
    "metered",
]


EventType = Literal[
    "license.created",
    "license.updated",
    "license.suspended",
    "license.reinstated",
    "license.revoked",
    "license.renewed",
    "license.converted",
    "license.expiring",
    "license.expired",
    "license.deleted",
    "activation.created",
    "activation.deactivated",
    "activation.expired",
    "activation.limit_reached",
    "entitlement.limit_reached",
    "release.published",
    "release.yanked",
    "api_key.created",
    "api_key.revoked",
    "webhook.disabled",
    "webhook.secret_rotated",
    "webhook.test",
]


EventTypeOrAll = Literal[
    "*",
    "license.created",
    "license.updated",
    "license.suspended",
    "license.reinstated",
    "license.revoked",
    "license.renewed",
    "license.converted",
    "license.expiring",
    "license.expired",
    "license.deleted",
    "activation.created",
    "activation.deactivated",
    "activation.expired",
    "activation.limit_reached",
    "entitlement.limit_reached",
    "release.published",
    "release.yanked",
    "api_key.created",
    "api_key.revoked",
    "webhook.disabled",
    "webhook.secret_rotated",
    "webhook.test",
]


ExpiryBasis = Literal[
    "creation",
    "first_validation",
    "first_activation",
]


ExpiryStrategy = Literal[
    "deny",
    "allow",
]


FingerprintMatching = Literal[
    "exact",
    "most",
    "any",
]


HolderMailState = Literal[
    "queued",
    "sent",
    "refused",
    "cancelled",
]


HolderMailType = Literal[
    "license.issued",
    "license.key_replaced",
    "license.renewed",
    "license.expiring",
    "license.expired",
    "license.suspended",
    "license.reinstated",
    "activation.created",
    "activation.limit_reached",
    "trial.confirm",
    "portal.login",
    "portal.device_released",
]


LicenseSort = Literal[
    "-created_at",
    "created_at",
    "expires_at",
    "-expires_at",
]


LicenseStatus = Literal[
    "pending",
    "active",
    "suspended",
    "revoked",
    "expired",
]


OfferPaymentFailure = Literal[
    "nothing",
    "suspend_after_days",
]


OfferQuantity = Literal[
    "policy",
    "seats",
    "licenses",
    "ignore",
]


OfferRefund = Literal[
    "revoke",
    "suspend",
    "nothing",
]


OverageMode = Literal[
    "deny",
    "allow",
]


ReleaseArch = Literal[
    "x64",
    "arm64",
    "x86",
    "arm",
    "universal",
    "any",
]


ReleasePlatform = Literal[
    "windows",
    "macos",
    "linux",
    "any",
]


ReleaseStatus = Literal[
    "draft",
    "published",
    "yanked",
]


RenewalBasis = Literal[
    "from_expiry",
    "from_now",
    "from_expiry_or_now",
]


ResetPeriod = Literal[
    "none",
    "day",
    "week",
    "month",
    "year",
]


SaleEventState = Literal[
    "pending",
    "applied",
    "nothing",
    "failed",
]


SaleState = Literal[
    "pending",
    "active",
    "past_due",
    "paused",
    "ended",
    "refunded",
    "disputed",
]


SalesProvider = Literal[
    "stripe",
    "paddle",
    "lemonsqueezy",
    "polar",
    "gumroad",
    "custom",
]


Severity = Literal[
    "info",
    "warning",
    "critical",
]


UsageInterval = Literal[
    "hour",
    "day",
    "week",
    "month",
    "year",
]


WebhookDeliveryStatus = Literal[
    "pending",
    "succeeded",
    "failed",
]


WebhookRequestHeaders = TypedDict(
    "WebhookRequestHeaders",
    {
        "content-type": "str",
        "webhook-id": "str",
        "webhook-timestamp": "str",
    },
    total=False,
)
"""The headers of the request. The signature is not stored."""


WebhookStatus = Literal[
    "enabled",
    "disabled",
]


class ActivatedLicense(TypedDict):
    """The license that the device uses. Only with ``include=details``."""

    key: str
    holder: LicenseHolder


class Activation(TypedDict):
    """A device that uses a license."""

    id: str
    license_id: str
    fingerprint: str
    name: Optional[str]
    hostname: Optional[str]
    platform: Optional[str]
    ip: Optional[str]
    status: str
    last_heartbeat_at: str
    lease_expires_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str


class AllowTrial(TypedDict, total=False):
    """Names the device or the address, or both, that may have another trial."""

    fingerprint: str
    email: str


class AllowedTrial(TypedDict):
    """The result of allowing another trial."""

    forgotten: int


class ApiKey(TypedDict):
    """A credential of the Integration API, without the raw key."""

    id: str
    name: str
    status: str
    created_at: str
    hint: str
    expires_at: Optional[str]
    last_used_at: Optional[str]
    scopes: List[str]
    allowed_cidrs: List[str]
    product_id: Optional[str]
    rate_limit_per_minute: Optional[int]
    rate_limit_per_address_per_minute: Optional[int]
    created_by: Optional[ApiKeyCreator]


class AuditChange(TypedDict):
    """One changed field with its former and its new value."""

    field: str
    old: Any
    new: Any


class AuditRecord(TypedDict):
    """A change, who made it and with which request."""

    id: str
    occurred_at: str
    event: str
    actor_type: str
    actor_id: Optional[str]
    actor_name: Optional[str]
    actor_created_by: Optional[str]
    resource_type: str
    resource_id: Optional[str]
    resource_name: Optional[str]
    request_id: Optional[str]
    ip: Optional[str]
    changes: List[AuditChange]


class BulkChange(TypedDict):
    """A changed field of a license."""

    field: str
    old: Any
    new: Any


class BulkExample(TypedDict):
    """A license that would change."""

    license_id: str
    key: str
    holder: LicenseHolder
    changes: List[BulkChange]


class BulkOperation(TypedDict):
    """A change of many licenses, which a job makes."""

    id: str
    action: Dict[str, Any]
    filter: Optional[Dict[str, Any]]
    reason: Optional[str]
    notify_holder: bool
    state: str
    total: Optional[int]
    changed: int
    unchanged: int
    refused: int
    refusals: List[BulkRefusal]
    undoes: Optional[str]
    undone_by: Optional[str]
    created_at: str
    ended_at: Optional[str]


class BulkPreview(TypedDict):
    """What an operation would do."""

    total: Optional[int]
    changed: int
    unchanged: int
    refused: int
    refusals: List[BulkRefusal]
    examples: List[BulkExample]
    offline_until: Optional[str]


class BulkRefusal(TypedDict):
    """Why licenses cannot be changed."""

    code: str
    message: str
    count: int


class Certificate(TypedDict):
    """A license that can be checked without a network."""

    certificate: str
    expires_at: str


class Comparison(TypedDict):
    """A comparison of a shop's sales with the licenses here."""

    id: str
    state: str
    seen: int
    total: Optional[int]
    differences: int
    applies_itself: bool
    reason: Optional[str]
    continues_at: Optional[str]
    started_at: str
    ended_at: Optional[str]


class ComparisonDifference(TypedDict):
    """A sale of a shop whose licenses here do not match it."""

    id: str
    external_id: str
    kind: str
    summary: str
    buyer: Optional[Dict[str, Any]]
    state: str
    license_ids: List[str]


class Connection(TypedDict):
    """A shop that sells for the tenant."""

    id: str
    provider: str
    name: str
    status: str
    webhook_url: str
    has_signing_secret: bool
    has_api_key: bool
    compares_itself: bool
    last_event_at: Optional[str]
    problems_count: int
    created_at: str
    updated_at: str


class ConnectionWithSecret(TypedDict):
    """A new connection, with its secret if the service generated it."""

    id: str
    provider: str
    name: str
    status: str
    webhook_url: str
    has_signing_secret: bool
    has_api_key: bool
    compares_itself: bool
    last_event_at: Optional[str]
    problems_count: int
    created_at: str
    updated_at: str
    signing_secret: Optional[str]


class ConvertLicense(TypedDict):
    """Turns a trial license into a license of another policy."""

    policy_id: str


class CreateActivation(TypedDict, total=False):
    """Activates a device, which has a fingerprint, components, or both."""

    fingerprint: str
    components: Dict[str, str]
    name: Optional[str]
    hostname: Optional[str]
    platform: Optional[str]
    app_version: str
    metadata: Optional[Dict[str, Any]]


class CreateCustomerNote(TypedDict):
    """A new note about a customer."""

    text: str


class CreatedApiKey(TypedDict):
    """A new API key with the raw key."""

    id: str
    name: str
    key: Optional[str]
    status: str
    created_at: str
    hint: str
    expires_at: Optional[str]
    last_used_at: Optional[str]
    scopes: List[str]
    allowed_cidrs: List[str]
    product_id: Optional[str]
    rate_limit_per_minute: Optional[int]
    rate_limit_per_address_per_minute: Optional[int]
    created_by: Optional[ApiKeyCreator]


class Customer(TypedDict):
    """The holder of one or several licenses: everything with one email address, compared without case."""

    email: str
    name: Optional[str]
    licenses_count: int
    active_licenses_count: int
    active_activations_count: int
    last_validated_at: Optional[str]
    last_mail_at: Optional[str]


class CustomerDetails(TypedDict):
    """A customer with its licenses."""

    email: str
    name: Optional[str]
    licenses_count: int
    active_licenses_count: int
    active_activations_count: int
    last_validated_at: Optional[str]
    last_mail_at: Optional[str]
    licenses: List[LicenseDetails]
    activations: List[Activation]
    mails: List[HolderMail]


class CustomerExport(TypedDict):
    """The personal data of a customer."""

    email: str
    exported_at: str
    licenses: List[ExportedLicense]
    mails: List[HolderMail]
    trials: List[ExportedTrial]
    activations: List[ExportedActivation]
    checks: List[ExportedLicenseCheck]
    notes: List[ExportedCustomerNote]
    purchases: List[CustomerPurchase]


class CustomerNote(TypedDict):
    """A note about a customer, for the people of the tenant."""

    id: str
    text: str
    author_type: str
    author_id: str
    author_name: Optional[str]
    created_at: str


class CustomerPurchase(TypedDict):
    """A purchase of the person in a shop of the tenant."""

    connection_id: str
    external_id: str
    kind: Optional[str]
    state: Optional[str]
    buyer: CustomerPurchaseBuyer
    items: List[CustomerPurchaseItem]
    created_at: str


class CustomerPurchaseBuyer(TypedDict):
    """The person, as the shop names it."""

    reference: Optional[str]
    name: Optional[str]
    email: Optional[str]


class CustomerPurchaseItem(TypedDict):
    """What was bought."""

    external_id: str
    quantity: int


class Deletion(TypedDict):
    """The resource was deleted."""

    deleted: bool
    id: str


class DownloadStorage(TypedDict):
    """The S3 storage of private files: a download is a link that works for 5 minutes. Null: every file is public."""

    endpoint: str
    region: str
    bucket: str
    access_key_id: str


class Entitlement(TypedDict):
    """A feature or a quantity that policies and licenses grant."""

    id: str
    code: str
    name: str
    type: str
    description: Optional[str]
    created_at: str
    updated_at: str


class EntitlementCheck(TypedDict):
    """The access of a license to one entitlement."""

    code: str
    type: Optional[str]
    has_access: bool
    value: Optional[Union[str, float, bool]]
    limit: Optional[int]
    usage: Optional[int]
    remaining: Optional[int]
    overage: Optional[str]
    resets_at: Optional[str]
    expires_at: Optional[str]
    source: Optional[str]
    reason: Optional[str]


class EntitlementChecks(TypedDict):
    """One answer per entitlement."""

    entitlements: List[EntitlementCheck]


class ExportedCustomerNote(TypedDict):
    """A note about the person."""

    text: str
    created_at: str


class ExportedLicense(TypedDict):
    """A license of the person. A deleted license is kept as history, with the time of its deletion."""

    id: str
    product_id: str
    policy_id: str
    key: str
    status: str
    status_reason: Optional[str]
    batch_id: Optional[str]
    holder: LicenseHolder
    starts_at: str
    expires_at: Optional[str]
    maintenance_expires_at: Optional[str]
    max_activations: Optional[int]
    order_number: Optional[str]
    entitlements: List[LicenseEntitlement]
    deactivations_count: int
    last_validated_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str
    updated_at: str
    deleted_at: Optional[str]


class ExportedLicenseCheck(TypedDict):
    """What a device asked about a license of the person."""

    license_id: str
    kind: str
    fingerprint: Optional[str]
    code: str
    is_allowed: bool
    app_version: Optional[str]
    address: Optional[str]
    first_at: str
    last_at: str
    count: int


class ExportedTrial(TypedDict):
    """A trial without a key that the person started."""

    product_id: str
    license_id: str
    fingerprint: str
    started_at: str
    converted_at: Optional[str]


class HolderMail(TypedDict):
    """A mail to the holder of a license."""

    id: str
    type: str
    recipient: str
    license_id: Optional[str]
    state: str
    reason: Optional[str]
    subject: Optional[str]
    server: str
    attempts: int
    next_attempt_at: Optional[str]
    resent_from: Optional[str]
    created_at: str
    ended_at: Optional[str]


class ImportColumn(TypedDict):
    """A column of an imported file."""

    name: str
    imported: bool


class ImportError(TypedDict):
    """One problem of an imported file."""

    row: int
    field: str
    message: str


class ImportedRow(TypedDict):
    """A row of an imported file, as the service read it."""

    row: int
    values: Dict[str, Any]


class IssueCertificate(TypedDict, total=False):
    """Requests a certificate, which an application verifies without a network."""

    fingerprint: str
    components: Dict[str, str]
    ttl_seconds: int


class LastWebhookDelivery(TypedDict):
    """The newest delivery that is still stored."""

    id: str
    event_type: str
    status: str
    created_at: str


class License(TypedDict):
    """The right of a holder to use a product under a policy."""

    id: str
    product_id: str
    policy_id: str
    key: str
    status: str
    status_reason: Optional[str]
    batch_id: Optional[str]
    holder: LicenseHolder
    starts_at: str
    expires_at: Optional[str]
    maintenance_expires_at: Optional[str]
    max_activations: Optional[int]
    order_number: Optional[str]
    entitlements: List[LicenseEntitlement]
    activations_count: int
    deactivations_count: int
    last_validated_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str
    updated_at: str


class LicenseAction(TypedDict, total=False):
    """How an action on a license is carried out."""

    notify_holder: bool


class LicenseCheck(TypedDict):
    """What a device asked about a license, and what it was told, with the number of repetitions."""

    kind: str
    fingerprint: Optional[str]
    code: str
    is_allowed: bool
    app_version: Optional[str]
    address: Optional[str]
    first_at: str
    last_at: str
    count: int


class LicenseFilter(TypedDict, total=False):
    """The licenses that match all filters; without a filter every license."""

    status: LicenseStatus
    product_id: str
    policy_id: str
    batch_id: str
    key: str
    holder_email: str
    holder_reference: str
    order_number: str
    expires_before: Timestamp
    expires_after: Timestamp
    expires_within_days: int
    metadata_key: str
    metadata_value: str
    q: str


class LicenseHolder(TypedDict):
    """The person or company that the license was issued to."""

    name: Optional[str]
    email: Optional[str]
    reference: Optional[str]


class LicenseHolderInput(TypedDict, total=False):
    """The person or company that the license was issued to. Fields that are left out are null."""

    name: Optional[str]
    email: Optional[str]
    reference: Optional[str]


class LicenseImport(TypedDict):
    """An import that runs after its request, and its progress."""

    id: str
    state: str
    total: int
    done: int
    created: int
    failed: int
    errors: List[ImportError]
    reason: Optional[str]
    created_at: str
    ended_at: Optional[str]


class LicenseRenewal(TypedDict, total=False):
    """How a license is renewed. Without a duration, by its policy's. With one, both dates that are set move by it:
    ``expires_at`` and ``maintenance_expires_at``. A renewal has at most one duration.
    """

    duration_days: int
    duration_months: int
    notify_holder: bool
    dry_run: bool


class LicenseRevocation(TypedDict, total=False):
    """Why a license is revoked."""

    reason: Optional[str]


class LicenseSale(TypedDict):
    """The sale of the license; null if no sale has issued it."""

    connection_id: str
    provider: str
    sale: Sale


class LicenseTransition(TypedDict, total=False):
    """How the status of a license is changed, and why."""

    reason: Optional[str]
    notify_holder: bool


class Notification(TypedDict):
    """A message to the users of a tenant."""

    id: str
    type: str
    severity: str
    title: str
    body: str
    resource_type: Optional[str]
    resource_id: Optional[str]
    read_at: Optional[str]
    created_at: str


class Offer(TypedDict):
    """What an item of a shop becomes."""

    id: str
    external_id: str
    name: str
    policy_id: str
    quantity: str
    seats_per_unit: int
    on_refund: str
    on_payment_failure: str
    suspend_after_days: Optional[int]
    created_at: str
    updated_at: str


class PendingTerm(TypedDict):
    """The term that has not begun; null: none. Only with ``include=details``."""

    begins_with: str
    duration_days: Optional[int]
    duration_months: Optional[int]
    ends_with_month: bool


class Policy(TypedDict):
    """A template of licenses: their term, their devices and their entitlements."""

    id: str
    product_id: str
    code: str
    name: str
    duration_days: Optional[int]
    duration_months: Optional[int]
    expiry_basis: str
    expiry_strategy: str
    grace_days: int
    renewal_basis: str
    maintenance_days: Optional[int]
    max_activations: Optional[int]
    activation_overage_percent: Optional[int]
    require_activation: bool
    fingerprint_matching: str
    ends_with_month: bool
    trial_requires_email: bool
    lease_seconds: Optional[int]
    max_deactivations: Optional[int]
    offline_ttl_seconds_max: int
    key_prefix: Optional[str]
    holder_may_replace_key: bool
    entitlements: List[PolicyEntitlement]
    metadata: Dict[str, Any]
    archived_at: Optional[str]
    created_at: str
    updated_at: str


class PolicyDetail(TypedDict):
    """A policy, and whether it can be deleted."""

    id: str
    product_id: str
    code: str
    name: str
    duration_days: Optional[int]
    duration_months: Optional[int]
    expiry_basis: str
    expiry_strategy: str
    grace_days: int
    renewal_basis: str
    maintenance_days: Optional[int]
    max_activations: Optional[int]
    activation_overage_percent: Optional[int]
    require_activation: bool
    fingerprint_matching: str
    ends_with_month: bool
    trial_requires_email: bool
    lease_seconds: Optional[int]
    max_deactivations: Optional[int]
    offline_ttl_seconds_max: int
    key_prefix: Optional[str]
    holder_may_replace_key: bool
    entitlements: List[PolicyEntitlement]
    metadata: Dict[str, Any]
    archived_at: Optional[str]
    created_at: str
    updated_at: str
    is_deletable: bool


class PortalLink(TypedDict):
    """A link that logs the holder of a license in to the portal."""

    url: str
    expires_at: str


class Product(TypedDict):
    """A product that the tenant licenses."""

    id: str
    code: str
    name: str
    description: Optional[str]
    platforms: List[str]
    renewal_url: Optional[str]
    trial_policy_id: Optional[str]
    download_storage: Optional[DownloadStorage]
    metadata: Dict[str, Any]
    archived_at: Optional[str]
    created_at: str
    updated_at: str


class ReadCount(TypedDict):
    """How many notifications became read."""

    count: int


class RecoveredWebhook(TypedDict):
    """How many deliveries are sent again."""

    count: int


class Release(TypedDict):
    """A version of a product."""

    id: str
    product_id: str
    version: str
    channel: str
    status: str
    notes: str
    released_at: Optional[str]
    minimum_entitlements: List[str]
    yanked_reason: Optional[str]
    downloads_count: int
    artifacts: List[ReleaseArtifact]
    created_at: str
    updated_at: str


class ReleaseArtifact(TypedDict):
    """A file of a release."""

    id: str
    platform: str
    arch: str
    file_name: str
    size: int
    sha256: str
    url: str
    signature: Optional[str]


class ReleaseDownloads(TypedDict):
    """The downloads of a day."""

    day: str
    count: int


class RetentionDays(TypedDict):
    """How long data is kept, in days."""

    audit: int
    usage: int
    deliveries: int
    mails: int
    sale_messages: int
    checks: int


class RetentionDaysInput(TypedDict, total=False):
    """How long data is kept, in days; ``null`` sets all defaults."""

    audit: Optional[int]
    usage: Optional[int]
    deliveries: Optional[int]
    mails: Optional[int]
    sale_messages: Optional[int]
    checks: Optional[int]


class RotateApiKey(TypedDict, total=False):
    """How a key is replaced."""

    overlap_seconds: int
    expires_at: Optional[Timestamp]


class Sale(TypedDict):
    """A subscription or an order in a shop, with its licenses."""

    id: str
    external_id: str
    kind: str
    state: str
    buyer: SaleBuyer
    items: List[SaleItem]
    license_ids: List[str]
    paid_until: Optional[str]
    ends_at: Optional[str]
    refund: str
    dispute: str
    problem: Optional[SaleProblem]
    shop_url: Optional[str]
    created_at: str
    updated_at: str


class SaleBuyer(TypedDict):
    """Who bought, as far as the shop says it."""

    reference: Optional[str]
    name: Optional[str]
    email: Optional[str]


class SaleEffect(TypedDict):
    """What a message did to one license."""

    effect: str
    license_id: str


class SaleItem(TypedDict):
    """One item of a sale."""

    external_id: str
    quantity: int
    offer_id: Optional[str]
    policy_id: Optional[str]


class SaleProblem(TypedDict):
    """Why the licenses of a sale do not match it."""

    code: str
    message: str


class SendHolderMail(TypedDict):
    """Sends the license key to the holder, even if such mails are switched off."""

    license_id: str


class SendTestSale(TypedDict, total=False):
    """What the test sale sells, and to whom."""

    email: str
    external_id: str


class Settings(TypedDict):
    """The settings of a tenant."""

    name: str
    timezone: str
    support_email: Optional[str]
    license_key_prefix: Optional[str]
    expiring_soon_days: int
    notification_emails: List[str]
    webhook_event_defaults: List[str]
    retention_days: RetentionDays
    trials_per_day_max: int
    trials_per_address_max: int


class ShopCatalog(TypedDict):
    """What the shop sells, by its own API."""

    items: List[ShopOffer]


class ShopOffer(TypedDict):
    """Something that the shop sells, for the choice of an offer."""

    external_id: str
    name: str
    price: Optional[str]


class TestSale(TypedDict):
    """A message that was sent through the real path."""

    event_id: str
    sale_external_id: str
    checkout_id: str


class UnreadNotificationCount(TypedDict):
    """How many notifications are unread."""

    count: int


class UpdateApiKey(TypedDict, total=False):
    """The fields of an API key to change. A field that is left out keeps its value; null lifts a limit."""

    name: str
    scopes: List[ApiKeyScope]
    expires_at: Optional[Timestamp]
    allowed_cidrs: List[str]
    product_id: Optional[str]
    rate_limit_per_minute: Optional[int]
    rate_limit_per_address_per_minute: Optional[int]


class UpdateConnection(TypedDict, total=False):
    """The fields of a connection to change. A field that is left out keeps its value."""

    name: str
    signing_secret: str
    api_key: Optional[str]
    status: ConnectionStatus
    compares_itself: bool


class UpdateCustomer(TypedDict, total=False):
    """The fields of the holder to change in all licenses of a customer. Null removes the name."""

    name: Optional[str]
    email: str


class UpdateEntitlement(TypedDict, total=False):
    """The fields of an entitlement to change."""

    name: str
    description: Optional[str]


class UpdateLicense(TypedDict, total=False):
    """The fields of a license to change. A field that is left out keeps its value; null clears it."""

    policy_id: str
    holder: Optional[LicenseHolderInput]
    starts_at: Timestamp
    expires_at: Optional[Timestamp]
    maintenance_expires_at: Optional[Timestamp]
    max_activations: Optional[int]
    order_number: Optional[str]
    entitlements: Optional[List[LicenseEntitlementInput]]
    metadata: Optional[Dict[str, Any]]
    notify_holder: bool


class UpdateOffer(TypedDict, total=False):
    """The fields of an offer to change. A field that is left out keeps its value."""

    name: str
    policy_id: str
    quantity: OfferQuantity
    seats_per_unit: int
    on_refund: OfferRefund
    on_payment_failure: OfferPaymentFailure
    suspend_after_days: Optional[int]


class UpdatePolicy(TypedDict, total=False):
    """The fields of a policy to change. A field that is left out keeps its value; null clears it."""

    code: str
    name: str
    duration_days: Optional[int]
    duration_months: Optional[int]
    expiry_basis: ExpiryBasis
    expiry_strategy: ExpiryStrategy
    grace_days: int
    renewal_basis: RenewalBasis
    maintenance_days: Optional[int]
    max_activations: Optional[int]
    activation_overage_percent: Optional[int]
    require_activation: bool
    fingerprint_matching: FingerprintMatching
    ends_with_month: bool
    trial_requires_email: bool
    lease_seconds: Optional[int]
    max_deactivations: Optional[int]
    offline_ttl_seconds_max: int
    key_prefix: Optional[str]
    holder_may_replace_key: bool
    entitlements: Optional[List[PolicyEntitlementInput]]
    metadata: Optional[Dict[str, Any]]


class UpdateProduct(TypedDict, total=False):
    """The fields of a product to change. A field that is left out keeps its value; null clears it."""

    code: str
    name: str
    description: Optional[str]
    platforms: Optional[List[str]]
    renewal_url: Optional[str]
    trial_policy_id: Optional[str]
    download_storage: Optional[DownloadStorageInput]
    metadata: Optional[Dict[str, Any]]


class UpdateRelease(TypedDict, total=False):
    """The fields of a draft to change; ``artifacts`` replaces all files."""

    version: str
    channel: str
    notes: str
    minimum_entitlements: List[str]
    artifacts: List[WriteReleaseArtifact]


class UpdateSettings(TypedDict, total=False):
    """The settings to change. A field that is left out keeps its value."""

    name: str
    timezone: Optional[str]
    support_email: Optional[str]
    license_key_prefix: Optional[str]
    expiring_soon_days: Optional[int]
    notification_emails: Optional[List[str]]
    webhook_event_defaults: Optional[List[EventTypeOrAll]]
    retention_days: Optional[RetentionDaysInput]
    trials_per_day_max: Optional[int]
    trials_per_address_max: Optional[int]


class UpdateWebhookEndpoint(TypedDict, total=False):
    """The fields of a webhook endpoint to change."""

    url: str
    description: Optional[str]
    events: Optional[List[EventTypeOrAll]]
    product_id: Optional[str]
    headers: List[WebhookHeaderInput]
    status: WebhookStatus


class UsageBucket(TypedDict):
    """The usage of one entitlement by one license in one interval."""

    bucket_start: str
    license_id: str
    license_name: str
    entitlement: str
    quantity: int


class UsagePoint(TypedDict):
    """The usage in one interval."""

    bucket_start: str
    entitlements: List[UsageSum]


class UsageSum(TypedDict):
    """The usage of one entitlement by all licenses."""

    code: str
    quantity: int


class ValidateLicense(TypedDict, total=False):
    """Asks whether a license may be used. Every field is optional and adds a condition."""

    product: str
    fingerprint: str
    components: Dict[str, str]
    entitlements: List[str]
    version_released_at: Timestamp
    nonce: str
    app_version: str
    proof: bool


class VerdictLicense(TypedDict):
    """The license with its effective limit of activations; null for an unknown key."""

    id: str
    product_id: str
    policy_id: str
    key: str
    status: str
    status_reason: Optional[str]
    batch_id: Optional[str]
    holder: LicenseHolder
    starts_at: str
    expires_at: Optional[str]
    maintenance_expires_at: Optional[str]
    max_activations: Optional[int]
    order_number: Optional[str]
    entitlements: List[LicenseEntitlement]
    activations_count: int
    deactivations_count: int
    last_validated_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str
    updated_at: str


class WebhookAttempt(TypedDict):
    """One attempt to deliver an event."""

    at: str
    trigger: str
    request_headers: WebhookRequestHeaders
    response_status: Optional[int]
    duration_ms: int
    error: Optional[str]
    response_body: Optional[str]


class WebhookAttemptSummary(TypedDict):
    """The last attempt so far."""

    at: str
    response_status: Optional[int]
    duration_ms: int
    error: Optional[str]


class WebhookDelivery(TypedDict):
    """A delivery of one event to one endpoint."""

    id: str
    webhook_id: str
    event_id: str
    event_type: str
    status: str
    failure_reason: Optional[str]
    next_attempt_at: Optional[str]
    created_at: str
    request_body: str
    attempts: List[WebhookAttempt]


class WebhookDeliveryCounts(TypedDict):
    """Deliveries created in the last 24 hours."""

    pending: int
    succeeded: int
    failed: int


class WebhookDeliverySummary(TypedDict):
    """A delivery of one event to one endpoint, with its last attempt."""

    id: str
    webhook_id: str
    event_id: str
    event_type: str
    status: str
    failure_reason: Optional[str]
    next_attempt_at: Optional[str]
    created_at: str
    last_attempt: Optional[WebhookAttemptSummary]


class WebhookEndpointHealth(TypedDict):
    """The recent deliveries of an endpoint."""

    is_failing: bool
    retrying_deliveries: int
    failed_deliveries: int
    failing_since: Optional[str]
    disabled_from: Optional[str]
    last_delivery: Optional[LastWebhookDelivery]
    last_24_hours: WebhookDeliveryCounts


class WebhookEndpointWithSecret(TypedDict):
    """An endpoint with its new secret."""

    id: str
    url: str
    description: Optional[str]
    events: List[str]
    product_id: Optional[str]
    headers: List[WebhookHeader]
    status: str
    disabled_reason: Optional[str]
    created_at: str
    updated_at: str
    secret: Optional[str]


class YankRelease(TypedDict):
    """Why a release is withdrawn."""

    reason: str


class _ActivationDetailsFields(TypedDict):
    id: str
    license_id: str
    fingerprint: str
    name: Optional[str]
    hostname: Optional[str]
    platform: Optional[str]
    ip: Optional[str]
    status: str
    last_heartbeat_at: str
    lease_expires_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str


class ActivationDetails(_ActivationDetailsFields, total=False):
    """A device, on request with the license that it uses."""

    components: List[str]
    license: ActivatedLicense


class _ApiKeyCreatorFields(TypedDict):
    type: str
    id: Optional[str]


class ApiKeyCreator(_ApiKeyCreatorFields, total=False):
    """Who created the key."""

    name: Optional[str]


class _BulkActionFields(TypedDict):
    type: BulkActionType


class BulkAction(_BulkActionFields, total=False):
    """What happens to each license."""

    duration_days: int
    duration_months: int
    expires_at: Optional[Timestamp]
    policy_id: str
    max_activations: Optional[int]
    entitlement: BulkGrant


class _BulkGrantFields(TypedDict):
    code: str


class BulkGrant(_BulkGrantFields, total=False):
    """An override that each license gets. It replaces an override with the same code."""

    value: Optional[Union[str, float, bool]]
    limit: Optional[int]
    reset: ResetPeriod
    overage: OverageMode
    expires_at: Optional[Timestamp]


class _CreateApiKeyFields(TypedDict):
    name: str


class CreateApiKey(_CreateApiKeyFields, total=False):
    """A new API key."""

    scopes: List[ApiKeyScope]
    expires_at: Optional[Timestamp]
    allowed_cidrs: List[str]
    product_id: Optional[str]
    rate_limit_per_minute: Optional[int]
    rate_limit_per_address_per_minute: Optional[int]


class _CreateBulkOperationFields(TypedDict):
    action: BulkAction


class CreateBulkOperation(_CreateBulkOperationFields, total=False):
    """A change of many licenses."""

    filter: LicenseFilter
    ids: List[str]
    reason: Optional[str]
    notify_holder: bool
    dry_run: bool


class _CreateConnectionFields(TypedDict):
    provider: SalesProvider
    name: str


class CreateConnection(_CreateConnectionFields, total=False):
    """A new connection to a shop."""

    signing_secret: str
    api_key: str
    status: ConnectionStatus
    compares_itself: bool


class _CreateEntitlementFields(TypedDict):
    code: str
    name: str
    type: EntitlementType


class CreateEntitlement(_CreateEntitlementFields, total=False):
    """A new feature or limit that policies and licenses can grant."""

    description: Optional[str]


class _CreateLicenseBatchFields(TypedDict):
    name: str
    policy_id: str
    count: int


class CreateLicenseBatch(_CreateLicenseBatchFields, total=False):
    """Licenses of a policy that are issued together."""

    note: Optional[str]


class _CreateLicenseFields(TypedDict):
    policy_id: str


class CreateLicense(_CreateLicenseFields, total=False):
    """A new license of a policy."""

    product_id: str
    key: str
    holder: Optional[LicenseHolderInput]
    starts_at: Timestamp
    expires_at: Optional[Timestamp]
    maintenance_expires_at: Optional[Timestamp]
    max_activations: Optional[int]
    order_number: Optional[str]
    entitlements: Optional[List[LicenseEntitlementInput]]
    metadata: Optional[Dict[str, Any]]
    notify_holder: bool


class _CreateNotificationFields(TypedDict):
    title: str
    body: str


class CreateNotification(_CreateNotificationFields, total=False):
    """A message to the members of a tenant."""

    type: str
    severity: Severity


class _CreateOfferFields(TypedDict):
    external_id: str
    policy_id: str


class CreateOffer(_CreateOfferFields, total=False):
    """A new offer of a connection."""

    name: str
    quantity: OfferQuantity
    seats_per_unit: int
    on_refund: OfferRefund
    on_payment_failure: OfferPaymentFailure
    suspend_after_days: Optional[int]


class _CreatePolicyFields(TypedDict):
    product_id: str
    code: str
    name: str


class CreatePolicy(_CreatePolicyFields, total=False):
    """A new policy: the terms of its licenses."""

    duration_days: Optional[int]
    duration_months: Optional[int]
    expiry_basis: ExpiryBasis
    expiry_strategy: ExpiryStrategy
    grace_days: int
    renewal_basis: RenewalBasis
    maintenance_days: Optional[int]
    max_activations: Optional[int]
    activation_overage_percent: Optional[int]
    require_activation: bool
    fingerprint_matching: FingerprintMatching
    ends_with_month: bool
    trial_requires_email: bool
    lease_seconds: Optional[int]
    max_deactivations: Optional[int]
    offline_ttl_seconds_max: int
    key_prefix: Optional[str]
    holder_may_replace_key: bool
    entitlements: Optional[List[PolicyEntitlementInput]]
    metadata: Optional[Dict[str, Any]]


class _CreateProductFields(TypedDict):
    code: str
    name: str


class CreateProduct(_CreateProductFields, total=False):
    """A new product."""

    description: Optional[str]
    platforms: List[str]
    renewal_url: Optional[str]
    download_storage: Optional[DownloadStorageInput]
    metadata: Dict[str, Any]


class _CreateReleaseFields(TypedDict):
    version: str


class CreateRelease(_CreateReleaseFields, total=False):
    """A new draft of a release."""

    channel: str
    notes: str
    minimum_entitlements: List[str]
    artifacts: List[WriteReleaseArtifact]


class _CreateWebhookEndpointFields(TypedDict):
    url: str


class CreateWebhookEndpoint(_CreateWebhookEndpointFields, total=False):
    """A new endpoint that receives events."""

    description: Optional[str]
    events: Optional[List[EventTypeOrAll]]
    product_id: Optional[str]
    headers: List[WebhookHeaderInput]


class _DownloadStorageInputFields(TypedDict):
    endpoint: str
    region: str
    bucket: str
    access_key_id: str


class DownloadStorageInput(_DownloadStorageInputFields, total=False):
    """The S3 storage of private files: a download is a link that works for 5 minutes. Null: every file is public."""

    secret_access_key: str


class _ExportedActivationFields(TypedDict):
    id: str
    license_id: str
    fingerprint: str
    name: Optional[str]
    hostname: Optional[str]
    platform: Optional[str]
    ip: Optional[str]
    status: str
    last_heartbeat_at: str
    lease_expires_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str


class ExportedActivation(_ExportedActivationFields, total=False):
    """A device with its components."""

    components: Dict[str, Any]


class _ImportResultFields(TypedDict):
    created: int
    failed: int
    errors: List[ImportError]


class ImportResult(_ImportResultFields, total=False):
    """The result of an import."""

    columns: List[ImportColumn]
    rows: List[ImportedRow]


class _LicenseBatchFields(TypedDict):
    id: str
    name: str
    policy_id: str
    note: Optional[str]
    count: int
    issued: int
    state: str
    reason: Optional[str]
    created_at: str
    ended_at: Optional[str]


class LicenseBatch(_LicenseBatchFields, total=False):
    """Licenses that were issued together. The list of licenses has a filter for them."""

    used: int


class _LicenseDetailsFields(TypedDict):
    id: str
    product_id: str
    policy_id: str
    key: str
    status: str
    status_reason: Optional[str]
    batch_id: Optional[str]
    holder: LicenseHolder
    starts_at: str
    expires_at: Optional[str]
    maintenance_expires_at: Optional[str]
    max_activations: Optional[int]
    order_number: Optional[str]
    entitlements: List[LicenseEntitlement]
    activations_count: int
    deactivations_count: int
    last_validated_at: Optional[str]
    metadata: Dict[str, Any]
    created_at: str
    updated_at: str


class LicenseDetails(_LicenseDetailsFields, total=False):
    """A license, on request with what applies to it from its product and its policy."""

    product_name: str
    policy_name: str
    activations_limit: Optional[int]
    activations_admitted: Optional[int]
    pending_term: Optional[PendingTerm]
    refused_since: Optional[str]


class _LicenseEntitlementFields(TypedDict):
    code: str


class LicenseEntitlement(_LicenseEntitlementFields, total=False):
    """An entitlement of a license that overrides its policy."""

    value: Optional[Union[str, float, bool]]
    limit: Optional[int]
    reset: str
    overage: str
    expires_at: Optional[str]


class _LicenseEntitlementInputFields(TypedDict):
    code: str


class LicenseEntitlementInput(_LicenseEntitlementInputFields, total=False):
    """An override of an entitlement of the policy."""

    value: Optional[Union[str, float, bool]]
    limit: Optional[int]
    reset: ResetPeriod
    overage: OverageMode
    expires_at: Optional[Timestamp]


class _PolicyEntitlementFields(TypedDict):
    code: str


class PolicyEntitlement(_PolicyEntitlementFields, total=False):
    """An entitlement as a policy grants it."""

    value: Optional[Union[str, float, bool]]
    limit: Optional[int]
    reset: str
    overage: str


class _PolicyEntitlementInputFields(TypedDict):
    code: str


class PolicyEntitlementInput(_PolicyEntitlementInputFields, total=False):
    """An entitlement as a policy grants it."""

    value: Optional[Union[str, float, bool]]
    limit: Optional[int]
    reset: ResetPeriod
    overage: OverageMode


class _RecoverWebhookFields(TypedDict):
    since: Timestamp


class RecoverWebhook(_RecoverWebhookFields, total=False):
    """Delivers the failed events of a period again."""

    until: Optional[Timestamp]
    dry_run: bool


class _SaleEventFields(TypedDict):
    id: str
    external_id: str
    type: str
    occurred_at: Optional[str]
    received_at: str
    state: str
    attempts: int
    next_attempt_at: Optional[str]
    effects: List[SaleEffect]
    reason: Optional[str]
    sale_id: Optional[str]


class SaleEvent(_SaleEventFields, total=False):
    """A message of a shop, with what it did."""

    body: Optional[str]


class _VerdictFields(TypedDict):
    valid: bool
    code: str
    detail: str
    checked_at: str
    nonce: Optional[str]
    license: Optional[VerdictLicense]
    activation: Optional[Activation]
    entitlements: List[EntitlementCheck]


class Verdict(_VerdictFields, total=False):
    """Whether a license may be used now, and why."""

    proof: str


class _WebhookEndpointFields(TypedDict):
    id: str
    url: str
    description: Optional[str]
    events: List[str]
    product_id: Optional[str]
    headers: List[WebhookHeader]
    status: str
    disabled_reason: Optional[str]
    created_at: str
    updated_at: str


class WebhookEndpoint(_WebhookEndpointFields, total=False):
    """An endpoint that receives events, without its secret."""

    previous_secret_expires_at: Optional[str]
    health: WebhookEndpointHealth


class _WebhookHeaderFields(TypedDict):
    name: str


class WebhookHeader(_WebhookHeaderFields, total=False):
    """A header that is sent with each delivery."""

    value: str


class _WebhookHeaderInputFields(TypedDict):
    name: str


class WebhookHeaderInput(_WebhookHeaderInputFields, total=False):
    """A header that is sent with each delivery."""

    value: str


class _WriteReleaseArtifactFields(TypedDict):
    platform: ReleasePlatform
    arch: ReleaseArch
    file_name: str
    url: str
    size: int
    sha256: str


class WriteReleaseArtifact(_WriteReleaseArtifactFields, total=False):
    """A file of a release."""

    signature: Optional[str]
