package licensing

import (
	"encoding/json"
	"time"
)

// CertificateExpectation is what a certificate must be for. What is empty is not checked.
type CertificateExpectation struct {
	Verification
	// Fingerprint is the one of this device.
	Fingerprint string
	// Product is the code of the product.
	Product string
	// VersionReleasedAt is when this version of the application was released.
	VersionReleasedAt time.Time
}

// CertifiedLicense is what a certificate says about its license. ExpiresAt is the end of the license without its grace
// period; the certificate may end earlier. Nil means never, unlimited, or not said.
type CertifiedLicense struct {
	ID                   string          `json:"id"`
	KeyHint              string          `json:"key_hint"`
	Product              string          `json:"product"`
	Policy               string          `json:"policy"`
	ExpiresAt            *string         `json:"expires_at"`
	MaintenanceExpiresAt *string         `json:"maintenance_expires_at"`
	Holder               CertifiedHolder `json:"holder"`
	MaxActivations       *int64          `json:"max_activations"`
}

// CertifiedHolder is the holder that a certificate names.
type CertifiedHolder struct {
	Name *string `json:"name"`
}

// CertifiedActivation is the device that a certificate was issued for.
type CertifiedActivation struct {
	Fingerprint string `json:"fingerprint"`
}

// CertificateVerdict is the result of VerifyCertificate. License, Activation and Claims are nil unless the signature is
// right, and no entitlement has access unless Valid.
type CertificateVerdict struct {
	Valid        bool                 `json:"valid"`
	Code         string               `json:"code"`
	Detail       string               `json:"detail"`
	CheckedAt    string               `json:"checked_at"`
	Nonce        *string              `json:"nonce"`
	License      *CertifiedLicense    `json:"license"`
	Activation   *CertifiedActivation `json:"activation"`
	Entitlements []Entitlement        `json:"entitlements"`
	Claims       Claims               `json:"claims"`
}

// VerifyCertificate verifies an offline certificate without a network. The code is LICENSE.VALID,
// LICENSE.MAINTENANCE_EXPIRED or CERTIFICATE.… . The error is CONFIGURATION.INVALID for an expectation that cannot work;
// nothing in a certificate makes it fail. Certificates of services before version 1.1 do not name the end of the
// maintenance and pass with every VersionReleasedAt.
func VerifyCertificate(token string, expected CertificateExpectation) (*CertificateVerdict, error) {
	if err := expected.check(); err != nil {
		return nil, err
	}
	signed, refused := readToken(token, "license+jwt", expected.Verification)
	claims := certificateClaims(signed)
	now := expected.moment()
	switch {
	case refused != nil:
		return certificateVerdict(claims, now, "CERTIFICATE."+refused.reason, refused.detail), nil
	case claims == nil:
		return certificateVerdict(nil, now, "CERTIFICATE.MALFORMED", "It is no certificate. Fetch it again."), nil
	case expected.Product != "" && claims.text("product") != expected.Product:
		detail := "It is for another product. Check Product and the license key."
		return certificateVerdict(claims, now, "CERTIFICATE.PRODUCT_MISMATCH", detail), nil
	case expected.Fingerprint != "" && claims.text("fingerprint") != expected.Fingerprint:
		detail := "It is for another device. Activate this one."
		return certificateVerdict(claims, now, "CERTIFICATE.FINGERPRINT_MISMATCH", detail), nil
	}
	end, hasEnd := momentOf(claims.text("maintenance_expires_at"))
	if hasEnd && expected.VersionReleasedAt.After(end) {
		detail := "The maintenance of the license ended before this version: " + claims.text("maintenance_expires_at") +
			". Renew it, or use an older version."
		return certificateVerdict(claims, now, codeMaintenanceExpired, detail), nil
	}
	return certificateVerdict(claims, now, codeValid, "The certificate is valid."), nil
}

// certificateClaims returns the claims, with nil for those that a service before version 1.1 does not make. It returns nil
// if they are not those of a certificate.
func certificateClaims(signed Claims) Claims {
	if signed == nil {
		return nil
	}
	claims := Claims{"license_expires_at": nil, "maintenance_expires_at": nil, "holder_name": nil, "seats": nil}
	for name, value := range signed {
		claims[name] = value
	}
	for _, name := range []string{"sub", "product", "policy", "key_hint"} {
		if _, isText := claims[name].(string); !isText {
			return nil
		}
	}
	for _, name := range []string{"fingerprint", "holder_name"} {
		if _, isText := claims[name].(string); !isText && claims[name] != nil {
			return nil
		}
	}
	for _, name := range []string{"license_expires_at", "maintenance_expires_at"} {
		if _, isTime := momentOf(claims.text(name)); !isTime && claims[name] != nil {
			return nil
		}
	}
	if _, isNumber := claims["seats"].(float64); !isNumber && claims["seats"] != nil {
		return nil
	}
	return claims.withGrants()
}

// withGrants returns the claims if their entitlements have the form of a certificate, or nil.
func (c Claims) withGrants() Claims {
	grants, areListed := c["entitlements"].([]any)
	for _, grant := range grants {
		object, _ := grant.(map[string]any)
		if _, hasCode := object["code"].(string); !hasCode {
			return nil
		}
	}
	if !areListed {
		return nil
	}
	return c
}

func certificateVerdict(claims Claims, now time.Time, code, detail string) *CertificateVerdict {
	verdict := &CertificateVerdict{
		Valid: code == codeValid, Code: code, Detail: detail, CheckedAt: timestamp(now),
		Entitlements: []Entitlement{}, Claims: claims,
	}
	if claims == nil {
		return verdict
	}
	verdict.License = &CertifiedLicense{
		ID: claims.text("sub"), KeyHint: claims.text("key_hint"), Product: claims.text("product"),
		Policy: claims.text("policy"), ExpiresAt: claims.optional("license_expires_at"),
		MaintenanceExpiresAt: claims.optional("maintenance_expires_at"),
		Holder:               CertifiedHolder{Name: claims.optional("holder_name")},
	}
	if seats, isNumber := claims["seats"].(float64); isNumber {
		count := int64(seats)
		verdict.License.MaxActivations = &count
	}
	if fingerprint := claims.text("fingerprint"); fingerprint != "" {
		verdict.Activation = &CertifiedActivation{Fingerprint: fingerprint}
	}
	for _, grant := range claims["entitlements"].([]any) {
		verdict.Entitlements = append(verdict.Entitlements, grantedAt(grant, now, verdict))
	}
	return verdict
}

func (c Claims) optional(name string) *string {
	if text, ok := c[name].(string); ok {
		return &text
	}
	return nil
}

// grantedAt returns an entitlement of a certificate in the form of an online check.
func grantedAt(grant any, now time.Time, verdict *CertificateVerdict) Entitlement {
	var granted Entitlement
	text, err := json.Marshal(grant)
	if err == nil {
		// A field of another type is as good as absent; the code is known to be a text.
		_ = json.Unmarshal(text, &granted)
	}
	reason := ""
	if !verdict.Valid {
		reason = verdict.Code
	} else if granted.hasEnded(now) {
		reason = "ENTITLEMENT.EXPIRED"
	}
	granted.HasAccess, granted.Reason = reason == "", nil
	if reason != "" {
		granted.Reason = &reason
	}
	return granted
}

// hasEnded returns whether the entitlement has ended. An invalid end counts as past.
func (e Entitlement) hasEnded(now time.Time) bool {
	if e.ExpiresAt == nil {
		return false
	}
	end, isTime := momentOf(*e.ExpiresAt)
	return !isTime || !end.After(now)
}
