package licensing

import "encoding/json"

// Raw is the answer of the service as it came: fields that a newer service adds are there.
type Raw = json.RawMessage

// Entitlement is what a license grants of one entitlement. Counters are nil offline, where they are unknown.
type Entitlement struct {
	Code      string  `json:"code"`
	Type      *string `json:"type"`
	HasAccess bool    `json:"has_access"`
	// Value is a text, a number or a boolean, or nil.
	Value     any     `json:"value"`
	Limit     *int64  `json:"limit"`
	Usage     *int64  `json:"usage"`
	Remaining *int64  `json:"remaining"`
	Overage   *string `json:"overage"`
	ResetsAt  *string `json:"resets_at"`
	ExpiresAt *string `json:"expires_at"`
	Source    *string `json:"source"`
	// Reason is the code of the refusal, or nil.
	Reason *string `json:"reason"`
	Raw    Raw     `json:"-"`
}

// UnmarshalJSON also keeps the text, whose further fields a newer service may have added.
func (e *Entitlement) UnmarshalJSON(text []byte) error {
	type plain Entitlement
	if err := json.Unmarshal(text, (*plain)(e)); err != nil {
		return err
	}
	e.Raw = append(Raw{}, text...)
	return nil
}

// Holder is the person or company that holds a license.
type Holder struct {
	Name      *string `json:"name"`
	Email     *string `json:"email"`
	Reference *string `json:"reference"`
}

// License is the license of a verdict. MaxActivations is the effective limit; nil means unlimited.
type License struct {
	ID                   string         `json:"id"`
	ProductID            string         `json:"product_id"`
	PolicyID             string         `json:"policy_id"`
	Key                  string         `json:"key"`
	Status               string         `json:"status"`
	Holder               Holder         `json:"holder"`
	StartsAt             *string        `json:"starts_at"`
	ExpiresAt            *string        `json:"expires_at"`
	MaintenanceExpiresAt *string        `json:"maintenance_expires_at"`
	MaxActivations       *int64         `json:"max_activations"`
	ActivationsCount     int64          `json:"activations_count"`
	Metadata             map[string]any `json:"metadata"`
}

// Activation is a device that uses a seat of a license.
type Activation struct {
	ID              string         `json:"id"`
	LicenseID       string         `json:"license_id"`
	Fingerprint     string         `json:"fingerprint"`
	Name            *string        `json:"name"`
	Hostname        *string        `json:"hostname"`
	Platform        *string        `json:"platform"`
	Status          string         `json:"status"`
	LastHeartbeatAt string         `json:"last_heartbeat_at"`
	LeaseExpiresAt  *string        `json:"lease_expires_at"`
	Metadata        map[string]any `json:"metadata"`
	CreatedAt       string         `json:"created_at"`
	Raw             Raw            `json:"-"`
}

// Verdict is the answer of Validate.
type Verdict struct {
	Valid        bool          `json:"valid"`
	Code         string        `json:"code"`
	Detail       string        `json:"detail"`
	CheckedAt    string        `json:"checked_at"`
	Nonce        *string       `json:"nonce"`
	License      *License      `json:"license"`
	Activation   *Activation   `json:"activation"`
	Entitlements []Entitlement `json:"entitlements"`
	// Proof is present if it was requested: see VerifyVerdict.
	Proof *string `json:"proof"`
	Raw   Raw     `json:"-"`
}

// String returns the code and the detail.
func (v *Verdict) String() string { return v.Code + ": " + v.Detail }

// LicensedDevice is a device that holds a seat, as the holder of the license may see it. Name is masked.
type LicensedDevice struct {
	ID              string  `json:"id"`
	Name            *string `json:"name"`
	Platform        *string `json:"platform"`
	LastHeartbeatAt string  `json:"last_heartbeat_at"`
	CreatedAt       string  `json:"created_at"`
	IsThisDevice    bool    `json:"is_this_device"`
}

// LicensedDevices is the answer of ListActivations. NextCursor is the cursor of the next page; nil: no more.
type LicensedDevices struct {
	Activations []LicensedDevice `json:"activations"`
	NextCursor  *string          `json:"next_cursor"`
	Raw         Raw              `json:"-"`
}

// EntitlementChecks is the answer of CheckEntitlements.
type EntitlementChecks struct {
	Entitlements []Entitlement `json:"entitlements"`
	Raw          Raw           `json:"-"`
}

// Deleted is the answer of Deactivate.
type Deleted struct {
	Deleted bool   `json:"deleted"`
	ID      string `json:"id"`
	Raw     Raw    `json:"-"`
}

// UsageEvent is one consumption of a metered entitlement. Events with the same IdempotencyKey are counted once.
type UsageEvent struct {
	Entitlement    string `json:"entitlement"`
	Quantity       int64  `json:"quantity"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	// OccurredAt is an ISO 8601 text with a zone; "" means the time of the report.
	OccurredAt string `json:"occurred_at,omitempty"`
}

// UsageResult is what the service did with one event: "accepted", "duplicate" or "refused".
type UsageResult struct {
	Index  int     `json:"index"`
	Status string  `json:"status"`
	Reason *string `json:"reason"`
}

// UsageCounter is the consumption of one entitlement in the current period.
type UsageCounter struct {
	Code      string  `json:"code"`
	Usage     int64   `json:"usage"`
	Limit     *int64  `json:"limit"`
	Remaining *int64  `json:"remaining"`
	ResetsAt  *string `json:"resets_at"`
}

// UsageReport is the answer of ReportUsage.
type UsageReport struct {
	Results  []UsageResult  `json:"results"`
	Counters []UsageCounter `json:"counters"`
	Raw      Raw            `json:"-"`
}

// Certificate is an offline certificate: a token for VerifyCertificate.
type Certificate struct {
	Certificate string `json:"certificate"`
	ExpiresAt   string `json:"expires_at"`
	Raw         Raw    `json:"-"`
}

// Trial is the answer of StartTrial and ConfirmTrial. With the Status "confirmation_required" it has no key yet: the user
// receives a code by mail, for ConfirmTrial.
type Trial struct {
	Status        string      `json:"status"`
	LicenseKey    string      `json:"license_key"`
	LicenseStatus string      `json:"license_status"`
	Email         string      `json:"email"`
	ExpiresAt     *string     `json:"expires_at"`
	Activation    *Activation `json:"activation"`
	Raw           Raw         `json:"-"`
}

// JWK is a public signing key of a vendor (RFC 8037).
type JWK struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
	Kid string `json:"kid"`
	Alg string `json:"alg,omitempty"`
	Use string `json:"use,omitempty"`
}

// JWKS is the set of public signing keys of a vendor (RFC 7517). Embed it in the application when you build it: keys that
// it loads at run time are as trustworthy as the connection.
type JWKS struct {
	Keys []JWK `json:"keys"`
	Raw  Raw   `json:"-"`
}
