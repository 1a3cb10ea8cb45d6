package licensing

import (
	"context"
	"time"
)

// Question are the conditions of Validate. What is empty was not asked.
type Question struct {
	// Product is the code of the product that the license must belong to.
	Product     string
	Fingerprint string
	// Components are the parts of this device, as MachineComponents returns them. They go with the fingerprint.
	Components map[string]string
	// Entitlements must all be granted. An empty list that is not nil is sent.
	Entitlements []string
	// VersionReleasedAt is when this version of the application was released, for licenses whose maintenance ends.
	VersionReleasedAt time.Time
	AppVersion        string
	// Nonce is repeated by the answer.
	Nonce string
	// Proof asks for a signed verdict, for VerifyVerdict. Without a Nonce, the client makes one.
	Proof bool
}

// Device describes this device to the people who manage licenses.
type Device struct {
	Fingerprint string
	// Components are the parts of this device, as MachineComponents returns them. They go with the fingerprint.
	Components map[string]string
	Name       string
	Hostname   string
	Platform   string
	AppVersion string
	// Metadata belongs to the application.
	Metadata map[string]any
}

// Validate asks for a verdict on a license. A negative verdict is a result, not an error.
func (c *Client) Validate(ctx context.Context, licenseKey string, question Question) (*Verdict, error) {
	if question.Proof && question.Nonce == "" {
		question.Nonce = randomKey()
	}
	fields := map[string]any{
		"product": question.Product, "fingerprint": question.Fingerprint, "app_version": question.AppVersion,
		"nonce": question.Nonce, "components": question.Components,
	}
	if question.Entitlements != nil {
		fields["entitlements"] = question.Entitlements
	}
	if !question.VersionReleasedAt.IsZero() {
		fields["version_released_at"] = timestamp(question.VersionReleasedAt)
	}
	if question.Proof {
		fields["proof"] = true
	}
	request, err := post(licenseKey, "validate", fields)
	if err != nil {
		return nil, err
	}
	request.required = map[string]byte{"valid": kindBoolean, "code": kindText}
	if question.Proof {
		request.nonce = question.Nonce
	}
	return resultOf(c, ctx, request, func(verdict *Verdict, raw Raw) { verdict.Raw = raw })
}

// Activate takes a seat for this device. An active device gets its activation again. A refusal is an error with the code
// of the service, for example ACTIVATION.LIMIT_REACHED.
func (c *Client) Activate(ctx context.Context, licenseKey string, device Device) (*Activation, error) {
	fields := map[string]any{
		"fingerprint": device.Fingerprint, "name": device.Name, "hostname": device.Hostname,
		"platform": device.Platform, "app_version": device.AppVersion, "components": device.Components,
	}
	if device.Metadata != nil {
		fields["metadata"] = device.Metadata
	}
	request, err := post(licenseKey, "activations", fields)
	if err != nil {
		return nil, err
	}
	request.idempotencyKey = randomKey()
	return activationOf(c, ctx, request)
}

// Heartbeat renews the lease of an activation. An error with the status 404 says that the seat was freed: activate again.
func (c *Client) Heartbeat(ctx context.Context, licenseKey, activationID string) (*Activation, error) {
	request, err := post(licenseKey, "activations/"+segment(activationID)+"/heartbeat", nil)
	if err != nil {
		return nil, err
	}
	return activationOf(c, ctx, request)
}

// Deactivate frees the seat of an activation: of this device, or of one that ListActivations lists.
func (c *Client) Deactivate(ctx context.Context, licenseKey, activationID string) (*Deleted, error) {
	request, err := post(licenseKey, "activations/"+segment(activationID)+"/deactivate", nil)
	if err != nil {
		return nil, err
	}
	return resultOf(c, ctx, request, func(deleted *Deleted, raw Raw) { deleted.Raw = raw })
}

// Page chooses a page of ListActivations.
type Page struct {
	// Fingerprint is the one of this device, so that IsThisDevice can say which one it is.
	Fingerprint string
	Components  map[string]string
	// Limit is the number of devices, up to 100; 0 means 25.
	Limit  int
	Cursor string
}

// ListActivations lists the devices that hold a seat, newest first and with masked names.
func (c *Client) ListActivations(ctx context.Context, licenseKey string, page Page) (*LicensedDevices, error) {
	fields := map[string]any{"fingerprint": page.Fingerprint, "components": page.Components, "cursor": page.Cursor}
	if page.Limit != 0 {
		fields["limit"] = page.Limit
	}
	request, err := post(licenseKey, "activations/list", fields)
	if err != nil {
		return nil, err
	}
	return resultOf(c, ctx, request, func(devices *LicensedDevices, raw Raw) { devices.Raw = raw })
}

