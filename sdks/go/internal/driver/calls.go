package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	licensing "licensing.example.com/sdk"
)

// given are the arguments of a call. A pointer tells an argument that was not given from an empty one.
type given struct {
	LicenseKey            *string           `json:"license_key"`
	ActivationID          string            `json:"activation_id"`
	Product               string            `json:"product"`
	Fingerprint           string            `json:"fingerprint"`
	Components            map[string]string `json:"components"`
	Entitlements          []string          `json:"entitlements"`
	VersionReleasedAt     *string           `json:"version_released_at"`
	Nonce                 string            `json:"nonce"`
	Proof                 bool              `json:"proof"`
	Name                  string            `json:"name"`
	Hostname              string            `json:"hostname"`
	Platform              string            `json:"platform"`
	Metadata              map[string]any    `json:"metadata"`
	Limit                 int               `json:"limit"`
	Cursor                string            `json:"cursor"`
	Email                 string            `json:"email"`
	Code                  string            `json:"code"`
	TTLSeconds            int64             `json:"ttl_seconds"`
	TenantID              string            `json:"tenant_id"`
	Token                 json.RawMessage   `json:"token"`
	Events                []licensing.UsageEvent
	JWKS                  licensing.JWKS  `json:"jwks"`
	Issuer                string          `json:"issuer"`
	Audience              string          `json:"audience"`
	LicenseID             string          `json:"license_id"`
	Now                   *float64        `json:"now"`
	ClockToleranceSeconds *float64        `json:"clock_tolerance_seconds"`
	ToleranceSeconds      float64         `json:"tolerance_seconds"`
	Verdict               json.RawMessage `json:"verdict"`
	Body                  json.RawMessage `json:"body"`
	Headers               json.RawMessage `json:"headers"`
	Secret                json.RawMessage `json:"secret"`
	File                  string          `json:"file"`
	MachineID             string          `json:"machine_id"`
	StoredID              string          `json:"stored_id"`
	System                *system         `json:"system"`
}

func read(arguments json.RawMessage) (given, error) {
	var one given
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	if err := decoder.Decode(&one); err != nil {
		return one, invalid(err.Error())
	}
	return one, nil
}

// invalid is the message of Go's compiler for a value of another type.
func invalid(message string) error {
	return &licensing.Error{Code: licensing.CodeConfigurationInvalid, Message: message}
}

func (g given) releasedAt() (time.Time, error) {
	if g.VersionReleasedAt == nil {
		return time.Time{}, nil
	}
	moment, err := time.Parse(time.RFC3339Nano, *g.VersionReleasedAt)
	if err != nil {
		return time.Time{}, invalid(err.Error())
	}
	return moment, nil
}

func online(client *licensing.Client, operation string, arguments json.RawMessage) (any, error) {
	if operation == "latest_release" || operation == "download_release" {
		return release(client, operation, arguments)
	}
	one, err := read(arguments)
	if err != nil {
		return nil, err
	}
	if operation != "jwks" && operation != "start_trial" && operation != "confirm_trial" && one.LicenseKey == nil {
		return nil, invalid("A license key must be a text.")
	}
	releasedAt, err := one.releasedAt()
	if err != nil {
		return nil, err
	}
	key := ""
	if one.LicenseKey != nil {
		key = *one.LicenseKey
	}
	ctx := context.Background()
	switch operation {
	case "validate":
		question := licensing.Question{
			Product: one.Product, Fingerprint: one.Fingerprint, Entitlements: one.Entitlements,
			VersionReleasedAt: releasedAt, Nonce: one.Nonce, Proof: one.Proof, Components: one.Components,
		}
		return rawOf(client.Validate(ctx, key, question))
	case "activate":
		device := licensing.Device{
			Fingerprint: one.Fingerprint, Components: one.Components, Name: one.Name, Hostname: one.Hostname,
			Platform: one.Platform, Metadata: one.Metadata,
		}
		return rawOf(client.Activate(ctx, key, device))
	case "list_activations":
		page := licensing.Page{
			Fingerprint: one.Fingerprint, Components: one.Components, Limit: one.Limit, Cursor: one.Cursor,
		}
		return rawOf(client.ListActivations(ctx, key, page))
	case "start_trial":
		trial := licensing.TrialRequest{
			Product: one.Product, Fingerprint: one.Fingerprint, Components: one.Components, Email: one.Email, Name: one.Name,
		}
		return rawOf(client.StartTrial(ctx, trial))
	case "confirm_trial":
		return rawOf(client.ConfirmTrial(ctx, one.Code))
	case "heartbeat":
		return rawOf(client.Heartbeat(ctx, key, one.ActivationID))
	case "deactivate":
		return rawOf(client.Deactivate(ctx, key, one.ActivationID))
	case "check_entitlements":
		return rawOf(client.CheckEntitlements(ctx, key, one.Entitlements))
	case "report_usage":
		return rawOf(client.ReportUsage(ctx, key, one.Events))
	case "issue_certificate":
		terms := licensing.CertificateTerms{
			Fingerprint: one.Fingerprint, Components: one.Components, TTLSeconds: one.TTLSeconds,
		}
		return rawOf(client.IssueCertificate(ctx, key, terms))
	case "jwks":
		return rawOf(client.JWKS(ctx, one.TenantID))
	}
	return nil, fmt.Errorf("there is no operation %s", operation)
}

