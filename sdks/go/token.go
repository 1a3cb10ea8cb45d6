package licensing

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	tokenLengthMax   = 1024 * 1024
	defaultTolerance = 60 * time.Second
)

// Claims are the claims of a signed statement, with the names of RFC 7519. Numbers are float64.
type Claims map[string]any

func (c Claims) text(name string) string {
	text, _ := c[name].(string)
	return text
}

// refusal says why a statement is refused: the last segment of the code, and a sentence.
type refusal struct {
	reason string
	detail string
}

// Verification is what every signed statement of the service is verified against.
type Verification struct {
	// JWKS are the public keys of the vendor, embedded in the application.
	JWKS JWKS
	// Issuer is the PUBLIC_URL of the service.
	Issuer string
	// Audience is the id of the vendor's tenant.
	Audience string
	// Now is the current time; zero means the clock of this machine.
	Now time.Time
	// ClockTolerance is how much the clock of this machine may differ from the one of the service; nil: 60 seconds.
	ClockTolerance *time.Duration
}

func (v Verification) check() error {
	if v.JWKS.Keys == nil {
		return configurationError("JWKS must be the JWK Set of the vendor.")
	}
	// An empty text would be equal to the empty claim of a token for nobody.
	if v.Issuer == "" {
		return configurationError("Issuer is missing. Set it to the PUBLIC_URL of your service.")
	}
	if v.Audience == "" {
		return configurationError("Audience is missing. Set it to the id of your tenant.")
	}
	if v.ClockTolerance != nil && *v.ClockTolerance < 0 {
		return configurationError("ClockTolerance must not be negative.")
	}
	return nil
}

func (v Verification) moment() time.Time {
	if v.Now.IsZero() {
		return time.Now()
	}
	return v.Now
}

// readToken returns the claims of a compact JWS (RFC 7515) with Ed25519 (RFC 8037) if the signature is right, and why it
// must not be used, or nil. It accepts one form only: base64url without padding or spare bits, the algorithm EdDSA, no
// critical header, exactly one key with the id. It never fails because of the token.
func readToken(token, tokenType string, v Verification) (Claims, *refusal) {
	malformed := &refusal{"MALFORMED", "It is no statement of the service. Fetch it again."}
	parts := strings.Split(token, ".")
	if len(token) > tokenLengthMax || len(parts) != 3 {
		return nil, malformed
	}
	header, claims := tokenObject(parts[0]), tokenObject(parts[1])
	signature, ok := decodeURL64(parts[2])
	if header == nil || claims == nil || !ok {
		return nil, malformed
	}
	if _, isCritical := header["crit"]; isCritical {
		return nil, malformed
	}
	if header["alg"] != "EdDSA" {
		return nil, &refusal{"ALGORITHM_REFUSED", "It is not signed with EdDSA. Fetch it again."}
	}
	if header["typ"] != tokenType {
		return nil, &refusal{"TYPE_REFUSED", "Its type is not " + tokenType + ". Pass the other kind of statement."}
	}
	key := findKey(v.JWKS, header["kid"])
	if key == nil {
		detail := "JWKS has not exactly one key with its id. Embed the current key set of the vendor."
		return nil, &refusal{"KEY_UNKNOWN", detail}
	}
	if len(signature) != ed25519.SignatureSize || !ed25519.Verify(key, []byte(parts[0]+"."+parts[1]), signature) {
		return nil, &refusal{"SIGNATURE_INVALID", "Its signature is wrong: it was changed. Fetch it again."}
	}
	if !isStatement(claims) {
		return nil, malformed
	}
	return claims, refusalOf(claims, v)
}

func isStatement(claims Claims) bool {
	_, hasIssuer := claims["iss"].(string)
	_, hasAudience := claims["aud"].(string)
	subject, isKnown := claims["sub"]
	_, isText := subject.(string)
	if !hasIssuer || !hasAudience || !isKnown || (subject != nil && !isText) {
		return false
	}
	_, hasNotBefore := claims["nbf"]
	return isFinite(claims["iat"]) && isFinite(claims["exp"]) && (!hasNotBefore || isFinite(claims["nbf"]))
}

func isFinite(claim any) bool {
	number, ok := claim.(float64)
	return ok && !math.IsInf(number, 0) && !math.IsNaN(number)
}

func (c Claims) number(name string) float64 {
	number, _ := c[name].(float64)
	return number
}

func refusalOf(claims Claims, v Verification) *refusal {
	if issuer := claims.text("iss"); issuer != v.Issuer {
		detail := "Its issuer is %s, not %s. Set Issuer to the PUBLIC_URL of your service."
		return &refusal{"ISSUER_MISMATCH", fmt.Sprintf(detail, issuer, v.Issuer)}
	}
	if audience := claims.text("aud"); audience != v.Audience {
		detail := "Its audience is %s, not %s. Set Audience to the id of your tenant."
		return &refusal{"AUDIENCE_MISMATCH", fmt.Sprintf(detail, audience, v.Audience)}
	}
	tolerance := defaultTolerance
	if v.ClockTolerance != nil {
		tolerance = *v.ClockTolerance
	}
	now := float64(v.moment().UnixMilli()) / 1000
	begin := claims.number("iat")
	if _, hasNotBefore := claims["nbf"]; hasNotBefore {
		begin = claims.number("nbf")
	}
	if now+tolerance.Seconds() < begin {
		return &refusal{"NOT_YET_VALID", "It is not valid yet. Correct the clock of this device."}
	}
	if now-tolerance.Seconds() >= claims.number("exp") {
		return &refusal{"EXPIRED", "It has expired. Connect to the service to get a new one."}
	}
	return nil
}

func findKey(jwks JWKS, kid any) ed25519.PublicKey {
	id, ok := kid.(string)
	var found *JWK
	for i := range jwks.Keys {
		if key := &jwks.Keys[i]; ok && key.Kid == id {
			if found != nil {
				return nil
			}
			found = key
		}
	}
	if found == nil || found.Kty != "OKP" || found.Crv != "Ed25519" {
		return nil
	}
	if (found.Alg != "" && found.Alg != "EdDSA") || (found.Use != "" && found.Use != "sig") {
		return nil
	}
	bytes, ok := decodeURL64(found.X)
	if !ok || len(bytes) != ed25519.PublicKeySize {
		return nil
	}
	return bytes
}

// decodeURL64 decodes base64url without padding. Each sequence of bytes has one accepted form (RFC 4648, section 3.5).
func decodeURL64(text string) ([]byte, bool) {
	// The decoder of the standard library skips line breaks.
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return bytes, err == nil
}

func tokenObject(part string) Claims {
	text, ok := decodeURL64(part)
	if !ok || !utf8.Valid(text) || kindOf(text) != '{' {
		return nil
	}
	var object Claims
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}

// timestamp writes a moment as the service does, in UTC.
func timestamp(moment time.Time) string {
	return moment.UTC().Format("2006-01-02T15:04:05.000Z")
}

// momentOf reads a timestamp with a zone.
func momentOf(text string) (time.Time, bool) {
	moment, err := time.Parse(time.RFC3339Nano, text)
	return moment, err == nil
}
