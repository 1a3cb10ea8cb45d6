// Code generated from openapi.json by packages/sdk/scripts/generate-go-management.ts. DO NOT EDIT.

package api

import "time"

// APIKey: A credential of the Integration API, without the raw key.
type APIKey struct {
	Answer

	ID   string `json:"id"`
	Name string `json:"name"`
	// Only an `active` key is accepted. One of: active, revoked, expired.
	Status    string `json:"status"`
	CreatedAt string `json:"created_at"`
	// The masked key, such as `vx_3f9a…c2d1`, by which people recognise it.
	Hint string `json:"hint"`
	// When the key stops working; null: never.
	ExpiresAt *string `json:"expires_at"`
	// The time of the newest request; null before the first.
	LastUsedAt *string `json:"last_used_at"`
	// What the key may do.
	Scopes []string `json:"scopes"`
	// The networks from which the key may be used; empty: all networks.
	AllowedCidrs []string `json:"allowed_cidrs"`
	// The only product that the key works for: it does not know the licenses of other products. Null: all products.
	ProductID *string `json:"product_id"`
	// The requests per minute with this key; null: only the tenant's limit applies.
	RateLimitPerMinute *int64 `json:"rate_limit_per_minute"`
	// The requests that one client address may send with the key per minute; an IPv6 address counts with its /64
	// network. Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
	RateLimitPerAddressPerMinute *int64         `json:"rate_limit_per_address_per_minute"`
	CreatedBy                    *APIKeyCreator `json:"created_by"`
}

// APIKeyCreator: Who created the key.
type APIKeyCreator struct {
	// `user`, `admin` or `system`.
	Type string `json:"type"`
	// The id of the user or admin, or of the access token; its type is `user` too.
	ID *string `json:"id"`
	// The present name of the member or access token; null for others and for callers with an access token. Only in
	// lists with `include=details`.
	Name *string `json:"name"`
}

// ActivatedLicense: The license that the device uses. Only with `include=details`.
type ActivatedLicense struct {
	// The license key.
	Key    string        `json:"key"`
	Holder LicenseHolder `json:"holder"`
}

// Activation: A device that uses a license.
type Activation struct {
	Answer

	ID        string `json:"id"`
	LicenseID string `json:"license_id"`
	// Identifies the device to its license. Your application computes it.
	Fingerprint string `json:"fingerprint"`
	// The name of the device that people recognise.
	Name *string `json:"name"`
	// The host name of the device.
	Hostname *string `json:"hostname"`
	// The operating system of the device, in words of your choice.
	Platform *string `json:"platform"`
	// The IP address that sent the activation; null: the vendor activated the device.
	IP *string `json:"ip"`
	// `expired`: no heartbeat arrived before the lease ended. One of: active, expired, deactivated.
	Status string `json:"status"`
	// The time of the newest heartbeat, at first of the activation.
	LastHeartbeatAt string `json:"last_heartbeat_at"`
	// The activation expires at this time without a heartbeat; null: it never expires.
	LeaseExpiresAt *string        `json:"lease_expires_at"`
	Metadata       map[string]any `json:"metadata"`
	CreatedAt      string         `json:"created_at"`
}

// ActivationDetails: A device, on request with the license that it uses.
type ActivationDetails struct {
	Answer

	ID        string `json:"id"`
	LicenseID string `json:"license_id"`
	// Identifies the device to its license. Your application computes it.
	Fingerprint string `json:"fingerprint"`
	// The name of the device that people recognise.
	Name *string `json:"name"`
	// The host name of the device.
	Hostname *string `json:"hostname"`
	// The operating system of the device, in words of your choice.
	Platform *string `json:"platform"`
	// The IP address that sent the activation; null: the vendor activated the device.
	IP *string `json:"ip"`
	// `expired`: no heartbeat arrived before the lease ended. One of: active, expired, deactivated.
	Status string `json:"status"`
	// The time of the newest heartbeat, at first of the activation.
	LastHeartbeatAt string `json:"last_heartbeat_at"`
	// The activation expires at this time without a heartbeat; null: it never expires.
	LeaseExpiresAt *string        `json:"lease_expires_at"`
	Metadata       map[string]any `json:"metadata"`
	CreatedAt      string         `json:"created_at"`
	// The names of its components. Only with `include=details`.
	Components []string          `json:"components"`
	License    *ActivatedLicense `json:"license"`
}

// AllowTrial: Names the device or the address, or both, that may have another trial.
type AllowTrial struct {
	// The device that had a trial.
	Fingerprint string `json:"fingerprint,omitempty"`
	// The address that had a trial.
	Email string `json:"email,omitempty"`
}

// AllowedTrial: The result of allowing another trial.
type AllowedTrial struct {
	Answer

	// The trials that were forgotten; 0: none was known.
	Forgotten int64 `json:"forgotten"`
}

// AuditChange: One changed field with its former and its new value.
type AuditChange struct {
	// The name of the field.
	Field string `json:"field"`
	// The value before; null for a creation.
	Old any `json:"old"`
	// The value after.
	New any `json:"new"`
}

// AuditRecord: A change, who made it and with which request.
type AuditRecord struct {
	Answer

	ID string `json:"id"`
	// When the change was made.
	OccurredAt string `json:"occurred_at"`
	// `RESOURCE.VERB`; with the suffix `_BY_ADMIN` if an admin of the platform acted on a tenant.
	Event string `json:"event"`
	// Who acted; `system` is the service itself, `holder` the holder of a license in the portal, and `connection` a
	// shop whose message caused the change. One of: user, admin, api_key, system, holder, connection.
	ActorType string `json:"actor_type"`
	// The id of the user, admin, API key or access token (whose type is `user`), of the session of a holder, or of the
	// connection.
	ActorID *string `json:"actor_id"`
	// The actor's present name; null if it was removed, and for admins on the tenant surface.
	ActorName *string `json:"actor_name"`
	// The id of the user who created the access token that acted; null for other actors.
	ActorCreatedBy *string `json:"actor_created_by"`
	// The type of the affected resource, such as `license`.
	ResourceType string `json:"resource_type"`
	// The id of the affected resource.
	ResourceID *string `json:"resource_id"`
	// For a license or an activation: the holder of the license and the end of its key, also after it was deleted. Null
	// otherwise.
	ResourceName *string `json:"resource_name"`
	// The id of the request that caused the record.
	RequestID *string `json:"request_id"`
	// The IP address of the client.
	IP *string `json:"ip"`
	// The changed fields; they never contain secrets.
	Changes []AuditChange `json:"changes"`
}

// BulkAction: What happens to each license.
type BulkAction struct {
	// `extend`: `duration_days` or `duration_months` later than the end. `set_expiry`: `expires_at`. `change_policy`:
	// `policy_id`. `set_limit`: `max_activations`, the license's own limit of devices. `grant_entitlement`:
	// `entitlement`. The others need no further field. One of: extend, set_expiry, change_policy, set_limit,
	// grant_entitlement, suspend, reinstate, revoke.
	Type string `json:"type"`
	// Days of 24 hours, for `extend`.
	DurationDays int64 `json:"duration_days,omitempty"`
	// Months of the calendar in the tenant's time zone, for `extend`; a year has 12.
	DurationMonths int64 `json:"duration_months,omitempty"`
	// The new end, for `set_expiry`; null: the licenses never expire.
	ExpiresAt *Nullable[time.Time] `json:"expires_at,omitempty"`
	// The new policy, for `change_policy`.
	PolicyID string `json:"policy_id,omitempty"`
	// The limit of devices, for `set_limit`; null: the limit of the policy.
	MaxActivations *Nullable[int64] `json:"max_activations,omitempty"`
	Entitlement    *BulkGrant       `json:"entitlement,omitempty"`
}

// BulkChange: A changed field of a license.
type BulkChange struct {
	// The field; `entitlements.` with a code for an override.
	Field string `json:"field"`
	// The value before.
	Old any `json:"old"`
	// The value after.
	New any `json:"new"`
}

// BulkExample: A license that would change.
type BulkExample struct {
	LicenseID string        `json:"license_id"`
	Key       string        `json:"key"`
	Holder    LicenseHolder `json:"holder"`
	Changes   []BulkChange  `json:"changes"`
}

// BulkGrant: An override that each license gets. It replaces an override with the same code.
type BulkGrant struct {
	Code string `json:"code"`
	// The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants.
	Value *Nullable[any] `json:"value,omitempty"`
	// The quantity that may be used per period; null: unlimited. Only for metered entitlements.
	Limit *Nullable[int64] `json:"limit,omitempty"`
	// The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
	// One of: none, day, week, month, year.
	Reset string `json:"reset,omitempty"`
	// Whether usage above the limit is refused or counted. A policy refuses it by default. One of: deny, allow.
	Overage string `json:"overage,omitempty"`
	// The override applies until this time.
	ExpiresAt *Nullable[time.Time] `json:"expires_at,omitempty"`
}

// BulkOperation: A change of many licenses, which a job makes.
type BulkOperation struct {
	Answer

	ID           string         `json:"id"`
	Action       map[string]any `json:"action"`
	Filter       map[string]any `json:"filter"`
	Reason       *string        `json:"reason"`
	NotifyHolder bool           `json:"notify_holder"`
	// `cancelled`: what was changed until then is kept, and can be undone. One of: running, done, cancelled.
	State string `json:"state"`
	// The number of licenses that matched at the beginning; null: more than 100,000.
	Total *int64 `json:"total"`
	// The number of licenses that were changed.
	Changed int64 `json:"changed"`
	// The number of licenses that already were as the action makes them.
	Unchanged int64 `json:"unchanged"`
	// The number of licenses that cannot be changed like this.
	Refused int64 `json:"refused"`
	// The reasons of the refusals, at most 20.
	Refusals []BulkRefusal `json:"refusals"`
	// The operation whose changes this one takes back.
	Undoes *string `json:"undoes"`
	// The operation that takes this one back.
	UndoneBy  *string `json:"undone_by"`
	CreatedAt string  `json:"created_at"`
	EndedAt   *string `json:"ended_at"`
}

// BulkPreview: What an operation would do.
type BulkPreview struct {
	Answer

	// The number of licenses that matched at the beginning; null: more than 100,000.
	Total *int64 `json:"total"`
	// The number of licenses that were changed.
	Changed int64 `json:"changed"`
	// The number of licenses that already were as the action makes them.
	Unchanged int64 `json:"unchanged"`
	// The number of licenses that cannot be changed like this.
	Refused int64 `json:"refused"`
	// The reasons of the refusals, at most 20.
	Refusals []BulkRefusal `json:"refusals"`
	// Up to five licenses that would change.
	Examples []BulkExample `json:"examples"`
	// When the last certificate ends after `suspend` or `revoke`; null if none works.
	OfflineUntil *string `json:"offline_until"`
}

// BulkRefusal: Why licenses cannot be changed.
type BulkRefusal struct {
	// The code that a single change would be refused with.
	Code string `json:"code"`
	// Why, for people.
	Message string `json:"message"`
	// The number of licenses that were refused for this reason.
	Count int64 `json:"count"`
}

// Certificate: A license that can be checked without a network.
type Certificate struct {
	Answer

	// A compact JWS (EdDSA) of type `license+jwt`.
	Certificate string `json:"certificate"`
	// The end of the certificate.
	ExpiresAt string `json:"expires_at"`
}

// Comparison: A comparison of a shop's sales with the licenses here.
type Comparison struct {
	Answer

	ID string `json:"id"`
	// `failed`: see `reason`. What was found until then is kept. One of: running, done, failed.
	State string `json:"state"`
	// The number of sales of the shop that were read.
	Seen int64 `json:"seen"`
	// The number of sales in the shop; null if it does not say it.
	Total *int64 `json:"total"`
	// The number of differences that were found.
	Differences int64 `json:"differences"`
	// Whether the differences are applied without a person.
	AppliesItself bool `json:"applies_itself"`
	// Why it failed, or why it waits, for people.
	Reason *string `json:"reason"`
	// When the service continues: it waits while the shop accepts no requests. Null: it has ended.
	ContinuesAt *string `json:"continues_at"`
	StartedAt   string  `json:"started_at"`
	EndedAt     *string `json:"ended_at"`
}

// ComparisonDifference: A sale of a shop whose licenses here do not match it.
type ComparisonDifference struct {
	Answer

	ID string `json:"id"`
	// The shop's id of the subscription or of the order.
	ExternalID string `json:"external_id"`
	// `missing_here`: paid there and no license here. `active_here_only`: ended or not paid there and usable here.
	// `other_terms`: other seats, another end or another policy. `problem`: the offers do not fit the sale. One of:
	// missing_here, active_here_only, other_terms, problem.
	Kind string `json:"kind"`
	// What differs, for people.
	Summary string         `json:"summary"`
	Buyer   map[string]any `json:"buyer"`
	// `open`: it waits for a decision. `applied`: the licenses match the shop now. One of: open, applied.
	State string `json:"state"`
	// The licenses of the sale.
	LicenseIDs []string `json:"license_ids"`
}

// Connection: A shop that sells for the tenant.
type Connection struct {
	Answer

	ID string `json:"id"`
	// The kind of shop; `custom` is a shop of your own, which sends the messages that the guide describes. One of:
	// stripe, paddle, lemonsqueezy, polar, gumroad, custom.
	Provider string `json:"provider"`
	// The name of the shop, for the users of the tenant.
	Name string `json:"name"`
	// `disabled`: its address refuses messages, and messages that wait are not applied. One of: active, disabled.
	Status string `json:"status"`
	// The address to which the shop sends its messages.
	WebhookURL string `json:"webhook_url"`
	// Whether a signing secret is stored.
	HasSigningSecret bool `json:"has_signing_secret"`
	// Whether a key of the shop's API is stored.
	HasAPIKey bool `json:"has_api_key"`
	// True: a comparison runs every night and applies what it finds. It needs the key of the shop's API.
	ComparesItself bool `json:"compares_itself"`
	// When the latest message arrived; null before the first one.
	LastEventAt *string `json:"last_event_at"`
	// The number of sales whose licenses do not match them, and of messages that failed; at most 1,000.
	ProblemsCount int64  `json:"problems_count"`
	CreatedAt     string `json:"created_at"`
	UpdatedAt     string `json:"updated_at"`
}

// ConnectionWithSecret: A new connection, with its secret if the service generated it.
type ConnectionWithSecret struct {
	Answer

	ID string `json:"id"`
	// The kind of shop; `custom` is a shop of your own, which sends the messages that the guide describes. One of:
	// stripe, paddle, lemonsqueezy, polar, gumroad, custom.
	Provider string `json:"provider"`
	// The name of the shop, for the users of the tenant.
	Name string `json:"name"`
	// `disabled`: its address refuses messages, and messages that wait are not applied. One of: active, disabled.
	Status string `json:"status"`
	// The address to which the shop sends its messages.
	WebhookURL string `json:"webhook_url"`
	// Whether a signing secret is stored.
	HasSigningSecret bool `json:"has_signing_secret"`
	// Whether a key of the shop's API is stored.
	HasAPIKey bool `json:"has_api_key"`
	// True: a comparison runs every night and applies what it finds. It needs the key of the shop's API.
	ComparesItself bool `json:"compares_itself"`
	// When the latest message arrived; null before the first one.
	LastEventAt *string `json:"last_event_at"`
	// The number of sales whose licenses do not match them, and of messages that failed; at most 1,000.
	ProblemsCount int64  `json:"problems_count"`
	CreatedAt     string `json:"created_at"`
	UpdatedAt     string `json:"updated_at"`
	// The generated secret of a `custom` shop. Only this response contains it; null if the request contained one.
	SigningSecret *string `json:"signing_secret"`
}

// ConvertLicense: Turns a trial license into a license of another policy.
type ConvertLicense struct {
	// The policy that was bought: one of the license's product, other than the trial's.
	PolicyID string `json:"policy_id"`
}