// rawOf returns the text of an answer: nothing of it may be lost.
func rawOf(answer any, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	switch result := answer.(type) {
	case *licensing.Verdict:
		return result.Raw, nil
	case *licensing.Activation:
		return result.Raw, nil
	case *licensing.LicensedDevices:
		return result.Raw, nil
	case *licensing.Trial:
		return result.Raw, nil
	case *licensing.Deleted:
		return result.Raw, nil
	case *licensing.EntitlementChecks:
		return result.Raw, nil
	case *licensing.UsageReport:
		return result.Raw, nil
	case *licensing.Certificate:
		return result.Raw, nil
	case *licensing.JWKS:
		return result.Raw, nil
	}
	return nil, fmt.Errorf("there is no raw form of %T", answer)
}

func offline(operation string, arguments json.RawMessage) (any, error) {
	one, err := read(arguments)
	if err != nil {
		return nil, err
	}
	switch operation {
	case "verify_certificate":
		return verifyCertificate(one)
	case "verify_verdict":
		return verifyVerdict(one)
	case "verify_webhook":
		return verifyWebhook(one)
	case "machine_fingerprint", "machine_components":
		return fingerprint(operation, one)
	case "offline_request":
		device := licensing.OfflineDevice{
			Product: one.Product, Fingerprint: one.Fingerprint, Name: one.Name, Hostname: one.Hostname,
			Platform: one.Platform, Now: one.now(),
		}
		text, err := licensing.OfflineRequest(device)
		return json.RawMessage(text), err
	case "read_certificate_file":
		return licensing.ReadCertificateFile(one.File)
	}
	return nil, fmt.Errorf("there is no operation %s", operation)
}

func (g given) now() time.Time {
	if g.Now == nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(*g.Now * 1000))
}

func (g given) verification() licensing.Verification {
	expected := licensing.Verification{JWKS: g.JWKS, Issuer: g.Issuer, Audience: g.Audience, Now: g.now()}
	if g.ClockToleranceSeconds != nil {
		tolerance := time.Duration(*g.ClockToleranceSeconds * float64(time.Second))
		expected.ClockTolerance = &tolerance
	}
	return expected
}

func verifyCertificate(one given) (any, error) {
	releasedAt, err := one.releasedAt()
	if err != nil {
		return nil, err
	}
	var token string
	_ = json.Unmarshal(one.Token, &token)
	expected := licensing.CertificateExpectation{
		Verification: one.verification(), Fingerprint: one.Fingerprint, Product: one.Product, VersionReleasedAt: releasedAt,
	}
	verdict, err := licensing.VerifyCertificate(token, expected)
	if err != nil {
		return nil, err
	}
	return withUnknownFields(verdict, verdict.Entitlements), nil
}

// withUnknownFields returns a result with the fields of its entitlements that this module does not know.
func withUnknownFields(result any, entitlements []licensing.Entitlement) any {
	text, _ := json.Marshal(result)
	var object map[string]any
	_ = json.Unmarshal(text, &object)
	listed, _ := object["entitlements"].([]any)
	for i, one := range entitlements {
		var raw map[string]any
		_ = json.Unmarshal(one.Raw, &raw)
		known, _ := listed[i].(map[string]any)
		for name, value := range raw {
			if _, isKnown := known[name]; !isKnown {
				known[name] = value
			}
		}
	}
	return object
}

