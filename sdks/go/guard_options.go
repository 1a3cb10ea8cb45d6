package licensing

import (
	"context"
	"time"
)

// GuardClient are the calls of a guard. A *Client has them.
type GuardClient interface {
	Validate(ctx context.Context, licenseKey string, question Question) (*Verdict, error)
	Activate(ctx context.Context, licenseKey string, device Device) (*Activation, error)
	Heartbeat(ctx context.Context, licenseKey, activationID string) (*Activation, error)
	Deactivate(ctx context.Context, licenseKey, activationID string) (*Deleted, error)
	ListActivations(ctx context.Context, licenseKey string, page Page) (*LicensedDevices, error)
	IssueCertificate(ctx context.Context, licenseKey string, terms CertificateTerms) (*Certificate, error)
	StartTrial(ctx context.Context, trial TrialRequest) (*Trial, error)
	ConfirmTrial(ctx context.Context, code string) (*Trial, error)
}

// GuardOptions are the options of a Guard.
type GuardOptions struct {
	Client GuardClient
	// LicenseKey is the key of the user. If it is empty, the guard uses the key of StartTrial or Activate, which it keeps in
	// its store; without one it is unlicensed with LICENSE.KEY_MISSING.
	LicenseKey string
	// Store keeps the certificate between runs. Without a lasting store, the application cannot start offline.
	Store Store
	// Product is the code of the product.
	Product string
	// Fingerprint identifies this machine, as MachineFingerprint does. With it, the guard takes a seat and binds the
	// certificate to this machine. If it fails, the guard is unlicensed. Nil: the license needs no seat.
	Fingerprint func() (string, error)
	// Components returns the parts of this machine, as MachineComponents does. They go with the fingerprint, so that a
	// policy can recognise the machine after a repair. If it fails, they are left out.
	Components func() (map[string]string, error)
	// DeviceName is the name of the device in the vendor's list of activations.
	DeviceName string
	// AppVersion is the version of the application, which the vendor sees in the checks of the license.
	AppVersion string
	// Entitlements are those without which the application must not be used.
	Entitlements []string
	// VersionReleasedAt is when this version of the application was released, for licenses whose maintenance ends.
	VersionReleasedAt time.Time
	// JWKS are the public keys of the vendor, embedded in the application: every answer must be signed, and the certificate
	// lets the application continue offline. Required without Unsigned.
	JWKS *JWKS
	// Unsigned makes a guard without JWKS, which believes any server that says yes and works online only.
	Unsigned bool
	// Issuer is the PUBLIC_URL of the service. Required with JWKS.
	Issuer string
	// Audience is the id of the vendor's tenant. Required with JWKS.
	Audience string
	// Language is the language of State.Message: "en", "de" or "fr", also as "de-AT". English stands for every other one.
	Language string
	// CheckInterval is the time between two checks, ±10 %; 0 means one hour.
	CheckInterval time.Duration
	// RetryInterval is the time to the next check after a failed one. It doubles up to CheckInterval; 0 means 30 seconds.
	RetryInterval time.Duration
	// ClockTolerance is by how much the clock may be set back before the certificate no longer counts; 0 means 5 minutes.
	ClockTolerance time.Duration
	// OnChange is called at each change of the status, its reason, the entitlements or the details of the license.
	OnChange func(state State)
	// OnError hears when the store failed. The guard goes on, but may not start offline next time.
	OnError func(failure *Error)
	// Clock replaces the time of the system in a test.
	Clock Clock
}

func (o *GuardOptions) complete() error {
	if o.Client == nil {
		return configurationError("Client must be a *Client.")
	}
	if o.Store == nil {
		return configurationError("Store must be a store, such as MemoryStore() or FileStore(path).")
	}
	if o.JWKS == nil && !o.Unsigned {
		return configurationError("Pass JWKS, the public keys of the vendor (Client.JWKS returns them), with Issuer and " +
			"Audience. Without keys, anybody can run a server that says yes; who accepts that passes Unsigned.")
	}
	if o.JWKS != nil && o.Unsigned {
		return configurationError("Pass either JWKS or Unsigned: with keys, every answer must be signed.")
	}
	if o.JWKS != nil {
		if err := (Verification{JWKS: *o.JWKS, Issuer: o.Issuer, Audience: o.Audience}).check(); err != nil {
			return err
		}
	}
	if o.CheckInterval < 0 || o.RetryInterval < 0 || o.ClockTolerance < 0 {
		return configurationError("CheckInterval, RetryInterval and ClockTolerance must be positive.")
	}
	o.CheckInterval = orDefault(o.CheckInterval, time.Hour)
	o.RetryInterval = orDefault(o.RetryInterval, 30*time.Second)
	o.ClockTolerance = orDefault(o.ClockTolerance, 5*time.Minute)
	o.Clock = orSystem(o.Clock)
	return nil
}

func orDefault(given, standard time.Duration) time.Duration {
	if given == 0 {
		return standard
	}
	return given
}

// machine returns the fingerprint of this machine, or "" if the application has none.
func (o *GuardOptions) machine() (string, error) {
	if o.Fingerprint == nil {
		return "", nil
	}
	fingerprint, err := o.Fingerprint()
	if err == nil && fingerprint == "" {
		err = configurationError("Fingerprint returned an empty text.")
	}
	if err != nil {
		failure := wrapped(CodeFingerprintUnavailable, err, "Pass another Fingerprint.")
		return "", &Error{Code: CodeFingerprintUnavailable, Message: failure.Message, Cause: err}
	}
	return fingerprint, nil
}

// components returns the components that go with a fingerprint; nil: none. The fingerprint identifies the machine without
// them too, so a failure does not count.
func (o *GuardOptions) components(fingerprint string) map[string]string {
	if o.Components == nil || fingerprint == "" {
		return nil
	}
	components, err := o.Components()
	if err != nil {
		return nil
	}
	return components
}