// CreateAPIKey: A new API key.
type CreateAPIKey struct {
	// The name by which people recognise the key.
	Name string `json:"name"`
	// What the key may do.
	Scopes []string `json:"scopes,omitempty"`
	// When the key stops working; null: never.
	ExpiresAt *Nullable[time.Time] `json:"expires_at,omitempty"`
	// The networks from which the key may be used; empty: all networks.
	AllowedCidrs *[]string `json:"allowed_cidrs,omitempty"`
	// The only product that the key works for: it does not know the licenses of other products. Null: all products.
	ProductID *Nullable[string] `json:"product_id,omitempty"`
	// The requests per minute with this key; null: only the tenant's limit applies.
	RateLimitPerMinute *Nullable[int64] `json:"rate_limit_per_minute,omitempty"`
	// The requests that one client address may send with the key per minute; an IPv6 address counts with its /64
	// network. Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
	RateLimitPerAddressPerMinute *Nullable[int64] `json:"rate_limit_per_address_per_minute,omitempty"`
}

// CreateActivation: Activates a device, which has a fingerprint, components, or both.
type CreateActivation struct {
	// Identifies the device to its license. Your application computes it. Unicode spellings (NFC, NFD) are the same
	// device.
	Fingerprint string             `json:"fingerprint,omitempty"`
	Components  *map[string]string `json:"components,omitempty"`
	// The name of the device that people recognise.
	Name *Nullable[string] `json:"name,omitempty"`
	// The host name of the device.
	Hostname *Nullable[string] `json:"hostname,omitempty"`
	// The operating system of the device, in words of your choice.
	Platform *Nullable[string] `json:"platform,omitempty"`
	// The version of your application. It changes no verdict; the checks of the license show it.
	AppVersion string `json:"app_version,omitempty"`
	// Your own data about the device.
	Metadata *Nullable[map[string]any] `json:"metadata,omitempty"`
}

// CreateBulkOperation: A change of many licenses.
type CreateBulkOperation struct {
	Filter *LicenseFilter `json:"filter,omitempty"`
	// The ids of the licenses. Send either `ids` or `filter`.
	IDs    []string   `json:"ids,omitempty"`
	Action BulkAction `json:"action"`
	// Why, for people: it is kept in the audit record and, with a status, in the license.
	Reason *Nullable[string] `json:"reason,omitempty"`
	// Whether the holders get the mails that single changes cause.
	NotifyHolder *bool `json:"notify_holder,omitempty"`
	// True: answers what the operation would do, and does nothing.
	DryRun *bool `json:"dry_run,omitempty"`
}

// CreateConnection: A new connection to a shop.
type CreateConnection struct {
	// The kind of shop; `custom` is a shop of your own, which sends the messages that the guide describes. One of:
	// stripe, paddle, lemonsqueezy, polar, gumroad, custom.
	Provider string `json:"provider"`
	// The name of the shop, for the users of the tenant.
	Name string `json:"name"`
	// The secret with which the shop signs its messages. It is stored encrypted and never returned. Until it is set,
	// messages are refused. A `custom` shop gets a generated one.
	SigningSecret string `json:"signing_secret,omitempty"`
	// A key of the shop's API, with which the service reads sales. It is stored encrypted and never returned. Required
	// for `gumroad`.
	APIKey string `json:"api_key,omitempty"`
	// `disabled`: its address refuses messages, and messages that wait are not applied. One of: active, disabled.
	Status string `json:"status,omitempty"`
	// True: a comparison runs every night and applies what it finds. It needs the key of the shop's API.
	ComparesItself *bool `json:"compares_itself,omitempty"`
}

// CreateCustomerNote: A new note about a customer.
type CreateCustomerNote struct {
	// The note. The customer never sees it, but an export of their personal data contains it.
	Text string `json:"text"`
}

// CreateEntitlement: A new feature or limit that policies and licenses can grant.
type CreateEntitlement struct {
	// Unique within the tenant. It cannot be changed.
	Code string `json:"code"`
	// The name that users see.
	Name string `json:"name"`
	// `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
	// changed. One of: boolean, value, metered.
	Type string `json:"type"`
	// A note for the users of the tenant.
	Description *Nullable[string] `json:"description,omitempty"`
}

// CreateLicense: A new license of a policy.
type CreateLicense struct {
	// The policy that the license is issued under.
	PolicyID string `json:"policy_id"`
	// Must be the policy's product. Default: the policy's product.
	ProductID string `json:"product_id,omitempty"`
	// A key of your own: letters, digits, and other characters that need no encoding in a URL path. The first character
	// must be a letter or a digit. Default: a generated key.
	Key    string                        `json:"key,omitempty"`
	Holder *Nullable[LicenseHolderInput] `json:"holder,omitempty"`
	// The license is pending before this time. Default: the present time.
	StartsAt *time.Time `json:"starts_at,omitempty"`
	// The end of the license. If absent, the policy determines it.
	ExpiresAt *Nullable[time.Time] `json:"expires_at,omitempty"`
	// Releases after this time are not included; null: all releases are included. If absent, the policy determines it.
	MaintenanceExpiresAt *Nullable[time.Time] `json:"maintenance_expires_at,omitempty"`
	// The license's own limit of active devices; null: the limit of the policy.
	MaxActivations *Nullable[int64] `json:"max_activations,omitempty"`
	// Your own number of the order, unique among your licenses; null: there is none.
	OrderNumber *Nullable[string] `json:"order_number,omitempty"`
	// Overrides the entitlements of the policy by code, until its own `expires_at`. Fields that are left out come from
	// the policy; `null` clears a field.
	Entitlements *Nullable[[]LicenseEntitlementInput] `json:"entitlements,omitempty"`
	// Your own data; null empties it.
	Metadata *Nullable[map[string]any] `json:"metadata,omitempty"`
	// Whether the holder gets a mail about it, if the license has an address. Default: the settings of the tenant and
	// of the product decide.
	NotifyHolder *bool `json:"notify_holder,omitempty"`
}

// CreateLicenseBatch: Licenses of a policy that are issued together.
type CreateLicenseBatch struct {
	// How people recognise the batch.
	Name string `json:"name"`
	// The policy that the licenses are issued under.
	PolicyID string `json:"policy_id"`
	// The number of licenses.
	Count int64 `json:"count"`
	// Your own note, such as the order of the reseller.
	Note *Nullable[string] `json:"note,omitempty"`
}

// CreateNotification: A message to the members of a tenant.
type CreateNotification struct {
	// The subject, such as `license.expiring`. Notifications of the service use the types of its events.
	Type string `json:"type,omitempty"`
	// How urgent the notification is. One of: info, warning, critical.
	Severity string `json:"severity,omitempty"`
	// One line that says what happened.
	Title string `json:"title"`
	// What happened and what to do, as plain text.
	Body string `json:"body"`
}

// CreateOffer: A new offer of a connection.
type CreateOffer struct {
	// The shop's id of the item, such as a price.
	ExternalID string `json:"external_id"`
	// The name of the item, for the users of the tenant. Default: the shop's id.
	Name string `json:"name,omitempty"`
	// The policy of the licenses.
	PolicyID string `json:"policy_id"`
	// `policy`: one license for as many devices as the policy allows. `seats`: one license for quantity ×
	// `seats_per_unit` devices. `licenses`: one license for each. `ignore`: no license. One of: policy, seats,
	// licenses, ignore.
	Quantity string `json:"quantity,omitempty"`
	// How many devices one unit allows; a request with it alone means `seats`.
	SeatsPerUnit int64 `json:"seats_per_unit,omitempty"`
	// What a full refund or a lost dispute does. `revoke` is final, so a subscription that still runs is only
	// suspended. One of: revoke, suspend, nothing.
	OnRefund string `json:"on_refund,omitempty"`
	// What a missing payment does. `nothing`: the license ends with the period that is paid. `suspend_after_days`: it
	// works for so many days more and is then suspended. One of: nothing, suspend_after_days.
	OnPaymentFailure string `json:"on_payment_failure,omitempty"`
	// After how many days a missing payment suspends; null unless `suspend_after_days`.
	SuspendAfterDays *Nullable[int64] `json:"suspend_after_days,omitempty"`
}

// CreatePolicy: A new policy: the terms of its licenses.
type CreatePolicy struct {
	// The product that the policy belongs to.
	ProductID string `json:"product_id"`
	// Unique within the product: lower-case letters, digits and hyphens.
	Code string `json:"code"`
	// The name that users see.
	Name string `json:"name"`
	// Days from `expiry_basis` to the expiry of a license. Null with a null `duration_months`: perpetual.
	DurationDays *Nullable[int64] `json:"duration_days,omitempty"`
	// Months of the calendar from `expiry_basis` to the expiry of a license, in the tenant's timezone. January 31 and
	// one month are February 28. Excludes `duration_days`.
	DurationMonths *Nullable[int64] `json:"duration_months,omitempty"`
	// The event from which `duration_days` or `duration_months` counts. One of: creation, first_validation,
	// first_activation.
	ExpiryBasis string `json:"expiry_basis,omitempty"`
	// Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`. One of: deny,
	// allow.
	ExpiryStrategy string `json:"expiry_strategy,omitempty"`
	// Days after `expires_at` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`.
	GraceDays *int64 `json:"grace_days,omitempty"`
	// Whether a renewal counts from the expiry, from the present time, or from the later of the two. One of:
	// from_expiry, from_now, from_expiry_or_now.
	RenewalBasis string `json:"renewal_basis,omitempty"`
	// Days during which new releases are included; null: all releases are included.
	MaintenanceDays *Nullable[int64] `json:"maintenance_days,omitempty"`
	// Maximum active devices of a license; null: unlimited.
	MaxActivations *Nullable[int64] `json:"max_activations,omitempty"`
	// Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3; null: unlimited.
	ActivationOveragePercent *Nullable[int64] `json:"activation_overage_percent,omitempty"`
	// Whether a verdict is valid only for an activated fingerprint.
	RequireActivation *bool `json:"require_activation,omitempty"`
	// How the service recognises a device whose fingerprint is not activated. `exact`: it does not. `most`: more than
	// half of the stored `components` are equal. `any`: one of them is equal. One of: exact, most, any.
	FingerprintMatching string `json:"fingerprint_matching,omitempty"`
	// Whether a license expires only at the end of the month of its expiry, in the tenant's timezone. Renewals too.
	EndsWithMonth *bool `json:"ends_with_month,omitempty"`
	// Whether a trial without a key works only after its email address is confirmed with a code from a mail.
	TrialRequiresEmail *bool `json:"trial_requires_email,omitempty"`
	// Seconds without a heartbeat after which an activation expires; null: never. A new value starts at the change for
	// every active device.
	LeaseSeconds *Nullable[int64] `json:"lease_seconds,omitempty"`
	// Maximum self-service deactivations; null: unlimited. Those by the vendor, and of devices above limit and overage,
	// do not count.
	MaxDeactivations *Nullable[int64] `json:"max_deactivations,omitempty"`
	// Maximum validity of an offline certificate, in seconds.
	OfflineTTLSecondsMax int64 `json:"offline_ttl_seconds_max,omitempty"`
	// The prefix of generated keys; null: the tenant's `license_key_prefix`.
	KeyPrefix *Nullable[string] `json:"key_prefix,omitempty"`
	// Whether the holder of a license may replace its key in the portal.
	HolderMayReplaceKey *bool `json:"holder_may_replace_key,omitempty"`
	// The entitlements that every license of the policy has.
	Entitlements *Nullable[[]PolicyEntitlementInput] `json:"entitlements,omitempty"`
	// Your own data; null empties it.
	Metadata *Nullable[map[string]any] `json:"metadata,omitempty"`
}

// CreateProduct: A new product.
type CreateProduct struct {
	// Unique within the tenant. Lower-case letters, digits and hyphens. Integration requests can identify the product
	// by its code.
	Code string `json:"code"`
	// The name that users see.
	Name string `json:"name"`
	// A note for the users of the tenant.
	Description *Nullable[string] `json:"description,omitempty"`
	// The platforms that the product runs on, in words of your choice.
	Platforms *[]string `json:"platforms,omitempty"`
	// The page on which the holder of a license renews it, which the portal links to. `{license_id}` in it stands for
	// the id of the license.
	RenewalURL      *Nullable[string]               `json:"renewal_url,omitempty"`
	DownloadStorage *Nullable[DownloadStorageInput] `json:"download_storage,omitempty"`
	Metadata        *map[string]any                 `json:"metadata,omitempty"`
}

// CreateRelease: A new draft of a release.
type CreateRelease struct {
	// A semantic version, unique within the product.
	Version string `json:"version"`
	// `stable`, `beta`, `alpha`, or a name of your own.
	Channel string `json:"channel,omitempty"`
	// Markdown.
	Notes string `json:"notes,omitempty"`
	// The entitlements that a license needs for the release.
	MinimumEntitlements *[]string `json:"minimum_entitlements,omitempty"`
	// The files.
	Artifacts *[]WriteReleaseArtifact `json:"artifacts,omitempty"`
}

// CreateWebhookEndpoint: A new endpoint that receives events.
type CreateWebhookEndpoint struct {
	// The URL that receives events: https, a public address, without credentials and without a fragment.
	URL string `json:"url"`
	// A note for the users of the tenant.
	Description *Nullable[string] `json:"description,omitempty"`
	// Types of events, or `["*"]` for all. If absent or `null`, the setting `webhook_event_defaults` applies.
	Events *Nullable[[]string] `json:"events,omitempty"`
	// Deliver only events about licenses, devices and usage of this product, and test events. Null: all.
	ProductID *Nullable[string] `json:"product_id,omitempty"`
	// All headers of your own, such as an authorization for your gateway.
	Headers *[]WebhookHeaderInput `json:"headers,omitempty"`
}

// CreatedAPIKey: A new API key with the raw key.
type CreatedAPIKey struct {
	Answer

	ID   string `json:"id"`
	Name string `json:"name"`
	// The key. Only this response contains it; null in a replayed response of an idempotent request.
	Key       *string `json:"key"`
	Status    string  `json:"status"`
	CreatedAt string  `json:"created_at"`
	// The masked key, such as `vx_3f9a…c2d1`, by which people recognise it.
	Hint string `json:"hint"`
	// When the key stops working; null: never.
	ExpiresAt *string `json:"expires_at"`
	// The time of the newest request; null before the first.
	LastUsedAt *string `json:"last_used_at"`
	// What the key may do.
	Scopes []string `json:"scopes"`
	// The networks from which the key may be used; empty: all networks.
	AllowedCidrs []string `json:"allowed_cidrs"`
	// The only product that the key works for: it does not know the licenses of other products. Null: all products.
	ProductID *string `json:"product_id"`
	// The requests per minute with this key; null: only the tenant's limit applies.
	RateLimitPerMinute *int64 `json:"rate_limit_per_minute"`
	// The requests that one client address may send with the key per minute; an IPv6 address counts with its /64
	// network. Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
	RateLimitPerAddressPerMinute *int64         `json:"rate_limit_per_address_per_minute"`
	CreatedBy                    *APIKeyCreator `json:"created_by"`
}

// Customer: The holder of one or several licenses: everything with one email address, compared without case.
type Customer struct {
	Answer

	// The address, in the spelling of the newest license.
	Email string `json:"email"`
	// The name in the newest license; null: it has none.
	Name *string `json:"name"`
	// The licenses of the address that are not deleted.
	LicensesCount int64 `json:"licenses_count"`
	// Those of them that are active now.
	ActiveLicensesCount int64 `json:"active_licenses_count"`
	// The devices that hold a seat of these licenses now.
	ActiveActivationsCount int64 `json:"active_activations_count"`
	// The newest validation of any of these licenses, at most a second old; null: there was none.
	LastValidatedAt *string `json:"last_validated_at"`
	// When the newest mail to the address was queued; null: none is kept.
	LastMailAt *string `json:"last_mail_at"`
}