func verifyVerdict(one given) (any, error) {
	releasedAt, err := one.releasedAt()
	if err != nil {
		return nil, err
	}
	key := ""
	if one.LicenseKey != nil {
		key = *one.LicenseKey
	}
	var verdict licensing.Verdict
	if err := json.Unmarshal(one.Verdict, &verdict); err != nil {
		return nil, invalid(err.Error())
	}
	expected := licensing.VerdictExpectation{
		Verification: one.verification(), Nonce: one.Nonce, LicenseKey: key, LicenseID: one.LicenseID, Product: one.Product,
		Fingerprint: one.Fingerprint, Entitlements: one.Entitlements, VersionReleasedAt: releasedAt,
	}
	return licensing.VerifyVerdict(&verdict, expected)
}

func verifyWebhook(one given) (any, error) {
	var body string
	var raw []byte
	if json.Unmarshal(one.Body, &body) == nil && string(one.Body) != "null" {
		raw = []byte(body)
	}
	secrets, err := secretsIn(one.Secret)
	if err != nil {
		return nil, err
	}
	var headers map[string]string
	if err := json.Unmarshal(one.Headers, &headers); err != nil {
		return nil, invalid(err.Error())
	}
	var header http.Header
	if headers != nil {
		header = http.Header{}
		for name, value := range headers {
			header[name] = []string{value}
		}
	}
	tolerance := time.Duration(one.ToleranceSeconds * float64(time.Second))
	event, err := licensing.VerifyWebhook(raw, header, secrets, licensing.WebhookExpectation{Tolerance: tolerance, Now: one.now()})
	if err != nil {
		return nil, err
	}
	return event.Raw, nil
}

func secretsIn(text json.RawMessage) ([]string, error) {
	var secret *string
	if json.Unmarshal(text, &secret) == nil {
		if secret == nil {
			return []string{""}, nil
		}
		return []string{*secret}, nil
	}
	var several []*string
	if err := json.Unmarshal(text, &several); err != nil {
		return nil, invalid(err.Error())
	}
	secrets := []string{}
	for _, one := range several {
		if one == nil {
			one = new(string)
		}
		secrets = append(secrets, *one)
	}
	return secrets, nil
}

// system is what a case says that the operating system contains.
type system struct {
	Platform    string            `json:"platform"`
	Env         map[string]string `json:"env"`
	Files       map[string]string `json:"files"`
	IOReg       *string           `json:"ioreg"`
	MachineGUID *string           `json:"machine_guid"`
	HardwareID  *string           `json:"hardware_id"`
	CPUName     *string           `json:"cpu_name"`
}

func (s *system) contents() *licensing.System {
	platform := s.Platform
	if platform == "win32" {
		platform = "windows"
	}
	return &licensing.System{
		Platform: platform,
		Getenv: func(name string) (string, bool) {
			value, isSet := s.Env[name]
			return value, isSet
		},
		ReadFile: func(path string) ([]byte, error) {
			text, exists := s.Files[path]
			if !exists {
				return nil, os.ErrNotExist
			}
			return []byte(text), nil
		},
		Run: func(program string, arguments ...string) ([]byte, error) {
			registry := map[string]*string{
				"MachineGuid": s.MachineGUID, "LastConfig": s.HardwareID, "ProcessorNameString": s.CPUName,
			}
			printed := s.IOReg
			if platform == "windows" {
				name := arguments[3]
				printed = registry[name]
				if printed != nil {
					return []byte("\r\n    " + name + "    REG_SZ    " + *printed + "\r\n\r\n"), nil
				}
			} else if strings.HasSuffix(program, "sysctl") {
				printed = s.CPUName
			}
			if printed == nil {
				return nil, os.ErrNotExist
			}
			return []byte(*printed), nil
		},
	}
}

func fingerprint(operation string, one given) (any, error) {
	options := licensing.FingerprintOptions{Product: one.Product, MachineID: one.MachineID}
	if one.System != nil {
		folder, err := os.MkdirTemp("", "licensing-conformance-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		options.System = one.System.contents()
		options.Path = filepath.Join(folder, "machine-id")
		if err := os.WriteFile(options.Path, []byte(one.StoredID), 0o600); err != nil {
			return nil, err
		}
	}
	if operation == "machine_components" {
		components, err := licensing.MachineComponents(options)
		return map[string]any{"components": components}, err
	}
	made, err := licensing.MachineFingerprint(options)
	return map[string]any{"fingerprint": made}, err
}