// CheckEntitlements returns what the license grants of the given entitlements; with nil, of all.
func (c *Client) CheckEntitlements(ctx context.Context, licenseKey string, codes []string) (*EntitlementChecks, error) {
	fields := map[string]any{}
	if codes != nil {
		fields["entitlements"] = codes
	}
	request, err := post(licenseKey, "entitlements/check", fields)
	if err != nil {
		return nil, err
	}
	return resultOf(c, ctx, request, func(checks *EntitlementChecks, raw Raw) { checks.Raw = raw })
}

// ReportUsage reports 1 to 1,000 events. A retry has the first result and counts nothing twice. An event without an
// IdempotencyKey gets one. Refused events are in the result.
func (c *Client) ReportUsage(ctx context.Context, licenseKey string, events []UsageEvent) (*UsageReport, error) {
	withKeys := make([]UsageEvent, len(events))
	for i, event := range events {
		withKeys[i] = event
		if event.IdempotencyKey == "" {
			withKeys[i].IdempotencyKey = randomKey()
		}
	}
	request, err := post(licenseKey, "usage", map[string]any{"events": withKeys})
	if err != nil {
		return nil, err
	}
	request.idempotencyKey = randomKey()
	return resultOf(c, ctx, request, func(report *UsageReport, raw Raw) { report.Raw = raw })
}

// CertificateTerms are the terms of IssueCertificate.
type CertificateTerms struct {
	// Fingerprint binds the certificate to a device that has a seat.
	Fingerprint string
	Components  map[string]string
	// TTLSeconds is how long it runs; 0 means as long as the policy allows.
	TTLSeconds int64
}

// IssueCertificate issues a signed certificate, which VerifyCertificate verifies without a network.
func (c *Client) IssueCertificate(ctx context.Context, licenseKey string, terms CertificateTerms) (*Certificate, error) {
	fields := map[string]any{"fingerprint": terms.Fingerprint, "components": terms.Components}
	if terms.TTLSeconds != 0 {
		fields["ttl_seconds"] = terms.TTLSeconds
	}
	request, err := post(licenseKey, "certificate", fields)
	if err != nil {
		return nil, err
	}
	return resultOf(c, ctx, request, func(certificate *Certificate, raw Raw) { certificate.Raw = raw })
}

// TrialRequest says who tries which product.
type TrialRequest struct {
	Product     string
	Fingerprint string
	Components  map[string]string
	Email       string
	Name        string
	DeviceName  string
}

// StartTrial starts the trial of a product on this device, or returns the one that it had. The API key needs the scope
// trials:create.
func (c *Client) StartTrial(ctx context.Context, trial TrialRequest) (*Trial, error) {
	fields := map[string]any{
		"product": trial.Product, "fingerprint": trial.Fingerprint, "components": trial.Components,
		"email": trial.Email, "name": trial.Name,
	}
	if trial.DeviceName != "" {
		fields["device"] = map[string]any{"name": trial.DeviceName}
	}
	return c.trial(ctx, "trials", fields, map[string]byte{"status": kindText})
}

// ConfirmTrial confirms the address of a trial with the code from the mail. A repeated call returns the same trial.
func (c *Client) ConfirmTrial(ctx context.Context, code string) (*Trial, error) {
	return c.trial(ctx, "trials/confirm", map[string]any{"code": code}, map[string]byte{"license_key": kindText})
}

func (c *Client) trial(ctx context.Context, path string, fields map[string]any, required map[string]byte) (*Trial, error) {
	request, err := send(path, fields)
	if err != nil {
		return nil, err
	}
	request.required = required
	return resultOf(c, ctx, request, func(trial *Trial, raw Raw) { trial.Raw = raw })
}

// JWKS returns the public signing keys of a vendor. The request carries no API key.
func (c *Client) JWKS(ctx context.Context, tenantID string) (*JWKS, error) {
	request := apiRequest{
		method: "GET", path: "/api/v1/tenants/" + segment(tenantID) + "/jwks.json", isPublic: true,
		required: map[string]byte{"keys": kindList},
	}
	return resultOf(c, ctx, request, func(jwks *JWKS, raw Raw) { jwks.Raw = raw })
}

func activationOf(c *Client, ctx context.Context, request apiRequest) (*Activation, error) {
	return resultOf(c, ctx, request, func(activation *Activation, raw Raw) { activation.Raw = raw })
}

// resultOf performs a request and returns its decoded answer, which keeps the text of the answer.
func resultOf[T any](c *Client, ctx context.Context, request apiRequest, keep func(*T, Raw)) (*T, error) {
	raw, err := c.perform(ctx, request)
	if err != nil {
		return nil, err
	}
	result := new(T)
	if err := decodeInto(raw, result); err != nil {
		return nil, err
	}
	keep(result, raw)
	return result, nil
}