// CustomerDetails: A customer with its licenses.
type CustomerDetails struct {
	Answer

	// The address, in the spelling of the newest license.
	Email string `json:"email"`
	// The name in the newest license; null: it has none.
	Name *string `json:"name"`
	// The licenses of the address that are not deleted.
	LicensesCount int64 `json:"licenses_count"`
	// Those of them that are active now.
	ActiveLicensesCount int64 `json:"active_licenses_count"`
	// The devices that hold a seat of these licenses now.
	ActiveActivationsCount int64 `json:"active_activations_count"`
	// The newest validation of any of these licenses, at most a second old; null: there was none.
	LastValidatedAt *string `json:"last_validated_at"`
	// When the newest mail to the address was queued; null: none is kept.
	LastMailAt *string `json:"last_mail_at"`
	// The newest 100 licenses, with the names of product and policy.
	Licenses []LicenseDetails `json:"licenses"`
	// The newest 25 devices that hold a seat of these licenses.
	Activations []Activation `json:"activations"`
	// The newest 25 mails to the address.
	Mails []HolderMail `json:"mails"`
}

// CustomerExport: The personal data of a customer.
type CustomerExport struct {
	Answer

	// The address of the request.
	Email string `json:"email"`
	// When the data was read.
	ExportedAt string `json:"exported_at"`
	// Every license of the address, deleted ones included.
	Licenses []ExportedLicense `json:"licenses"`
	// The mails to the address that are still kept, without their text.
	Mails []HolderMail `json:"mails"`
	// The trials without a key that these licenses began with.
	Trials []ExportedTrial `json:"trials"`
	// Every device of these licenses, released ones included.
	Activations []ExportedActivation `json:"activations"`
	// What these devices asked recently, and what they were told.
	Checks []ExportedLicenseCheck `json:"checks"`
	// The notes about the person.
	Notes []ExportedCustomerNote `json:"notes"`
	// What the person bought in the connected shops.
	Purchases []CustomerPurchase `json:"purchases"`
}

// CustomerNote: A note about a customer, for the people of the tenant.
type CustomerNote struct {
	Answer

	ID string `json:"id"`
	// The note.
	Text string `json:"text"`
	// Whether a user of the tenant or an admin of the platform wrote it. One of: user, admin.
	AuthorType string `json:"author_type"`
	// The id of the user, access token or admin.
	AuthorID string `json:"author_id"`
	// The author's present name; null if it was removed, and for admins on the tenant surface.
	AuthorName *string `json:"author_name"`
	// When the note was written.
	CreatedAt string `json:"created_at"`
}

// CustomerPurchase: A purchase of the person in a shop of the tenant.
type CustomerPurchase struct {
	ConnectionID string `json:"connection_id"`
	// The shop's id of the subscription or of the order.
	ExternalID string `json:"external_id"`
	// `subscription` or `one_time`; null if the shop has not said it.
	Kind *string `json:"kind"`
	// The state in the shop; null if the shop has not said it.
	State *string               `json:"state"`
	Buyer CustomerPurchaseBuyer `json:"buyer"`
	// What was bought, by the shop's ids.
	Items []CustomerPurchaseItem `json:"items"`
	// When the shop reported it first.
	CreatedAt string `json:"created_at"`
}

// CustomerPurchaseBuyer: The person, as the shop names it.
type CustomerPurchaseBuyer struct {
	Reference *string `json:"reference"`
	Name      *string `json:"name"`
	Email     *string `json:"email"`
}

// CustomerPurchaseItem: What was bought.
type CustomerPurchaseItem struct {
	ExternalID string `json:"external_id"`
	Quantity   int64  `json:"quantity"`
}

// Deletion: The resource was deleted.
type Deletion struct {
	Answer

	Deleted bool   `json:"deleted"`
	ID      string `json:"id"`
}

// DownloadStorage: The S3 storage of private files: a download is a link that works for 5 minutes. Null: every file is
// public.
type DownloadStorage struct {
	// The https address of the storage.
	Endpoint string `json:"endpoint"`
	// The region of the bucket.
	Region string `json:"region"`
	// The bucket with the files.
	Bucket string `json:"bucket"`
	// The id of the key.
	AccessKeyID string `json:"access_key_id"`
}

// DownloadStorageInput: The S3 storage of private files: a download is a link that works for 5 minutes. Null: every
// file is public.
type DownloadStorageInput struct {
	// The https address of the storage.
	Endpoint string `json:"endpoint"`
	// The region of the bucket.
	Region string `json:"region"`
	// The bucket with the files.
	Bucket string `json:"bucket"`
	// The id of the key.
	AccessKeyID string `json:"access_key_id"`
	// Required at first; absent: the stored key stays.
	SecretAccessKey string `json:"secret_access_key,omitempty"`
}

// Entitlement: A feature or a quantity that policies and licenses grant.
type Entitlement struct {
	Answer

	ID string `json:"id"`
	// Unique within the tenant.
	Code string `json:"code"`
	Name string `json:"name"`
	// `boolean`: on or off. `value`: a string, number or boolean. `metered`: counted consumption. The type cannot be
	// changed. One of: boolean, value, metered.
	Type string `json:"type"`
	// A note for the users of the tenant.
	Description *string `json:"description"`
	CreatedAt   string  `json:"created_at"`
	UpdatedAt   string  `json:"updated_at"`
}

// EntitlementCheck: The access of a license to one entitlement.
type EntitlementCheck struct {
	Code string `json:"code"`
	// `boolean`, `value` or `metered`; null when neither policy nor license lists it.
	Type *string `json:"type"`
	// Whether the license may use the entitlement now.
	HasAccess bool `json:"has_access"`
	// The granted value, if the type is `value`.
	Value any `json:"value"`
	// The quantity per period; null: unlimited.
	Limit *int64 `json:"limit"`
	// The quantity used in the current period. Null unless the entitlement is metered and granted.
	Usage *int64 `json:"usage"`
	// The quantity left in the current period. Null unless the entitlement is metered, granted and limited.
	Remaining *int64 `json:"remaining"`
	// `deny` or `allow`. Null unless the entitlement is metered and granted.
	Overage *string `json:"overage"`
	// The end of the current period; null: the counter never resets.
	ResetsAt *string `json:"resets_at"`
	// The end of the grant; null: the end of the license.
	ExpiresAt *string `json:"expires_at"`
	// The origin of the grant: `license` or `policy`.
	Source *string `json:"source"`
	// Null with access. Without access `ENTITLEMENT.NOT_GRANTED`, `ENTITLEMENT.EXPIRED`, `ENTITLEMENT.LIMIT_REACHED`,
	// or the code of the verdict on the license.
	Reason *string `json:"reason"`
}

// EntitlementChecks: One answer per entitlement.
type EntitlementChecks struct {
	Answer

	// One entry per code.
	Entitlements []EntitlementCheck `json:"entitlements"`
}

// ExportAuditLogsQuery: the filters of exportAuditLogs.
type ExportAuditLogsQuery struct {
	// The format of the file: CSV with a header row, or one JSON object per line. One of: csv, ndjson.
	Format string `json:"format,omitempty"`
	// Whether a CSV file begins with a byte order mark, without which Excel reads no letters beyond ASCII.
	Bom *bool `json:"bom,omitempty"`
	// The full event code, such as `LICENSE.RENEWED`.
	Event *string `json:"event,omitempty"`
	// Return only records of this type of actor. One of: user, admin, api_key, system, holder, connection.
	ActorType string `json:"actor_type,omitempty"`
	// The id of the actor: a user, an admin, an API key or an access token.
	ActorID *string `json:"actor_id,omitempty"`
	// The type of the affected resource, such as `license`.
	ResourceType *string `json:"resource_type,omitempty"`
	// The id of the affected resource.
	ResourceID *string `json:"resource_id,omitempty"`
	// The id of the request that caused the record.
	RequestID *string `json:"request_id,omitempty"`
	// Return only records at this time or later.
	From *time.Time `json:"from,omitempty"`
	// Return only records before this time.
	To *time.Time `json:"to,omitempty"`
}

// ExportBatchKeysQuery: the filters of exportBatchKeys.
type ExportBatchKeysQuery struct {
	// The format of the file: CSV with a header row, or one JSON object per line. One of: csv, ndjson.
	Format string `json:"format,omitempty"`
	// Whether a CSV file begins with a byte order mark, without which Excel reads no letters beyond ASCII.
	Bom *bool `json:"bom,omitempty"`
}

// ExportBulkChangesQuery: the filters of exportBulkChanges.
type ExportBulkChangesQuery struct {
	// The format of the file: CSV with a header row, or one JSON object per line. One of: csv, ndjson.
	Format string `json:"format,omitempty"`
	// Whether a CSV file begins with a byte order mark, without which Excel reads no letters beyond ASCII.
	Bom *bool `json:"bom,omitempty"`
}

// ExportLicensesQuery: the filters of exportLicenses.
type ExportLicensesQuery struct {
	// The format of the file: CSV with a header row, or one JSON object per line. One of: csv, ndjson.
	Format string `json:"format,omitempty"`
	// Whether a CSV file begins with a byte order mark, without which Excel reads no letters beyond ASCII.
	Bom *bool `json:"bom,omitempty"`
	// Only these licenses, of those that match the filters. Repeat the parameter for each id.
	IDs []string `json:"ids,omitempty"`
	// Return only licenses with this status. One of: pending, active, suspended, revoked, expired.
	Status string `json:"status,omitempty"`
	// Return only licenses of this product.
	ProductID string `json:"product_id,omitempty"`
	// Return only licenses of this policy.
	PolicyID string `json:"policy_id,omitempty"`
	// Return only licenses of this batch.
	BatchID string `json:"batch_id,omitempty"`
	// The complete key. A generated key is also found in lower case and without its dashes.
	Key string `json:"key,omitempty"`
	// The complete address. Case is ignored.
	HolderEmail string `json:"holder_email,omitempty"`
	// The complete reference, in the stored spelling.
	HolderReference string `json:"holder_reference,omitempty"`
	// The complete order number, in the stored spelling.
	OrderNumber string `json:"order_number,omitempty"`
	// Return only licenses that expire before this time.
	ExpiresBefore *time.Time `json:"expires_before,omitempty"`
	// Return only licenses that expire at this time or later.
	ExpiresAfter *time.Time `json:"expires_after,omitempty"`
	// Return only licenses that expire within so many days of 24 hours from now.
	ExpiresWithinDays int64 `json:"expires_within_days,omitempty"`
	// The metadata contain this key at the top level.
	MetadataKey string `json:"metadata_key,omitempty"`
	// The value of `metadata_key`, which is then required. Strings are written as they are, other values as JSON
	// (`true`, `5`).
	MetadataValue *string `json:"metadata_value,omitempty"`
	// Words. Each must be a prefix of the key, its end of at least four characters, or a prefix of a word of the
	// holder's name, email address or reference. A key can have spaces instead of its dashes. Case and accents are
	// ignored.
	Q string `json:"q,omitempty"`
	// The order; `-` is descending. Licenses without an end are the last to expire. One of: -created_at, created_at,
	// expires_at, -expires_at.
	Sort string `json:"sort,omitempty"`
}

// ExportedActivation: A device with its components.
type ExportedActivation struct {
	ID        string `json:"id"`
	LicenseID string `json:"license_id"`
	// Identifies the device to its license. Your application computes it.
	Fingerprint string `json:"fingerprint"`
	// The name of the device that people recognise.
	Name *string `json:"name"`
	// The host name of the device.
	Hostname *string `json:"hostname"`
	// The operating system of the device, in words of your choice.
	Platform *string `json:"platform"`
	// The IP address that sent the activation; null: the vendor activated the device.
	IP *string `json:"ip"`
	// `expired`: no heartbeat arrived before the lease ended. One of: active, expired, deactivated.
	Status string `json:"status"`
	// The time of the newest heartbeat, at first of the activation.
	LastHeartbeatAt string `json:"last_heartbeat_at"`
	// The activation expires at this time without a heartbeat; null: it never expires.
	LeaseExpiresAt *string        `json:"lease_expires_at"`
	Metadata       map[string]any `json:"metadata"`
	CreatedAt      string         `json:"created_at"`
	Components     map[string]any `json:"components"`
}

// ExportedCustomerNote: A note about the person.
type ExportedCustomerNote struct {
	// The note.
	Text string `json:"text"`
	// When the note was written.
	CreatedAt string `json:"created_at"`
}

// ExportedLicense: A license of the person. A deleted license is kept as history, with the time of its deletion.
type ExportedLicense struct {
	ID string `json:"id"`
	// The product of the policy.
	ProductID string `json:"product_id"`
	PolicyID  string `json:"policy_id"`
	// The license key that the holder enters; unique within the tenant.
	Key string `json:"key"`
	// `pending` before `starts_at`; `expired` after `expires_at`. `revoked` is permanent. One of: pending, active,
	// suspended, revoked, expired.
	Status string `json:"status"`
	// Why the license was suspended, reinstated or revoked; null if nobody said why.
	StatusReason *string `json:"status_reason"`
	// The batch that the license was issued in; null: alone.
	BatchID *string       `json:"batch_id"`
	Holder  LicenseHolder `json:"holder"`
	// The license is pending before this time.
	StartsAt string `json:"starts_at"`
	// The end of the license; null: perpetual, or not determined yet because the term starts with the first use.
	ExpiresAt *string `json:"expires_at"`
	// Releases after this time are not included; null: all releases are included.
	MaintenanceExpiresAt *string `json:"maintenance_expires_at"`
	// The license's own limit of active devices; null: the limit of the policy.
	MaxActivations *int64 `json:"max_activations"`
	// Your own number of the order, unique among your licenses; null: there is none.
	OrderNumber *string `json:"order_number"`
	// Overrides of the policy's entitlements.
	Entitlements []LicenseEntitlement `json:"entitlements"`
	// The number of self-service deactivations.
	DeactivationsCount int64 `json:"deactivations_count"`
	// The time of the newest validation; null before the first.
	LastValidatedAt *string        `json:"last_validated_at"`
	Metadata        map[string]any `json:"metadata"`
	CreatedAt       string         `json:"created_at"`
	UpdatedAt       string         `json:"updated_at"`
	DeletedAt       *string        `json:"deleted_at"`
}

// ExportedLicenseCheck: What a device asked about a license of the person.
type ExportedLicenseCheck struct {
	LicenseID string `json:"license_id"`
	// What the device asked for. One of: validation, activation.
	Kind string `json:"kind"`
	// The device; null: the request named none.
	Fingerprint *string `json:"fingerprint"`
	// The code of the verdict; of an activation `ACTIVATION.CREATED`, or the error code.
	Code string `json:"code"`
	// Whether the device was allowed to use the license.
	IsAllowed bool `json:"is_allowed"`
	// The newest `app_version` that the device sent.
	AppVersion *string `json:"app_version"`
	// The IP address of the newest request.
	Address *string `json:"address"`
	// The time of the first request with this result that is kept.
	FirstAt string `json:"first_at"`
	// The time of the newest one.
	LastAt string `json:"last_at"`
	// The number of requests of this device with this result.
	Count int64 `json:"count"`
}

// ExportedTrial: A trial without a key that the person started.
type ExportedTrial struct {
	ProductID string `json:"product_id"`
	LicenseID string `json:"license_id"`
	// The device that started the trial.
	Fingerprint string  `json:"fingerprint"`
	StartedAt   string  `json:"started_at"`
	ConvertedAt *string `json:"converted_at"`
}

// GetActivationQuery: the filters of getActivation.
type GetActivationQuery struct {
	// Adds the key and the holder of the license.
	Include *string `json:"include,omitempty"`
}

