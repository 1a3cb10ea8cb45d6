package licensing

import (
	"encoding/json"
	"time"
	"unicode/utf8"
)

// VerdictExpectation is the question that a signed verdict must answer. What is empty is not compared, except the nonce.
type VerdictExpectation struct {
	Verification
	// Nonce is the one of this question. Never use a nonce twice.
	Nonce string
	// LicenseKey is the key of the question. Its end is compared: the proof does not reveal the key.
	LicenseKey string
	// LicenseID is the id of the license as the first proven verdict said it. Pass it as soon as it is known.
	LicenseID   string
	Product     string
	Fingerprint string
	// Entitlements are those of the question, in its order.
	Entitlements      []string
	VersionReleasedAt time.Time
}

// VerifiedVerdict is the result of VerifyVerdict. Without a proof, it is not Valid, has a code PROOF.… and says nothing
// else: decide as if the service could not be reached. What is not in Claims is not proven.
type VerifiedVerdict struct {
	Verdict
	Claims Claims `json:"claims"`
}

// VerifyVerdict verifies that the service signed a verdict, and that the verdict answers this question. A proxy or a fake
// server can neither make nor reuse a proof. The error is CONFIGURATION.INVALID for an expectation that cannot work;
// nothing in a verdict makes it fail.
func VerifyVerdict(verdict *Verdict, expected VerdictExpectation) (*VerifiedVerdict, error) {
	if err := expected.check(); err != nil {
		return nil, err
	}
	if expected.Nonce == "" {
		return nil, configurationError("Nonce must be the one of the question.")
	}
	claims, refused := proofOf(verdict, expected)
	if refused == nil {
		return &VerifiedVerdict{Verdict: *verdict, Claims: claims}, nil
	}
	denied := Verdict{
		Code: "PROOF." + refused.reason, Detail: refused.detail, CheckedAt: timestamp(expected.moment()),
		Entitlements: []Entitlement{},
	}
	return &VerifiedVerdict{Verdict: denied}, nil
}

func proofOf(verdict *Verdict, expected VerdictExpectation) (Claims, *refusal) {
	if verdict == nil || verdict.Proof == nil {
		return nil, &refusal{"MISSING", "The verdict has no proof. Ask with Proof."}
	}
	claims, refused := readToken(*verdict.Proof, "verdict+jwt", expected.Verification)
	if refused != nil {
		return nil, refused
	}
	valid, isBoolean := claims["valid"].(bool)
	if _, isText := claims["code"].(string); !isBoolean || !isText {
		return nil, &refusal{"MALFORMED", "It is no verdict. Ask again."}
	}
	switch {
	case claims["nonce"] != expected.Nonce:
		return nil, &refusal{"NONCE_MISMATCH", "The proof answers another request: it was recorded. Ask again."}
	case expected.Fingerprint != "" && claims["fingerprint"] != expected.Fingerprint:
		return nil, &refusal{"FINGERPRINT_MISMATCH", "It is for another device. Ask again."}
	// A negative verdict names the product of the license, which may be the reason for the verdict.
	case valid && expected.Product != "" && claims["product"] != expected.Product:
		return nil, &refusal{"PRODUCT_MISMATCH", "It is for another product. Check Product and the license key."}
	case !answers(claims, expected):
		return nil, &refusal{"QUESTION_MISMATCH", "The proof answers another question. Ask again."}
	case !agrees(claims, verdict):
		return nil, &refusal{"VERDICT_MISMATCH", "The verdict was changed: it differs from its proof. Ask again."}
	}
	return claims, nil
}

// answers returns whether the question that was signed has every given condition.
func answers(claims Claims, question VerdictExpectation) bool {
	if question.LicenseKey != "" && claims["key_hint"] != hintOf(question.LicenseKey) {
		return false
	}
	if question.LicenseID != "" && claims["sub"] != question.LicenseID {
		return false
	}
	if question.Entitlements != nil {
		signed, _ := json.Marshal(claims["entitlements"])
		asked, _ := json.Marshal(question.Entitlements)
		if string(signed) != string(asked) {
			return false
		}
	}
	if question.VersionReleasedAt.IsZero() {
		return true
	}
	signed, isTime := momentOf(claims.text("version_released_at"))
	return isTime && signed.Truncate(time.Millisecond).Equal(question.VersionReleasedAt.Truncate(time.Millisecond))
}

// agrees returns whether the fields of a verdict that decide are the signed ones.
func agrees(claims Claims, verdict *Verdict) bool {
	var id any
	if verdict.License != nil {
		id = verdict.License.ID
	}
	hasNonce := verdict.Nonce != nil && claims["nonce"] == *verdict.Nonce
	return claims["valid"] == verdict.Valid && claims["code"] == verdict.Code && hasNonce && claims["sub"] == id
}

// hintOf returns the end of a license key as the service writes it: at most 4 characters, at most a quarter of the key.
func hintOf(licenseKey string) string {
	characters := []rune(licenseKey)
	shown := utf8.RuneCountInString(licenseKey) / 4
	if shown > 4 {
		shown = 4
	}
	return "…" + string(characters[len(characters)-shown:])
}