// GetLicenseBatchQuery: the filters of getLicenseBatch.
type GetLicenseBatchQuery struct {
	// `details` adds `used`.
	Include *string `json:"include,omitempty"`
}

// GetLicenseQuery: the filters of getLicense.
type GetLicenseQuery struct {
	// Adds the names of the product and the policy, and the effective limit of devices.
	Include *string `json:"include,omitempty"`
}

// GetUsageSeriesQuery: the filters of getUsageSeries.
type GetUsageSeriesQuery struct {
	// Sum only the usage of this license.
	LicenseID string `json:"license_id,omitempty"`
	// Sum only the usage of this entitlement.
	Entitlement string `json:"entitlement,omitempty"`
	// The first bucket contains this time. Default: 30 buckets before `to`.
	From *time.Time `json:"from,omitempty"`
	// The last bucket begins before this time. Default: now.
	To *time.Time `json:"to,omitempty"`
	// The length of a bucket. Buckets begin in the tenant's timezone; weeks on Monday. One of: hour, day, week, month,
	// year.
	Interval string `json:"interval,omitempty"`
}

// GetWebhookQuery: the filters of getWebhook.
type GetWebhookQuery struct {
	// Adds the health of the endpoint and the end of its previous secret.
	Include *string `json:"include,omitempty"`
}

// HolderMail: A mail to the holder of a license.
type HolderMail struct {
	Answer

	ID string `json:"id"`
	// The type of the mail: the event that it reports. One of: license.issued, license.key_replaced, license.renewed,
	// license.expiring, license.expired, license.suspended, license.reinstated, activation.created,
	// activation.limit_reached, trial.confirm, portal.login, portal.device_released.
	Type string `json:"type"`
	// The address that the mail is for.
	Recipient string `json:"recipient"`
	// The license that the mail is about; null for a login.
	LicenseID *string `json:"license_id"`
	// `sent`: a mail server accepted it. `refused`: it was refused for good. `cancelled`: it became useless. One of:
	// queued, sent, refused, cancelled.
	State string `json:"state"`
	// Why it was not sent; null after a success.
	Reason *string `json:"reason"`
	// The subject as it was sent; null before.
	Subject *string `json:"subject"`
	// The mail server of the last attempt; null before the first. One of: service, own, null.
	Server string `json:"server"`
	// The number of attempts to send it.
	Attempts int64 `json:"attempts"`
	// When the next attempt is due; null if none follows.
	NextAttemptAt *string `json:"next_attempt_at"`
	// The mail that a person sent again with this one; null otherwise.
	ResentFrom *string `json:"resent_from"`
	CreatedAt  string  `json:"created_at"`
	// When it ended; null while it waits.
	EndedAt *string `json:"ended_at"`
}

// ImportColumn: A column of an imported file.
type ImportColumn struct {
	// The name of the column.
	Name string `json:"name"`
	// False for a column of an export that an import ignores.
	Imported bool `json:"imported"`
}

// ImportError: One problem of an imported file.
type ImportError struct {
	// The number of the row, from 1. The header is not counted.
	Row int64 `json:"row"`
	// The column that is not valid.
	Field string `json:"field"`
	// What is wrong, and what to do.
	Message string `json:"message"`
}

// ImportLicensesQuery: the filters of importLicenses.
type ImportLicensesQuery struct {
	// Import the valid rows even if other rows are invalid, instead of all or nothing.
	Partial *bool `json:"partial,omitempty"`
	// Send each holder with an address the mail about the new license.
	NotifyHolder *bool `json:"notify_holder,omitempty"`
	// Check every row and write nothing. The response says what a partial import would do.
	DryRun *bool `json:"dry_run,omitempty"`
}

// ImportResult: The result of an import.
type ImportResult struct {
	Answer

	// The number of created licenses.
	Created int64 `json:"created"`
	// The number of refused rows.
	Failed int64         `json:"failed"`
	Errors []ImportError `json:"errors"`
	// The columns of the file. Only with `dry_run`.
	Columns []ImportColumn `json:"columns"`
	// The first 20 rows, valid or not. Only with `dry_run`.
	Rows []ImportedRow `json:"rows"`
}

// ImportedRow: A row of an imported file, as the service read it.
type ImportedRow struct {
	// The number of the row, from 1.
	Row int64 `json:"row"`
	// The values by column. Long ones are cut off.
	Values map[string]any `json:"values"`
}

// IssueCertificate: Requests a certificate, which an application verifies without a network.
type IssueCertificate struct {
	// Binds the certificate to this device, which must be active if the policy requires it.
	Fingerprint string             `json:"fingerprint,omitempty"`
	Components  *map[string]string `json:"components,omitempty"`
	// Seconds of validity, at most the policy's `offline_ttl_seconds_max`. That is also the default.
	TTLSeconds int64 `json:"ttl_seconds,omitempty"`
}

// LastWebhookDelivery: The newest delivery that is still stored.
type LastWebhookDelivery struct {
	ID string `json:"id"`
	// The type of its event.
	EventType string `json:"event_type"`
	// `pending` while attempts follow. One of: pending, succeeded, failed.
	Status    string `json:"status"`
	CreatedAt string `json:"created_at"`
}

// License: The right of a holder to use a product under a policy.
type License struct {
	Answer

	ID string `json:"id"`
	// The product of the policy.
	ProductID string `json:"product_id"`
	PolicyID  string `json:"policy_id"`
	// The license key that the holder enters; unique within the tenant.
	Key string `json:"key"`
	// `pending` before `starts_at`; `expired` after `expires_at`. `revoked` is permanent. One of: pending, active,
	// suspended, revoked, expired.
	Status string `json:"status"`
	// Why the license was suspended, reinstated or revoked; null if nobody said why.
	StatusReason *string `json:"status_reason"`
	// The batch that the license was issued in; null: alone.
	BatchID *string       `json:"batch_id"`
	Holder  LicenseHolder `json:"holder"`
	// The license is pending before this time.
	StartsAt string `json:"starts_at"`
	// The end of the license; null: perpetual, or not determined yet because the term starts with the first use.
	ExpiresAt *string `json:"expires_at"`
	// Releases after this time are not included; null: all releases are included.
	MaintenanceExpiresAt *string `json:"maintenance_expires_at"`
	// The license's own limit of active devices; null: the limit of the policy.
	MaxActivations *int64 `json:"max_activations"`
	// Your own number of the order, unique among your licenses; null: there is none.
	OrderNumber *string `json:"order_number"`
	// Overrides of the policy's entitlements.
	Entitlements []LicenseEntitlement `json:"entitlements"`
	// The number of activations that are active now.
	ActivationsCount int64 `json:"activations_count"`
	// The number of self-service deactivations.
	DeactivationsCount int64 `json:"deactivations_count"`
	// The time of the newest validation; null before the first.
	LastValidatedAt *string        `json:"last_validated_at"`
	Metadata        map[string]any `json:"metadata"`
	CreatedAt       string         `json:"created_at"`
	UpdatedAt       string         `json:"updated_at"`
}

// LicenseAction: How an action on a license is carried out.
type LicenseAction struct {
	// Whether the holder gets a mail about it, if the license has an address. Default: the settings of the tenant and
	// of the product decide.
	NotifyHolder *bool `json:"notify_holder,omitempty"`
}

// LicenseBatch: Licenses that were issued together. The list of licenses has a filter for them.
type LicenseBatch struct {
	Answer

	ID       string  `json:"id"`
	Name     string  `json:"name"`
	PolicyID string  `json:"policy_id"`
	Note     *string `json:"note"`
	// The number of licenses that were asked for.
	Count int64 `json:"count"`
	// The number of licenses that were issued.
	Issued int64 `json:"issued"`
	// Those that were validated or activated. Only with `include=details`.
	Used *int64 `json:"used"`
	// `failed`: see `reason`. The licenses that were issued until then are kept. One of: running, done, failed.
	State string `json:"state"`
	// Why it failed, for people.
	Reason    *string `json:"reason"`
	CreatedAt string  `json:"created_at"`
	EndedAt   *string `json:"ended_at"`
}

// LicenseCheck: What a device asked about a license, and what it was told, with the number of repetitions.
type LicenseCheck struct {
	Answer

	// What the device asked for. One of: validation, activation.
	Kind string `json:"kind"`
	// The device; null: the request named none.
	Fingerprint *string `json:"fingerprint"`
	// The code of the verdict; of an activation `ACTIVATION.CREATED`, or the error code.
	Code string `json:"code"`
	// Whether the device was allowed to use the license.
	IsAllowed bool `json:"is_allowed"`
	// The newest `app_version` that the device sent.
	AppVersion *string `json:"app_version"`
	// The IP address of the newest request.
	Address *string `json:"address"`
	// The time of the first request with this result that is kept.
	FirstAt string `json:"first_at"`
	// The time of the newest one.
	LastAt string `json:"last_at"`
	// The number of requests of this device with this result.
	Count int64 `json:"count"`
}

// LicenseDetails: A license, on request with what applies to it from its product and its policy.
type LicenseDetails struct {
	Answer

	ID string `json:"id"`
	// The product of the policy.
	ProductID string `json:"product_id"`
	PolicyID  string `json:"policy_id"`
	// The license key that the holder enters; unique within the tenant.
	Key string `json:"key"`
	// `pending` before `starts_at`; `expired` after `expires_at`. `revoked` is permanent. One of: pending, active,
	// suspended, revoked, expired.
	Status string `json:"status"`
	// Why the license was suspended, reinstated or revoked; null if nobody said why.
	StatusReason *string `json:"status_reason"`
	// The batch that the license was issued in; null: alone.
	BatchID *string       `json:"batch_id"`
	Holder  LicenseHolder `json:"holder"`
	// The license is pending before this time.
	StartsAt string `json:"starts_at"`
	// The end of the license; null: perpetual, or not determined yet because the term starts with the first use.
	ExpiresAt *string `json:"expires_at"`
	// Releases after this time are not included; null: all releases are included.
	MaintenanceExpiresAt *string `json:"maintenance_expires_at"`
	// The license's own limit of active devices; null: the limit of the policy.
	MaxActivations *int64 `json:"max_activations"`
	// Your own number of the order, unique among your licenses; null: there is none.
	OrderNumber *string `json:"order_number"`
	// Overrides of the policy's entitlements.
	Entitlements []LicenseEntitlement `json:"entitlements"`
	// The number of activations that are active now.
	ActivationsCount int64 `json:"activations_count"`
	// The number of self-service deactivations.
	DeactivationsCount int64 `json:"deactivations_count"`
	// The time of the newest validation; null before the first.
	LastValidatedAt *string        `json:"last_validated_at"`
	Metadata        map[string]any `json:"metadata"`
	CreatedAt       string         `json:"created_at"`
	UpdatedAt       string         `json:"updated_at"`
	// The name of the product. Only with `include=details`.
	ProductName *string `json:"product_name"`
	// The name of the policy. Only with `include=details`.
	PolicyName *string `json:"policy_name"`
	// The license's own limit of devices, else its policy's. Null: unlimited. Only with `include=details`.
	ActivationsLimit *int64 `json:"activations_limit"`
	// The limit with the overage of the policy. Null: unlimited. Only with `include=details`.
	ActivationsAdmitted *int64       `json:"activations_admitted"`
	PendingTerm         *PendingTerm `json:"pending_term"`
	// Since when devices are refused because every seat is taken; null: none is. Only with `include=details`.
	RefusedSince *string `json:"refused_since"`
}

// LicenseEntitlement: An entitlement of a license that overrides its policy.
type LicenseEntitlement struct {
	Code string `json:"code"`
	// The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants.
	Value any `json:"value"`
	// The quantity that may be used per period; null: unlimited. Only for metered entitlements.
	Limit *int64 `json:"limit"`
	// The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
	// One of: none, day, week, month, year.
	Reset *string `json:"reset"`
	// Whether usage above the limit is refused or counted. A policy refuses it by default. One of: deny, allow.
	Overage *string `json:"overage"`
	// The override applies until this time; null: it has no end.
	ExpiresAt *string `json:"expires_at"`
}

// LicenseEntitlementInput: An override of an entitlement of the policy.
type LicenseEntitlementInput struct {
	Code string `json:"code"`
	// The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants.
	Value *Nullable[any] `json:"value,omitempty"`
	// The quantity that may be used per period; null: unlimited. Only for metered entitlements.
	Limit *Nullable[int64] `json:"limit,omitempty"`
	// The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
	// One of: none, day, week, month, year.
	Reset string `json:"reset,omitempty"`
	// Whether usage above the limit is refused or counted. A policy refuses it by default. One of: deny, allow.
	Overage string `json:"overage,omitempty"`
	// The override applies until this time; null: it has no end.
	ExpiresAt *Nullable[time.Time] `json:"expires_at,omitempty"`
}

// LicenseFilter: The licenses that match all filters; without a filter every license.
type LicenseFilter struct {
	// Return only licenses with this status. One of: pending, active, suspended, revoked, expired.
	Status string `json:"status,omitempty"`
	// Return only licenses of this product.
	ProductID string `json:"product_id,omitempty"`
	// Return only licenses of this policy.
	PolicyID string `json:"policy_id,omitempty"`
	// Return only licenses of this batch.
	BatchID string `json:"batch_id,omitempty"`
	// The complete key. A generated key is also found in lower case and without its dashes.
	Key string `json:"key,omitempty"`
	// The complete address. Case is ignored.
	HolderEmail string `json:"holder_email,omitempty"`
	// The complete reference, in the stored spelling.
	HolderReference string `json:"holder_reference,omitempty"`
	// The complete order number, in the stored spelling.
	OrderNumber string `json:"order_number,omitempty"`
	// Return only licenses that expire before this time.
	ExpiresBefore *time.Time `json:"expires_before,omitempty"`
	// Return only licenses that expire at this time or later.
	ExpiresAfter *time.Time `json:"expires_after,omitempty"`
	// Return only licenses that expire within so many days of 24 hours from now.
	ExpiresWithinDays int64 `json:"expires_within_days,omitempty"`
	// The metadata contain this key at the top level.
	MetadataKey string `json:"metadata_key,omitempty"`
	// The value of `metadata_key`, which is then required. Strings are written as they are, other values as JSON
	// (`true`, `5`).
	MetadataValue *string `json:"metadata_value,omitempty"`
	// Words. Each must be a prefix of the key, its end of at least four characters, or a prefix of a word of the
	// holder's name, email address or reference. A key can have spaces instead of its dashes. Case and accents are
	// ignored.
	Q string `json:"q,omitempty"`
}

// LicenseHolder: The person or company that the license was issued to.
type LicenseHolder struct {
	Name  *string `json:"name"`
	Email *string `json:"email"`
	// Your own id of the holder, such as a customer number.
	Reference *string `json:"reference"`
}

// LicenseHolderInput: The person or company that the license was issued to. Fields that are left out are null.
type LicenseHolderInput struct {
	// The holder's name.
	Name *Nullable[string] `json:"name,omitempty"`
	// The holder's email address.
	Email *Nullable[string] `json:"email,omitempty"`
	// Your own id of the holder, such as a customer number.
	Reference *Nullable[string] `json:"reference,omitempty"`
}

// LicenseImport: An import that runs after its request, and its progress.
type LicenseImport struct {
	Answer

	ID string `json:"id"`
	// `failed`: see `reason`. The licenses that were created until then are kept. One of: running, done, failed.
	State string `json:"state"`
	// The number of rows that were valid when the file was read.
	Total int64 `json:"total"`
	// The number of these rows that were imported or refused.
	Done int64 `json:"done"`
	// The number of created licenses.
	Created int64 `json:"created"`
	// The number of refused rows.
	Failed int64 `json:"failed"`
	// The first 1,000 problems, once the import has ended.
	Errors []ImportError `json:"errors"`
	// Why it failed, for people.
	Reason    *string `json:"reason"`
	CreatedAt string  `json:"created_at"`
	EndedAt   *string `json:"ended_at"`
}

// LicenseRenewal: How a license is renewed. Without a duration, by its policy's. With one, both dates that are set move
// by it: `expires_at` and `maintenance_expires_at`. A renewal has at most one duration.
type LicenseRenewal struct {
	// Days by which the license is extended instead of the policy's.
	DurationDays int64 `json:"duration_days,omitempty"`
	// Months of the calendar by which the license is extended instead of the policy's duration.
	DurationMonths int64 `json:"duration_months,omitempty"`
	// Whether the holder gets a mail about it, if the license has an address. Default: the settings of the tenant and
	// of the product decide.
	NotifyHolder *bool `json:"notify_holder,omitempty"`
	// Return the license as it would be after the renewal, and change nothing.
	DryRun *bool `json:"dry_run,omitempty"`
}

// LicenseRevocation: Why a license is revoked.
type LicenseRevocation struct {
	// Why, for people: it is kept in the audit record and, with a status, in the license.
	Reason *Nullable[string] `json:"reason,omitempty"`
}

// LicenseSale: The sale of the license; null if no sale has issued it.
type LicenseSale struct {
	Answer

	ConnectionID string `json:"connection_id"`
	// The kind of shop; `custom` is a shop of your own, which sends the messages that the guide describes. One of:
	// stripe, paddle, lemonsqueezy, polar, gumroad, custom.
	Provider string `json:"provider"`
	Sale     Sale   `json:"sale"`
}

// LicenseTransition: How the status of a license is changed, and why.
type LicenseTransition struct {
	// Why, for people: it is kept in the audit record and, with a status, in the license.
	Reason *Nullable[string] `json:"reason,omitempty"`
	// Whether the holder gets a mail about it, if the license has an address. Default: the settings of the tenant and
	// of the product decide.
	NotifyHolder *bool `json:"notify_holder,omitempty"`
}

// ListAPIKeysQuery: the filters of listApiKeys.
type ListAPIKeysQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Adds the names of the creators.
	Include *string `json:"include,omitempty"`
	// Return only keys with this status. One of: active, revoked, expired.
	Status string `json:"status,omitempty"`
}

// ListActivationsQuery: the filters of listActivations.
type ListActivationsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Adds the key and the holder of the license.
	Include *string `json:"include,omitempty"`
	// Return only activations of this license.
	LicenseID string `json:"license_id,omitempty"`
	// Return only activations with this status. One of: active, expired, deactivated.
	Status string `json:"status,omitempty"`
	// The complete fingerprint. Several licenses can have the same one.
	Fingerprint string `json:"fingerprint,omitempty"`
	// The beginning of the fingerprint; or words by which `GET /licenses` finds the license with its own `q`.
	Q string `json:"q,omitempty"`
}

// ListAuditLogsQuery: the filters of listAuditLogs.
type ListAuditLogsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// The full event code, such as `LICENSE.RENEWED`.
	Event *string `json:"event,omitempty"`
	// Return only records of this type of actor. One of: user, admin, api_key, system, holder, connection.
	ActorType string `json:"actor_type,omitempty"`
	// The id of the actor: a user, an admin, an API key or an access token.
	ActorID *string `json:"actor_id,omitempty"`
	// The type of the affected resource, such as `license`.
	ResourceType *string `json:"resource_type,omitempty"`
	// The id of the affected resource.
	ResourceID *string `json:"resource_id,omitempty"`
	// The id of the request that caused the record.
	RequestID *string `json:"request_id,omitempty"`
	// Return only records at this time or later.
	From *time.Time `json:"from,omitempty"`
	// Return only records before this time.
	To *time.Time `json:"to,omitempty"`
}

// ListBulkOperationsQuery: the filters of listBulkOperations.
type ListBulkOperationsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
}

// ListComparisonsQuery: the filters of listComparisons.
type ListComparisonsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
}

// ListConnectionsQuery: the filters of listConnections.
type ListConnectionsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
}

// ListCustomerNotesQuery: the filters of listCustomerNotes.
type ListCustomerNotesQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
}

// ListCustomersQuery: the filters of listCustomers.
type ListCustomersQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Words. Each must be a prefix of a word of the holder's name, email address or reference, or of the key of a
	// license. Case and accents are ignored.
	Q string `json:"q,omitempty"`
}

// ListDifferencesQuery: the filters of listDifferences.
type ListDifferencesQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// `open`: it waits for a decision. `applied`: the licenses match the shop now. One of: open, applied.
	State string `json:"state,omitempty"`
}

// ListEntitlementsQuery: the filters of listEntitlements.
type ListEntitlementsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// The complete code.
	Code string `json:"code,omitempty"`
	// Return only entitlements of this type. One of: boolean, value, metered.
	Type string `json:"type,omitempty"`
}

// ListHolderMailsQuery: the filters of listHolderMails.
type ListHolderMailsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Return only mails of this type. One of: license.issued, license.key_replaced, license.renewed, license.expiring,
	// license.expired, license.suspended, license.reinstated, activation.created, activation.limit_reached,
	// trial.confirm, portal.login, portal.device_released.
	Type string `json:"type,omitempty"`
	// Return only mails in this state. One of: queued, sent, refused, cancelled.
	State string `json:"state,omitempty"`
	// Return only mails about this license.
	LicenseID string `json:"license_id,omitempty"`
	// Return only mails to this address. Case is ignored.
	Recipient string `json:"recipient,omitempty"`
}

// ListLicenseBatchesQuery: the filters of listLicenseBatches.
type ListLicenseBatchesQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
}

// ListLicenseChecksQuery: the filters of listLicenseChecks.
type ListLicenseChecksQuery struct {
	// Maximum number of rows.
	Limit int64 `json:"limit,omitempty"`
	// Return only checks that were allowed, or only those that were refused.
	IsAllowed *bool `json:"is_allowed,omitempty"`
}

// ListLicensesQuery: the filters of listLicenses.
type ListLicensesQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Return only licenses with this status. One of: pending, active, suspended, revoked, expired.
	Status string `json:"status,omitempty"`
	// Return only licenses of this product.
	ProductID string `json:"product_id,omitempty"`
	// Return only licenses of this policy.
	PolicyID string `json:"policy_id,omitempty"`
	// Return only licenses of this batch.
	BatchID string `json:"batch_id,omitempty"`
	// The complete key. A generated key is also found in lower case and without its dashes.
	Key string `json:"key,omitempty"`
	// The complete address. Case is ignored.
	HolderEmail string `json:"holder_email,omitempty"`
	// The complete reference, in the stored spelling.
	HolderReference string `json:"holder_reference,omitempty"`
	// The complete order number, in the stored spelling.
	OrderNumber string `json:"order_number,omitempty"`
	// Return only licenses that expire before this time.
	ExpiresBefore *time.Time `json:"expires_before,omitempty"`
	// Return only licenses that expire at this time or later.
	ExpiresAfter *time.Time `json:"expires_after,omitempty"`
	// Return only licenses that expire within so many days of 24 hours from now.
	ExpiresWithinDays int64 `json:"expires_within_days,omitempty"`
	// The metadata contain this key at the top level.
	MetadataKey string `json:"metadata_key,omitempty"`
	// The value of `metadata_key`, which is then required. Strings are written as they are, other values as JSON
	// (`true`, `5`).
	MetadataValue *string `json:"metadata_value,omitempty"`
	// Words. Each must be a prefix of the key, its end of at least four characters, or a prefix of a word of the
	// holder's name, email address or reference. A key can have spaces instead of its dashes. Case and accents are
	// ignored.
	Q string `json:"q,omitempty"`
	// Adds the names of the product and the policy, and the effective limit of devices.
	Include *string `json:"include,omitempty"`
	// The order; `-` is descending. Licenses without an end are the last to expire. One of: -created_at, created_at,
	// expires_at, -expires_at.
	Sort string `json:"sort,omitempty"`
}

// ListNotificationsQuery: the filters of listNotifications.
type ListNotificationsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Return only notifications of this type.
	Type string `json:"type,omitempty"`
	// Return only notifications of this severity. One of: info, warning, critical.
	Severity string `json:"severity,omitempty"`
	// `true` returns unread notifications, `false` read ones.
	Unread *bool `json:"unread,omitempty"`
}

// ListOffersQuery: the filters of listOffers.
type ListOffersQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
}

// ListPoliciesQuery: the filters of listPolicies.
type ListPoliciesQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Whether the list has archived rows: none (`false`), only those (`true`), or these as well (`all`). One of: false,
	// true, all.
	Archived string `json:"archived,omitempty"`
	// Return only policies of this product.
	ProductID string `json:"product_id,omitempty"`
	// The complete code. Policies of several products can have the same code.
	Code string `json:"code,omitempty"`
	// Words. Each must be a prefix of a word of the name or the code. Case is ignored.
	Q string `json:"q,omitempty"`
}

// ListProductsQuery: the filters of listProducts.
type ListProductsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Whether the list has archived rows: none (`false`), only those (`true`), or these as well (`all`). One of: false,
	// true, all.
	Archived string `json:"archived,omitempty"`
	// The complete code.
	Code string `json:"code,omitempty"`
	// Words. Each must be a prefix of a word of the name or the code. Case is ignored.
	Q string `json:"q,omitempty"`
}

// ListReleaseDownloadsQuery: the filters of listReleaseDownloads.
type ListReleaseDownloadsQuery struct {
	// A day in UTC.
	From string `json:"from,omitempty"`
	// A day in UTC.
	To string `json:"to,omitempty"`
}

// ListReleasesQuery: the filters of listReleases.
type ListReleasesQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// `yanked`: withdrawn; nobody is offered it any more. One of: draft, published, yanked.
	Status string `json:"status,omitempty"`
	// `stable`, `beta`, `alpha`, or a name of your own.
	Channel string `json:"channel,omitempty"`
}

// ListSaleEventsQuery: the filters of listSaleEvents.
type ListSaleEventsQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// `pending`: it waits. `applied`: it changed licenses. `nothing`: there was nothing to change. `failed`: see
	// `reason`. One of: pending, applied, nothing, failed.
	State string `json:"state,omitempty"`
	// Return only messages about this sale.
	SaleID string `json:"sale_id,omitempty"`
}

// ListSalesQuery: the filters of listSales.
type ListSalesQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// The one state of a sale. `pending`: not paid yet. `past_due`: a payment is missing. `ended`: nothing is granted
	// after the end. `refunded`: the payment of the present period was given back completely. `disputed`: its bank has
	// taken it back, for good or until somebody decides. One of: pending, active, past_due, paused, ended, refunded,
	// disputed.
	State string `json:"state,omitempty"`
	// Return only sales with this problem; `any`: with any problem. One of: any, unmapped, too_many, limit_reached,
	// refused, unusable.
	Problem string `json:"problem,omitempty"`
	// Words. Each must be a prefix of the shop's id of the sale, or of a word of the buyer's name, email address or
	// reference. Case and accents are ignored.
	Q string `json:"q,omitempty"`
}

// ListUsageQuery: the filters of listUsage.
type ListUsageQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Return only the usage of this license.
	LicenseID string `json:"license_id,omitempty"`
	// Return only the usage of this entitlement.
	Entitlement string `json:"entitlement,omitempty"`
	// Return only buckets that begin at this time or later.
	From *time.Time `json:"from,omitempty"`
	// Return only buckets that begin before this time.
	To *time.Time `json:"to,omitempty"`
	// The length of a bucket. Buckets begin in the tenant's timezone; weeks on Monday. One of: hour, day, week, month,
	// year.
	Interval string `json:"interval,omitempty"`
}

// ListWebhookDeliveriesQuery: the filters of listWebhookDeliveries.
type ListWebhookDeliveriesQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Return only deliveries to this endpoint.
	WebhookID string `json:"webhook_id,omitempty"`
	// Return only deliveries with this status. One of: pending, succeeded, failed.
	Status string `json:"status,omitempty"`
	// The type of an event. One of: license.created, license.updated, license.suspended, license.reinstated,
	// license.revoked, license.renewed, license.converted, license.expiring, license.expired, license.deleted,
	// activation.created, activation.deactivated, activation.expired, activation.limit_reached,
	// entitlement.limit_reached, release.published, release.yanked, api_key.created, api_key.revoked, webhook.disabled,
	// webhook.secret_rotated, webhook.test.
	EventType string `json:"event_type,omitempty"`
	// Return only deliveries created at this time or later.
	From *time.Time `json:"from,omitempty"`
	// Return only deliveries created before this time.
	To *time.Time `json:"to,omitempty"`
}

// ListWebhooksQuery: the filters of listWebhooks.
type ListWebhooksQuery struct {
	// Maximum number of rows per page.
	Limit int64 `json:"limit,omitempty"`
	// Adds the health of the endpoint and the end of its previous secret.
	Include *string `json:"include,omitempty"`
	// Return only endpoints with this status. One of: enabled, disabled.
	Status string `json:"status,omitempty"`
}

// Notification: A message to the users of a tenant.
type Notification struct {
	Answer

	ID string `json:"id"`
	// The subject, such as `license.expiring`.
	Type string `json:"type"`
	// How urgent the notification is. One of: info, warning, critical.
	Severity string `json:"severity"`
	// One line that says what happened.
	Title string `json:"title"`
	// What happened and what to do, as plain text.
	Body string `json:"body"`
	// The type of the resource that it is about, such as `license`; null if it is about none.
	ResourceType *string `json:"resource_type"`
	// Its id; null also if it is about several.
	ResourceID *string `json:"resource_id"`
	// Null while it is unread.
	ReadAt    *string `json:"read_at"`
	CreatedAt string  `json:"created_at"`
}

// Offer: What an item of a shop becomes.
type Offer struct {
	Answer

	ID string `json:"id"`
	// The shop's id of the item, such as a price.
	ExternalID string `json:"external_id"`
	// The name of the item, for the users of the tenant.
	Name string `json:"name"`
	// The policy of the licenses.
	PolicyID string `json:"policy_id"`
	// `policy`: one license for as many devices as the policy allows. `seats`: one license for quantity ×
	// `seats_per_unit` devices. `licenses`: one license for each. `ignore`: no license. One of: policy, seats,
	// licenses, ignore.
	Quantity string `json:"quantity"`
	// How many devices one unit allows; a request with it alone means `seats`.
	SeatsPerUnit int64 `json:"seats_per_unit"`
	// What a full refund or a lost dispute does. `revoke` is final, so a subscription that still runs is only
	// suspended. One of: revoke, suspend, nothing.
	OnRefund string `json:"on_refund"`
	// What a missing payment does. `nothing`: the license ends with the period that is paid. `suspend_after_days`: it
	// works for so many days more and is then suspended. One of: nothing, suspend_after_days.
	OnPaymentFailure string `json:"on_payment_failure"`
	// After how many days a missing payment suspends; null unless `suspend_after_days`.
	SuspendAfterDays *int64 `json:"suspend_after_days"`
	CreatedAt        string `json:"created_at"`
	UpdatedAt        string `json:"updated_at"`
}

// PendingTerm: The term that has not begun; null: none. Only with `include=details`.
type PendingTerm struct {
	// What the term begins with. One of: first_validation, first_activation.
	BeginsWith string `json:"begins_with"`
	// The days that the license is valid from then on.
	DurationDays *int64 `json:"duration_days"`
	// Or the months of the calendar.
	DurationMonths *int64 `json:"duration_months"`
	// Whether it then goes on until the month ends.
	EndsWithMonth bool `json:"ends_with_month"`
}

// Policy: A template of licenses: their term, their devices and their entitlements.
type Policy struct {
	Answer

	ID string `json:"id"`
	// The product that the policy belongs to.
	ProductID string `json:"product_id"`
	// Unique within the product.
	Code string `json:"code"`
	Name string `json:"name"`
	// Days from `expiry_basis` to the expiry of a license. Null with a null `duration_months`: perpetual.
	DurationDays *int64 `json:"duration_days"`
	// Months of the calendar from `expiry_basis` to the expiry of a license, in the tenant's timezone. January 31 and
	// one month are February 28. Excludes `duration_days`.
	DurationMonths *int64 `json:"duration_months"`
	// The event from which `duration_days` or `duration_months` counts. One of: creation, first_validation,
	// first_activation.
	ExpiryBasis string `json:"expiry_basis"`
	// Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`. One of: deny,
	// allow.
	ExpiryStrategy string `json:"expiry_strategy"`
	// Days after `expires_at` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`.
	GraceDays int64 `json:"grace_days"`
	// Whether a renewal counts from the expiry, from the present time, or from the later of the two. One of:
	// from_expiry, from_now, from_expiry_or_now.
	RenewalBasis string `json:"renewal_basis"`
	// Days during which new releases are included; null: all releases are included.
	MaintenanceDays *int64 `json:"maintenance_days"`
	// Maximum active devices of a license; null: unlimited.
	MaxActivations *int64 `json:"max_activations"`
	// Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3; null: unlimited.
	ActivationOveragePercent *int64 `json:"activation_overage_percent"`
	// Whether a verdict is valid only for an activated fingerprint.
	RequireActivation bool `json:"require_activation"`
	// How the service recognises a device whose fingerprint is not activated. `exact`: it does not. `most`: more than
	// half of the stored `components` are equal. `any`: one of them is equal. One of: exact, most, any.
	FingerprintMatching string `json:"fingerprint_matching"`
	// Whether a license expires only at the end of the month of its expiry, in the tenant's timezone. Renewals too.
	EndsWithMonth bool `json:"ends_with_month"`
	// Whether a trial without a key works only after its email address is confirmed with a code from a mail.
	TrialRequiresEmail bool `json:"trial_requires_email"`
	// Seconds without a heartbeat after which an activation expires; null: never. A new value starts at the change for
	// every active device.
	LeaseSeconds *int64 `json:"lease_seconds"`
	// Maximum self-service deactivations; null: unlimited. Those by the vendor, and of devices above limit and overage,
	// do not count.
	MaxDeactivations *int64 `json:"max_deactivations"`
	// Maximum validity of an offline certificate, in seconds.
	OfflineTTLSecondsMax int64 `json:"offline_ttl_seconds_max"`
	// The prefix of generated keys; null: the tenant's `license_key_prefix`.
	KeyPrefix *string `json:"key_prefix"`
	// Whether the holder of a license may replace its key in the portal.
	HolderMayReplaceKey bool `json:"holder_may_replace_key"`
	// The entitlements that every license of the policy has.
	Entitlements []PolicyEntitlement `json:"entitlements"`
	Metadata     map[string]any      `json:"metadata"`
	// Since when no licenses are issued under the policy; null: they are.
	ArchivedAt *string `json:"archived_at"`
	CreatedAt  string  `json:"created_at"`
	UpdatedAt  string  `json:"updated_at"`
}

// PolicyDetail: A policy, and whether it can be deleted.
type PolicyDetail struct {
	Answer

	ID string `json:"id"`
	// The product that the policy belongs to.
	ProductID string `json:"product_id"`
	// Unique within the product.
	Code string `json:"code"`
	Name string `json:"name"`
	// Days from `expiry_basis` to the expiry of a license. Null with a null `duration_months`: perpetual.
	DurationDays *int64 `json:"duration_days"`
	// Months of the calendar from `expiry_basis` to the expiry of a license, in the tenant's timezone. January 31 and
	// one month are February 28. Excludes `duration_days`.
	DurationMonths *int64 `json:"duration_months"`
	// The event from which `duration_days` or `duration_months` counts. One of: creation, first_validation,
	// first_activation.
	ExpiryBasis string `json:"expiry_basis"`
	// Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`. One of: deny,
	// allow.
	ExpiryStrategy string `json:"expiry_strategy"`
	// Days after `expires_at` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`.
	GraceDays int64 `json:"grace_days"`
	// Whether a renewal counts from the expiry, from the present time, or from the later of the two. One of:
	// from_expiry, from_now, from_expiry_or_now.
	RenewalBasis string `json:"renewal_basis"`
	// Days during which new releases are included; null: all releases are included.
	MaintenanceDays *int64 `json:"maintenance_days"`
	// Maximum active devices of a license; null: unlimited.
	MaxActivations *int64 `json:"max_activations"`
	// Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3; null: unlimited.
	ActivationOveragePercent *int64 `json:"activation_overage_percent"`
	// Whether a verdict is valid only for an activated fingerprint.
	RequireActivation bool `json:"require_activation"`
	// How the service recognises a device whose fingerprint is not activated. `exact`: it does not. `most`: more than
	// half of the stored `components` are equal. `any`: one of them is equal. One of: exact, most, any.
	FingerprintMatching string `json:"fingerprint_matching"`
	// Whether a license expires only at the end of the month of its expiry, in the tenant's timezone. Renewals too.
	EndsWithMonth bool `json:"ends_with_month"`
	// Whether a trial without a key works only after its email address is confirmed with a code from a mail.
	TrialRequiresEmail bool `json:"trial_requires_email"`
	// Seconds without a heartbeat after which an activation expires; null: never. A new value starts at the change for
	// every active device.
	LeaseSeconds *int64 `json:"lease_seconds"`
	// Maximum self-service deactivations; null: unlimited. Those by the vendor, and of devices above limit and overage,
	// do not count.
	MaxDeactivations *int64 `json:"max_deactivations"`
	// Maximum validity of an offline certificate, in seconds.
	OfflineTTLSecondsMax int64 `json:"offline_ttl_seconds_max"`
	// The prefix of generated keys; null: the tenant's `license_key_prefix`.
	KeyPrefix *string `json:"key_prefix"`
	// Whether the holder of a license may replace its key in the portal.
	HolderMayReplaceKey bool `json:"holder_may_replace_key"`
	// The entitlements that every license of the policy has.
	Entitlements []PolicyEntitlement `json:"entitlements"`
	Metadata     map[string]any      `json:"metadata"`
	// Since when no licenses are issued under the policy; null: they are.
	ArchivedAt *string `json:"archived_at"`
	CreatedAt  string  `json:"created_at"`
	UpdatedAt  string  `json:"updated_at"`
	// Whether the policy can be deleted: no license was ever issued under it, and it is not the trial of its product.
	IsDeletable bool `json:"is_deletable"`
}

// PolicyEntitlement: An entitlement as a policy grants it.
type PolicyEntitlement struct {
	Code string `json:"code"`
	// The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants.
	Value any `json:"value"`
	// The quantity that may be used per period; null: unlimited. Only for metered entitlements.
	Limit *int64 `json:"limit"`
	// The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
	// One of: none, day, week, month, year.
	Reset *string `json:"reset"`
	// Whether usage above the limit is refused or counted. A policy refuses it by default. One of: deny, allow.
	Overage *string `json:"overage"`
}

// PolicyEntitlementInput: An entitlement as a policy grants it.
type PolicyEntitlementInput struct {
	Code string `json:"code"`
	// The granted value. `false` withholds the entitlement. A license uses it to take away what its policy grants.
	Value *Nullable[any] `json:"value,omitempty"`
	// The quantity that may be used per period; null: unlimited. Only for metered entitlements.
	Limit *Nullable[int64] `json:"limit,omitempty"`
	// The period of the counter, in the tenant's time zone; `none`: it never resets, which is the default of a policy.
	// One of: none, day, week, month, year.
	Reset string `json:"reset,omitempty"`
	// Whether usage above the limit is refused or counted. A policy refuses it by default. One of: deny, allow.
	Overage string `json:"overage,omitempty"`
}

// PortalLink: A link that logs the holder of a license in to the portal.
type PortalLink struct {
	Answer

	// The address that logs the holder in, once.
	URL string `json:"url"`
	// The link no longer works after this time.
	ExpiresAt string `json:"expires_at"`
}

// Product: A product that the tenant licenses.
type Product struct {
	Answer

	ID string `json:"id"`
	// Unique within the tenant.
	Code string `json:"code"`
	Name string `json:"name"`
	// A note for the users of the tenant.
	Description *string `json:"description"`
	// The platforms that the product runs on, in words of your choice.
	Platforms []string `json:"platforms"`
	// The page on which the holder of a license renews it, which the portal links to. `{license_id}` in it stands for
	// the id of the license.
	RenewalURL *string `json:"renewal_url"`
	// The policy of trials without a key, one of the product; null: applications cannot start trials of the product.
	TrialPolicyID   *string          `json:"trial_policy_id"`
	DownloadStorage *DownloadStorage `json:"download_storage"`
	Metadata        map[string]any   `json:"metadata"`
	// Since when no licenses of the product are issued; null: they are.
	ArchivedAt *string `json:"archived_at"`
	CreatedAt  string  `json:"created_at"`
	UpdatedAt  string  `json:"updated_at"`
}

// ReadCount: How many notifications became read.
type ReadCount struct {
	Answer

	// The number of notifications marked as read.
	Count int64 `json:"count"`
}

// RecoverWebhook: Delivers the failed events of a period again.
type RecoverWebhook struct {
	// The start of the range, inclusive.
	Since time.Time `json:"since"`
	// The end of the range, exclusive. Default, also for null: the present time.
	Until *Nullable[time.Time] `json:"until,omitempty"`
	// Counts the events without sending them.
	DryRun *bool `json:"dry_run,omitempty"`
}

// RecoveredWebhook: How many deliveries are sent again.
type RecoveredWebhook struct {
	Answer

	// Number of events that are sent, or would be sent with `dry_run`.
	Count int64 `json:"count"`
}

// Release: A version of a product.
type Release struct {
	Answer

	ID        string `json:"id"`
	ProductID string `json:"product_id"`
	// A semantic version, unique within the product.
	Version string `json:"version"`
	// `stable`, `beta`, `alpha`, or a name of your own.
	Channel string `json:"channel"`
	// `yanked`: withdrawn; nobody is offered it any more. One of: draft, published, yanked.
	Status string `json:"status"`
	// Markdown.
	Notes string `json:"notes"`
	// When it was published.
	ReleasedAt *string `json:"released_at"`
	// The entitlements that a license needs for the release.
	MinimumEntitlements []string `json:"minimum_entitlements"`
	YankedReason        *string  `json:"yanked_reason"`
	DownloadsCount      int64    `json:"downloads_count"`
	// The files.
	Artifacts []ReleaseArtifact `json:"artifacts"`
	CreatedAt string            `json:"created_at"`
	UpdatedAt string            `json:"updated_at"`
}

// ReleaseArtifact: A file of a release.
type ReleaseArtifact struct {
	ID string `json:"id"`
	// The operating system of a file. One of: windows, macos, linux, any.
	Platform string `json:"platform"`
	// The processor of a file. One of: x64, arm64, x86, arm, universal, any.
	Arch     string `json:"arch"`
	FileName string `json:"file_name"`
	// In bytes.
	Size   int64  `json:"size"`
	Sha256 string `json:"sha256"`
	// The address of the file, https; with `download_storage` of the product it may be private.
	URL string `json:"url"`
	// The signature that the updater verifies.
	Signature *string `json:"signature"`
}

// ReleaseDownloads: The downloads of a day.
type ReleaseDownloads struct {
	Answer

	// A day in UTC.
	Day   string `json:"day"`
	Count int64  `json:"count"`
}

// RetentionDays: How long data is kept, in days.
type RetentionDays struct {
	// The retention of audit records and unread notifications in days. Read notifications: 90 days.
	Audit int64 `json:"audit"`
	// The retention of usage in days.
	Usage int64 `json:"usage"`
	// The retention of events and webhook deliveries in days.
	Deliveries int64 `json:"deliveries"`
	// The retention of the list of mails to license holders in days.
	Mails int64 `json:"mails"`
	// The retention of the messages of shops and of comparisons in days.
	SaleMessages int64 `json:"sale_messages"`
	// The retention of the checks of licenses in days: what devices asked, and what they were told.
	Checks int64 `json:"checks"`
}

// RetentionDaysInput: How long data is kept, in days; `null` sets all defaults.
type RetentionDaysInput struct {
	// The retention of audit records and unread notifications in days. Read notifications: 90 days. `null` sets 365.
	Audit *Nullable[int64] `json:"audit,omitempty"`
	// The retention of usage in days. `null` sets 400.
	Usage *Nullable[int64] `json:"usage,omitempty"`
	// The retention of events and webhook deliveries in days. `null` sets 30.
	Deliveries *Nullable[int64] `json:"deliveries,omitempty"`
	// The retention of the list of mails to license holders in days. `null` sets 180.
	Mails *Nullable[int64] `json:"mails,omitempty"`
	// The retention of the messages of shops and of comparisons in days. `null` sets 90.
	SaleMessages *Nullable[int64] `json:"sale_messages,omitempty"`
	// The retention of the checks of licenses in days: what devices asked, and what they were told. `null` sets 30.
	Checks *Nullable[int64] `json:"checks,omitempty"`
}

// RotateAPIKey: How a key is replaced.
type RotateAPIKey struct {
	// How long the old key still works. 0: it ends now. A key never ends later than its `expires_at`.
	OverlapSeconds *int64 `json:"overlap_seconds,omitempty"`
	// When the new key stops working; null: never.
	ExpiresAt *Nullable[time.Time] `json:"expires_at,omitempty"`
}

// Sale: A subscription or an order in a shop, with its licenses.
type Sale struct {
	Answer

	ID string `json:"id"`
	// The shop's id of the subscription or of the order.
	ExternalID string `json:"external_id"`
	// A subscription ends or is renewed; a one-time sale is for ever, or for the term of its policy. One of:
	// subscription, one_time.
	Kind string `json:"kind"`
	// The one state of a sale. `pending`: not paid yet. `past_due`: a payment is missing. `ended`: nothing is granted
	// after the end. `refunded`: the payment of the present period was given back completely. `disputed`: its bank has
	// taken it back, for good or until somebody decides. One of: pending, active, past_due, paused, ended, refunded,
	// disputed.
	State string    `json:"state"`
	Buyer SaleBuyer `json:"buyer"`
	// What was sold.
	Items []SaleItem `json:"items"`
	// The licenses that it has issued, in their order.
	LicenseIDs []string `json:"license_ids"`
	// The end of the period that is paid; null: it has none.
	PaidUntil *string `json:"paid_until"`
	// When a subscription ends or has ended, if that is known.
	EndsAt *string `json:"ends_at"`
	// How much of the payment of the present period was given back. One of: none, partial, full.
	Refund string `json:"refund"`
	// Of the payment of the present period. `open`: the bank of the buyer has taken the money until somebody decides.
	// One of: none, open, lost.
	Dispute string       `json:"dispute"`
	Problem *SaleProblem `json:"problem"`
	// The sale in the shop's own dashboard; null: it has no address.
	ShopURL   *string `json:"shop_url"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt string  `json:"updated_at"`
}

// SaleBuyer: Who bought, as far as the shop says it.
type SaleBuyer struct {
	// The shop's id of the customer.
	Reference *string `json:"reference"`
	// The buyer's name.
	Name *string `json:"name"`
	// The buyer's email address.
	Email *string `json:"email"`
}

// SaleEffect: What a message did to one license.
type SaleEffect struct {
	// What happened to the license. One of: issued, renewed, changed, ended, suspended, reinstated, revoked,
	// holder_changed.
	Effect    string `json:"effect"`
	LicenseID string `json:"license_id"`
}

// SaleEvent: A message of a shop, with what it did.
type SaleEvent struct {
	Answer

	ID string `json:"id"`
	// The shop's id of the message, or a hash of its body.
	ExternalID string `json:"external_id"`
	// The shop's own name of the event.
	Type string `json:"type"`
	// By the clock of the shop; null if it does not say it.
	OccurredAt *string `json:"occurred_at"`
	ReceivedAt string  `json:"received_at"`
	// `pending`: it waits. `applied`: it changed licenses. `nothing`: there was nothing to change. `failed`: see
	// `reason`. One of: pending, applied, nothing, failed.
	State string `json:"state"`
	// How often the service has tried to apply it.
	Attempts int64 `json:"attempts"`
	// When the service tries next; null: only a person can.
	NextAttemptAt *string `json:"next_attempt_at"`
	// What it did, in order.
	Effects []SaleEffect `json:"effects"`
	// Why it did nothing or failed, for people.
	Reason *string `json:"reason"`
	// The sale that it is about.
	SaleID *string `json:"sale_id"`
	// The message as the shop sent it. Only for one event, and only for owners and admins.
	Body *string `json:"body"`
}

// SaleItem: One item of a sale.
type SaleItem struct {
	// The shop's id of what was sold.
	ExternalID string `json:"external_id"`
	// How many were sold.
	Quantity int64 `json:"quantity"`
	// The offer that says what it becomes; null: none does.
	OfferID *string `json:"offer_id"`
	// The policy of that offer.
	PolicyID *string `json:"policy_id"`
}

// SaleProblem: Why the licenses of a sale do not match it.
type SaleProblem struct {
	// `unmapped`: an item has no offer. `too_many`: more than 1,000 licenses at once. `limit_reached`: the plan allows
	// no more licenses. `refused`: a license could not be issued or changed, for example because its policy was
	// deleted. `unusable`: the buyer has paid for a license that somebody suspended, revoked or deleted here. One of:
	// unmapped, too_many, limit_reached, refused, unusable.
	Code string `json:"code"`
	// What is wrong and what to do, for people.
	Message string `json:"message"`
}

// SendHolderMail: Sends the license key to the holder, even if such mails are switched off.
type SendHolderMail struct {
	// The license whose key is sent to its holder.
	LicenseID string `json:"license_id"`
}

// SendTestSale: What the test sale sells, and to whom.
type SendTestSale struct {
	// The address of the buyer. Default: the address of the caller.
	Email string `json:"email,omitempty"`
	// The item that is sold. Default: that of the first offer.
	ExternalID string `json:"external_id,omitempty"`
}

// Settings: The settings of a tenant.
type Settings struct {
	Answer

	// The name of the tenant.
	Name string `json:"name"`
	// The time zone of periods and buckets, by its name in the IANA time zone database.
	Timezone string `json:"timezone"`
	// The address that the tenant's customers write to.
	SupportEmail *string `json:"support_email"`
	// The prefix of generated license keys if the policy has no `key_prefix`; null: no prefix.
	LicenseKeyPrefix *string `json:"license_key_prefix"`
	// The number of days before its expiry from which a license counts as expiring.
	ExpiringSoonDays int64 `json:"expiring_soon_days"`
	// The recipients of notification mails. An empty list means the owners.
	NotificationEmails []string `json:"notification_emails"`
	// The subscription of a new webhook endpoint that names no events.
	WebhookEventDefaults []string      `json:"webhook_event_defaults"`
	RetentionDays        RetentionDays `json:"retention_days"`
	// The maximum number of trials without a key that start on a day (UTC).
	TrialsPerDayMax int64 `json:"trials_per_day_max"`
	// The maximum number of trials without a key that one client address may start within 24 hours.
	TrialsPerAddressMax int64 `json:"trials_per_address_max"`
}

// ShopCatalog: What the shop sells, by its own API.
type ShopCatalog struct {
	Answer

	// What the shop sells.
	Items []ShopOffer `json:"items"`
}

// ShopOffer: Something that the shop sells, for the choice of an offer.
type ShopOffer struct {
	// The shop's id of the item.
	ExternalID string `json:"external_id"`
	// The shop's name of the item.
	Name string `json:"name"`
	// The price in words; null if the shop does not say it.
	Price *string `json:"price"`
}

// TestSale: A message that was sent through the real path.
type TestSale struct {
	Answer

	EventID string `json:"event_id"`
	// The id of the sale in the imagined shop.
	SaleExternalID string `json:"sale_external_id"`
	// The id of the checkout, for the address of the purchase page.
	CheckoutID string `json:"checkout_id"`
}

// UnreadNotificationCount: How many notifications are unread.
type UnreadNotificationCount struct {
	Answer

	// The number of unread notifications, at most 100.
	Count int64 `json:"count"`
}

// UpdateAPIKey: The fields of an API key to change. A field that is left out keeps its value; null lifts a limit.
type UpdateAPIKey struct {
	// The name by which people recognise the key.
	Name string `json:"name,omitempty"`
	// What the key may do.
	Scopes []string `json:"scopes,omitempty"`
	// When the key stops working; null: never.
	ExpiresAt *Nullable[time.Time] `json:"expires_at,omitempty"`
	// The networks from which the key may be used; empty: all networks.
	AllowedCidrs *[]string `json:"allowed_cidrs,omitempty"`
	// The only product that the key works for: it does not know the licenses of other products. Null: all products.
	ProductID *Nullable[string] `json:"product_id,omitempty"`
	// The requests per minute with this key; null: only the tenant's limit applies.
	RateLimitPerMinute *Nullable[int64] `json:"rate_limit_per_minute,omitempty"`
	// The requests that one client address may send with the key per minute; an IPv6 address counts with its /64
	// network. Refused requests do not count towards the limits of the key and of the tenant. Null: no limit.
	RateLimitPerAddressPerMinute *Nullable[int64] `json:"rate_limit_per_address_per_minute,omitempty"`
}

// UpdateConnection: The fields of a connection to change. A field that is left out keeps its value.
type UpdateConnection struct {
	// The name of the shop, for the users of the tenant.
	Name string `json:"name,omitempty"`
	// The secret with which the shop signs its messages. It is stored encrypted and never returned. It replaces the
	// former one at once.
	SigningSecret string `json:"signing_secret,omitempty"`
	// A key of the shop's API, with which the service reads sales. It is stored encrypted and never returned. Null
	// removes it.
	APIKey *Nullable[string] `json:"api_key,omitempty"`
	// `disabled`: its address refuses messages, and messages that wait are not applied. One of: active, disabled.
	Status string `json:"status,omitempty"`
	// True: a comparison runs every night and applies what it finds. It needs the key of the shop's API.
	ComparesItself *bool `json:"compares_itself,omitempty"`
}

// UpdateCustomer: The fields of the holder to change in all licenses of a customer. Null removes the name.
type UpdateCustomer struct {
	// The holder's name.
	Name *Nullable[string] `json:"name,omitempty"`
	// The new address. If other licenses have it, they become licenses of one customer.
	Email string `json:"email,omitempty"`
}

// UpdateEntitlement: The fields of an entitlement to change.
type UpdateEntitlement struct {
	// The name that users see.
	Name string `json:"name,omitempty"`
	// A note for the users of the tenant.
	Description *Nullable[string] `json:"description,omitempty"`
}

// UpdateLicense: The fields of a license to change. A field that is left out keeps its value; null clears it.
type UpdateLicense struct {
	// Moves the license to another policy of the same product.
	PolicyID string `json:"policy_id,omitempty"`
	// The person or company that the license was issued to. Null clears all of its fields.
	Holder *Nullable[LicenseHolderInput] `json:"holder,omitempty"`
	// The license is pending before this time.
	StartsAt *time.Time `json:"starts_at,omitempty"`
	// The end of the license; null: perpetual, unless the policy's term starts with the first use.
	ExpiresAt *Nullable[time.Time] `json:"expires_at,omitempty"`
	// Releases after this time are not included; null: all releases are included.
	MaintenanceExpiresAt *Nullable[time.Time] `json:"maintenance_expires_at,omitempty"`
	// The license's own limit of active devices; null: the limit of the policy.
	MaxActivations *Nullable[int64] `json:"max_activations,omitempty"`
	// Your own number of the order, unique among your licenses; null: there is none.
	OrderNumber *Nullable[string] `json:"order_number,omitempty"`
	// Overrides the entitlements of the policy by code, until its own `expires_at`. Fields that are left out come from
	// the policy; `null` clears a field.
	Entitlements *Nullable[[]LicenseEntitlementInput] `json:"entitlements,omitempty"`
	// Your own data; null empties it.
	Metadata *Nullable[map[string]any] `json:"metadata,omitempty"`
	// Whether the holder gets a mail about it, if the license has an address. Default: the settings of the tenant and
	// of the product decide.
	NotifyHolder *bool `json:"notify_holder,omitempty"`
}

// UpdateOffer: The fields of an offer to change. A field that is left out keeps its value.
type UpdateOffer struct {
	// The name of the item, for the users of the tenant.
	Name string `json:"name,omitempty"`
	// The policy of the licenses.
	PolicyID string `json:"policy_id,omitempty"`
	// `policy`: one license for as many devices as the policy allows. `seats`: one license for quantity ×
	// `seats_per_unit` devices. `licenses`: one license for each. `ignore`: no license. One of: policy, seats,
	// licenses, ignore.
	Quantity string `json:"quantity,omitempty"`
	// How many devices one unit allows; a request with it alone means `seats`.
	SeatsPerUnit int64 `json:"seats_per_unit,omitempty"`
	// What a full refund or a lost dispute does. `revoke` is final, so a subscription that still runs is only
	// suspended. One of: revoke, suspend, nothing.
	OnRefund string `json:"on_refund,omitempty"`
	// What a missing payment does. `nothing`: the license ends with the period that is paid. `suspend_after_days`: it
	// works for so many days more and is then suspended. One of: nothing, suspend_after_days.
	OnPaymentFailure string `json:"on_payment_failure,omitempty"`
	// After how many days a missing payment suspends; null unless `suspend_after_days`.
	SuspendAfterDays *Nullable[int64] `json:"suspend_after_days,omitempty"`
}

// UpdatePolicy: The fields of a policy to change. A field that is left out keeps its value; null clears it.
type UpdatePolicy struct {
	// Unique within the product: lower-case letters, digits and hyphens.
	Code string `json:"code,omitempty"`
	// The name that users see.
	Name string `json:"name,omitempty"`
	// Days from `expiry_basis` to the expiry of a license. Null with a null `duration_months`: perpetual.
	DurationDays *Nullable[int64] `json:"duration_days,omitempty"`
	// Months of the calendar from `expiry_basis` to the expiry of a license, in the tenant's timezone. January 31 and
	// one month are February 28. Excludes `duration_days`.
	DurationMonths *Nullable[int64] `json:"duration_months,omitempty"`
	// The event from which `duration_days` or `duration_months` counts. One of: creation, first_validation,
	// first_activation.
	ExpiryBasis string `json:"expiry_basis,omitempty"`
	// Whether an expired license gets a negative verdict, or a valid one with the code `LICENSE.EXPIRED`. One of: deny,
	// allow.
	ExpiryStrategy string `json:"expiry_strategy,omitempty"`
	// Days after `expires_at` during which the verdict stays valid, with the code `LICENSE.IN_GRACE`.
	GraceDays *int64 `json:"grace_days,omitempty"`
	// Whether a renewal counts from the expiry, from the present time, or from the later of the two. One of:
	// from_expiry, from_now, from_expiry_or_now.
	RenewalBasis string `json:"renewal_basis,omitempty"`
	// Days during which new releases are included; null: all releases are included.
	MaintenanceDays *Nullable[int64] `json:"maintenance_days,omitempty"`
	// Maximum active devices of a license; null: unlimited.
	MaxActivations *Nullable[int64] `json:"max_activations,omitempty"`
	// Percentage by which activations may exceed the limit, rounded down: 50 on a limit of 2 admits 3; null: unlimited.
	ActivationOveragePercent *Nullable[int64] `json:"activation_overage_percent,omitempty"`
	// Whether a verdict is valid only for an activated fingerprint.
	RequireActivation *bool `json:"require_activation,omitempty"`
	// How the service recognises a device whose fingerprint is not activated. `exact`: it does not. `most`: more than
	// half of the stored `components` are equal. `any`: one of them is equal. One of: exact, most, any.
	FingerprintMatching string `json:"fingerprint_matching,omitempty"`
	// Whether a license expires only at the end of the month of its expiry, in the tenant's timezone. Renewals too.
	EndsWithMonth *bool `json:"ends_with_month,omitempty"`
	// Whether a trial without a key works only after its email address is confirmed with a code from a mail.
	TrialRequiresEmail *bool `json:"trial_requires_email,omitempty"`
	// Seconds without a heartbeat after which an activation expires; null: never. A new value starts at the change for
	// every active device.
	LeaseSeconds *Nullable[int64] `json:"lease_seconds,omitempty"`
	// Maximum self-service deactivations; null: unlimited. Those by the vendor, and of devices above limit and overage,
	// do not count.
	MaxDeactivations *Nullable[int64] `json:"max_deactivations,omitempty"`
	// Maximum validity of an offline certificate, in seconds.
	OfflineTTLSecondsMax int64 `json:"offline_ttl_seconds_max,omitempty"`
	// The prefix of generated keys; null: the tenant's `license_key_prefix`.
	KeyPrefix *Nullable[string] `json:"key_prefix,omitempty"`
	// Whether the holder of a license may replace its key in the portal.
	HolderMayReplaceKey *bool `json:"holder_may_replace_key,omitempty"`
	// The entitlements that every license of the policy has.
	Entitlements *Nullable[[]PolicyEntitlementInput] `json:"entitlements,omitempty"`
	// Your own data; null empties it.
	Metadata *Nullable[map[string]any] `json:"metadata,omitempty"`
}

// UpdateProduct: The fields of a product to change. A field that is left out keeps its value; null clears it.
type UpdateProduct struct {
	// Unique within the tenant. Lower-case letters, digits and hyphens. Integration requests can identify the product
	// by its code.
	Code string `json:"code,omitempty"`
	// The name that users see.
	Name string `json:"name,omitempty"`
	// A note for the users of the tenant.
	Description *Nullable[string] `json:"description,omitempty"`
	// The platforms that the product runs on, in words of your choice. Null empties the list.
	Platforms *Nullable[[]string] `json:"platforms,omitempty"`
	// The page on which the holder of a license renews it, which the portal links to. `{license_id}` in it stands for
	// the id of the license.
	RenewalURL *Nullable[string] `json:"renewal_url,omitempty"`
	// The policy of trials without a key, one of the product; null: applications cannot start trials of the product.
	TrialPolicyID   *Nullable[string]               `json:"trial_policy_id,omitempty"`
	DownloadStorage *Nullable[DownloadStorageInput] `json:"download_storage,omitempty"`
	// Replaces all metadata; null empties it.
	Metadata *Nullable[map[string]any] `json:"metadata,omitempty"`
}

// UpdateRelease: The fields of a draft to change; `artifacts` replaces all files.
type UpdateRelease struct {
	// A semantic version, unique within the product.
	Version string `json:"version,omitempty"`
	// `stable`, `beta`, `alpha`, or a name of your own.
	Channel string `json:"channel,omitempty"`
	// Markdown.
	Notes string `json:"notes,omitempty"`
	// The entitlements that a license needs for the release.
	MinimumEntitlements *[]string `json:"minimum_entitlements,omitempty"`
	// The files.
	Artifacts *[]WriteReleaseArtifact `json:"artifacts,omitempty"`
}

// UpdateSettings: The settings to change. A field that is left out keeps its value.
type UpdateSettings struct {
	// The name of the tenant.
	Name string `json:"name,omitempty"`
	// The time zone of periods and buckets, by its name in the IANA time zone database. `null` sets `UTC`.
	Timezone *Nullable[string] `json:"timezone,omitempty"`
	// The address that the tenant's customers write to.
	SupportEmail *Nullable[string] `json:"support_email,omitempty"`
	// The prefix of generated license keys if the policy has no `key_prefix`; null: no prefix.
	LicenseKeyPrefix *Nullable[string] `json:"license_key_prefix,omitempty"`
	// The number of days before its expiry from which a license counts as expiring. `null` sets 14.
	ExpiringSoonDays *Nullable[int64] `json:"expiring_soon_days,omitempty"`
	// The recipients of notification mails. An empty list means the owners.
	NotificationEmails *Nullable[[]string] `json:"notification_emails,omitempty"`
	// The subscription of a new webhook endpoint that names no events. `null` sets `["*"]`, which means all events.
	WebhookEventDefaults *Nullable[[]string]           `json:"webhook_event_defaults,omitempty"`
	RetentionDays        *Nullable[RetentionDaysInput] `json:"retention_days,omitempty"`
	// The maximum number of trials without a key that start on a day (UTC). `null` sets 1000.
	TrialsPerDayMax *Nullable[int64] `json:"trials_per_day_max,omitempty"`
	// The maximum number of trials without a key that one client address may start within 24 hours. `null` sets 20.
	TrialsPerAddressMax *Nullable[int64] `json:"trials_per_address_max,omitempty"`
}

// UpdateWebhookEndpoint: The fields of a webhook endpoint to change.
type UpdateWebhookEndpoint struct {
	// The URL that receives events: https, a public address, without credentials and without a fragment.
	URL string `json:"url,omitempty"`
	// A note for the users of the tenant.
	Description *Nullable[string] `json:"description,omitempty"`
	// Types of events, or `["*"]` for all. `null` applies the setting `webhook_event_defaults`.
	Events *Nullable[[]string] `json:"events,omitempty"`
	// Deliver only events about licenses, devices and usage of this product, and test events. Null: all.
	ProductID *Nullable[string] `json:"product_id,omitempty"`
	// All headers of your own, such as an authorization for your gateway.
	Headers *[]WebhookHeaderInput `json:"headers,omitempty"`
	// `enabled` resets the failures; `disabled` fails the pending deliveries. One of: enabled, disabled.
	Status string `json:"status,omitempty"`
}

// UsageBucket: The usage of one entitlement by one license in one interval.
type UsageBucket struct {
	Answer

	// The start of the bucket.
	BucketStart string `json:"bucket_start"`
	LicenseID   string `json:"license_id"`
	// The holder of the license and the end of its key, also after its deletion.
	LicenseName string `json:"license_name"`
	// The code of the entitlement.
	Entitlement string `json:"entitlement"`
	// The quantity used in the bucket.
	Quantity int64 `json:"quantity"`
}

// UsagePoint: The usage in one interval.
type UsagePoint struct {
	Answer

	// The start of the bucket.
	BucketStart string `json:"bucket_start"`
	// One sum per entitlement that was used in the bucket.
	Entitlements []UsageSum `json:"entitlements"`
}

// UsageSum: The usage of one entitlement by all licenses.
type UsageSum struct {
	// The code of the entitlement.
	Code     string `json:"code"`
	Quantity int64  `json:"quantity"`
}

// ValidateLicense: Asks whether a license may be used. Every field is optional and adds a condition.
type ValidateLicense struct {
	// The id or the code of the product that the license must belong to.
	Product string `json:"product,omitempty"`
	// The device that the license must be activated for, if its policy requires activation.
	Fingerprint string             `json:"fingerprint,omitempty"`
	Components  *map[string]string `json:"components,omitempty"`
	// The entitlements that the license must grant. If absent, the verdict lists all granted entitlements.
	Entitlements *[]string `json:"entitlements,omitempty"`
	// When your release was published; it must not be after the end of the maintenance.
	VersionReleasedAt *time.Time `json:"version_released_at,omitempty"`
	// The response contains it unchanged. With `proof` it is required and has 16 to 128 characters.
	Nonce *string `json:"nonce,omitempty"`
	// The version of your application. It changes no verdict; the checks of the license show it.
	AppVersion string `json:"app_version,omitempty"`
	// Whether the verdict shall be signed.
	Proof *bool `json:"proof,omitempty"`
}

// Verdict: Whether a license may be used now, and why.
type Verdict struct {
	Answer

	// Whether the license may be used as the request asks.
	Valid bool `json:"valid"`
	// The reason for a verdict. `LICENSE.VALID`: valid without restrictions. Later versions add codes: accept unknown
	// ones, and let `valid` decide. One of: LICENSE.VALID, LICENSE.IN_GRACE, LICENSE.EXPIRED, LICENSE.NOT_FOUND,
	// LICENSE.REVOKED, LICENSE.SUSPENDED, LICENSE.NOT_STARTED, LICENSE.PRODUCT_MISMATCH, LICENSE.MAINTENANCE_EXPIRED,
	// ACTIVATION.FINGERPRINT_REQUIRED, ACTIVATION.NOT_FOUND, ACTIVATION.LEASE_EXPIRED, ACTIVATION.LIMIT_EXCEEDED,
	// ENTITLEMENT.NOT_GRANTED.
	Code string `json:"code"`
	// The reason as an English sentence.
	Detail string `json:"detail"`
	// The time of the verdict, by the service's clock.
	CheckedAt string `json:"checked_at"`
	// The `nonce` of the request.
	Nonce   *string         `json:"nonce"`
	License *VerdictLicense `json:"license"`
	// The activation of the `fingerprint`, if there is one.
	Activation *Activation `json:"activation"`
	// The requested entitlements; without a request, all that the license grants.
	Entitlements []EntitlementCheck `json:"entitlements"`
	// The signed verdict, if the request asked for it: a compact JWS (EdDSA) of type `verdict+jwt`. Verify it with the
	// JWK Set of the tenant, and compare its claims with the question, first of all the `nonce`.
	Proof *string `json:"proof"`
}

// VerdictLicense: The license with its effective limit of activations; null for an unknown key.
type VerdictLicense struct {
	ID string `json:"id"`
	// The product of the policy.
	ProductID string `json:"product_id"`
	PolicyID  string `json:"policy_id"`
	// The license key that the holder enters; unique within the tenant.
	Key string `json:"key"`
	// `pending` before `starts_at`; `expired` after `expires_at`. `revoked` is permanent. One of: pending, active,
	// suspended, revoked, expired.
	Status string `json:"status"`
	// Why the license was suspended, reinstated or revoked; null if nobody said why.
	StatusReason *string `json:"status_reason"`
	// The batch that the license was issued in; null: alone.
	BatchID *string       `json:"batch_id"`
	Holder  LicenseHolder `json:"holder"`
	// The license is pending before this time.
	StartsAt string `json:"starts_at"`
	// The end of the license; null: perpetual, or not determined yet because the term starts with the first use.
	ExpiresAt *string `json:"expires_at"`
	// Releases after this time are not included; null: all releases are included.
	MaintenanceExpiresAt *string `json:"maintenance_expires_at"`
	// The effective limit: the license's own, otherwise its policy's. Null: unlimited.
	MaxActivations *int64 `json:"max_activations"`
	// Your own number of the order, unique among your licenses; null: there is none.
	OrderNumber *string `json:"order_number"`
	// Overrides of the policy's entitlements.
	Entitlements []LicenseEntitlement `json:"entitlements"`
	// The number of activations that are active now.
	ActivationsCount int64 `json:"activations_count"`
	// The number of self-service deactivations.
	DeactivationsCount int64 `json:"deactivations_count"`
	// The time of the newest validation; null before the first.
	LastValidatedAt *string        `json:"last_validated_at"`
	Metadata        map[string]any `json:"metadata"`
	CreatedAt       string         `json:"created_at"`
	UpdatedAt       string         `json:"updated_at"`
}

// WebhookAttempt: One attempt to deliver an event.
type WebhookAttempt struct {
	// When the attempt began.
	At string `json:"at"`
	// `manual` for an attempt that a caller requested. One of: schedule, manual.
	Trigger        string                `json:"trigger"`
	RequestHeaders WebhookRequestHeaders `json:"request_headers"`
	// The HTTP status; null without a response.
	ResponseStatus *int64 `json:"response_status"`
	// The duration in milliseconds.
	DurationMs int64 `json:"duration_ms"`
	// Why the attempt failed, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`.
	Error *string `json:"error"`
	// The first 16 KiB of the response.
	ResponseBody *string `json:"response_body"`
}

// WebhookAttemptSummary: The last attempt so far.
type WebhookAttemptSummary struct {
	// When the attempt began.
	At string `json:"at"`
	// The HTTP status; null without a response.
	ResponseStatus *int64 `json:"response_status"`
	// The duration in milliseconds.
	DurationMs int64 `json:"duration_ms"`
	// Why the attempt failed, such as `timeout`, `dns_failed`, `tls_invalid` or `status_500`.
	Error *string `json:"error"`
}

// WebhookDelivery: A delivery of one event to one endpoint.
type WebhookDelivery struct {
	Answer

	ID string `json:"id"`
	// The webhook endpoint.
	WebhookID string `json:"webhook_id"`
	// The id of the event, sent as `webhook-id`.
	EventID string `json:"event_id"`
	// The type of the event, such as `license.created`.
	EventType string `json:"event_type"`
	// `pending` while attempts follow. One of: pending, succeeded, failed.
	Status string `json:"status"`
	// Why no further attempt follows; `null` unless the delivery failed.
	FailureReason *string `json:"failure_reason"`
	// The time of the next attempt; null if none follows.
	NextAttemptAt *string `json:"next_attempt_at"`
	CreatedAt     string  `json:"created_at"`
	// The body of every attempt, as it is sent.
	RequestBody string `json:"request_body"`
	// The last 100 attempts, oldest first.
	Attempts []WebhookAttempt `json:"attempts"`
}

// WebhookDeliveryCounts: Deliveries created in the last 24 hours.
type WebhookDeliveryCounts struct {
	// At most 1,000.
	Pending int64 `json:"pending"`
	// At most 1,000.
	Succeeded int64 `json:"succeeded"`
	// At most 1,000.
	Failed int64 `json:"failed"`
}

// WebhookDeliverySummary: A delivery of one event to one endpoint, with its last attempt.
type WebhookDeliverySummary struct {
	Answer

	ID string `json:"id"`
	// The webhook endpoint.
	WebhookID string `json:"webhook_id"`
	// The id of the event, sent as `webhook-id`.
	EventID string `json:"event_id"`
	// The type of the event, such as `license.created`.
	EventType string `json:"event_type"`
	// `pending` while attempts follow. One of: pending, succeeded, failed.
	Status string `json:"status"`
	// Why no further attempt follows; `null` unless the delivery failed.
	FailureReason *string `json:"failure_reason"`
	// The time of the next attempt; null if none follows.
	NextAttemptAt *string                `json:"next_attempt_at"`
	CreatedAt     string                 `json:"created_at"`
	LastAttempt   *WebhookAttemptSummary `json:"last_attempt"`
}

// WebhookEndpoint: An endpoint that receives events, without its secret.
type WebhookEndpoint struct {
	Answer

	ID string `json:"id"`
	// The URL that receives events.
	URL string `json:"url"`
	// A note for the users of the tenant.
	Description *string `json:"description"`
	// The subscribed types of events, or `["*"]` for all.
	Events []string `json:"events"`
	// Deliver only events about licenses, devices and usage of this product, and test events. Null: all.
	ProductID *string `json:"product_id"`
	// The own headers, without their values.
	Headers []WebhookHeader `json:"headers"`
	// A disabled endpoint receives nothing. One of: enabled, disabled.
	Status string `json:"status"`
	// `requested`: a caller disabled it. `gone`: it responded with 410. `failing`: at least ten deliveries in a row
	// failed over a day or more. `null`: it is enabled.
	DisabledReason *string `json:"disabled_reason"`
	CreatedAt      string  `json:"created_at"`
	UpdatedAt      string  `json:"updated_at"`
	// Until then deliveries are also signed with the secret before the rotation. Only with `include=details`.
	PreviousSecretExpiresAt *string                `json:"previous_secret_expires_at"`
	Health                  *WebhookEndpointHealth `json:"health"`
}

// WebhookEndpointHealth: The recent deliveries of an endpoint.
type WebhookEndpointHealth struct {
	// True while an enabled endpoint has failed deliveries since the last success, or deliveries to retry.
	IsFailing bool `json:"is_failing"`
	// Deliveries that failed at least once and wait for the next attempt, among the 100 oldest that wait.
	RetryingDeliveries int64 `json:"retrying_deliveries"`
	// Deliveries that failed since the last success.
	FailedDeliveries int64 `json:"failed_deliveries"`
	// When the first of them failed.
	FailingSince *string `json:"failing_since"`
	// From then on a failed delivery disables the endpoint if ten in a row have failed.
	DisabledFrom *string               `json:"disabled_from"`
	LastDelivery *LastWebhookDelivery  `json:"last_delivery"`
	Last24Hours  WebhookDeliveryCounts `json:"last_24_hours"`
}

// WebhookEndpointWithSecret: An endpoint with its new secret.
type WebhookEndpointWithSecret struct {
	Answer

	ID string `json:"id"`
	// The URL that receives events.
	URL string `json:"url"`
	// A note for the users of the tenant.
	Description *string `json:"description"`
	// The subscribed types of events, or `["*"]` for all.
	Events []string `json:"events"`
	// Deliver only events about licenses, devices and usage of this product, and test events. Null: all.
	ProductID *string `json:"product_id"`
	// The own headers, without their values.
	Headers []WebhookHeader `json:"headers"`
	// A disabled endpoint receives nothing. One of: enabled, disabled.
	Status string `json:"status"`
	// `requested`: a caller disabled it. `gone`: it responded with 410. `failing`: at least ten deliveries in a row
	// failed over a day or more. `null`: it is enabled.
	DisabledReason *string `json:"disabled_reason"`
	CreatedAt      string  `json:"created_at"`
	UpdatedAt      string  `json:"updated_at"`
	// Signs deliveries (Standard Webhooks): `whsec_` followed by base64. Only this response contains it. Null in a
	// replayed response of an idempotent request.
	Secret *string `json:"secret"`
}

// WebhookHeader: A header that is sent with each delivery.
type WebhookHeader struct {
	// The name of the header.
	Name string `json:"name"`
	// Never returned. If absent in a change, the stored value stays, unless the URL names another server.
	Value *string `json:"value"`
}

// WebhookHeaderInput: A header that is sent with each delivery.
type WebhookHeaderInput struct {
	// The name of the header.
	Name string `json:"name"`
	// Never returned. If absent in a change, the stored value stays, unless the URL names another server.
	Value string `json:"value,omitempty"`
}

// WebhookRequestHeaders: The headers of the request. The signature is not stored.
type WebhookRequestHeaders struct {
	ContentType      string `json:"content-type"`
	WebhookID        string `json:"webhook-id"`
	WebhookTimestamp string `json:"webhook-timestamp"`
}

// WriteReleaseArtifact: A file of a release.
type WriteReleaseArtifact struct {
	// The operating system of a file. One of: windows, macos, linux, any.
	Platform string `json:"platform"`
	// The processor of a file. One of: x64, arm64, x86, arm, universal, any.
	Arch string `json:"arch"`
	// Its ending tells updaters what it is.
	FileName string `json:"file_name"`
	// The address of the file, https; with `download_storage` of the product it may be private.
	URL string `json:"url"`
	// In bytes.
	Size int64 `json:"size"`
	// Hexadecimal.
	Sha256 string `json:"sha256"`
	// The signature that the updater verifies.
	Signature *Nullable[string] `json:"signature,omitempty"`
}

// YankRelease: Why a release is withdrawn.
type YankRelease struct {
	// Why, for the users of the tenant.
	Reason string `json:"reason"`
}
