package licensing

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

const (
	integrationPath = "/api/v1/integration/"
	keyLengthMax    = 128
)

// apiRequest is one call of the service.
type apiRequest struct {
	method         string
	path           string
	body           []byte
	idempotencyKey string
	// nonce is the one that the answer must repeat, or "".
	nonce       string
	hasEnvelope bool
	isPublic    bool
	// content is a body that can be read once, instead of body.
	content *ImportContent
	// actsAgain says that the service would act twice: only refusals (429 and 503) are repeated.
	actsAgain bool
	// isFile says that a success must be a file.
	isFile bool
	// required are the fields without which the answer is not one of the service: their names, and their JSON kinds.
	required map[string]byte
}

const (
	kindText    = '"'
	kindBoolean = 't'
	kindList    = '['
	kindObject  = '{'
)

// segment encodes a license key or an id as one segment of a path. A text that no URL can carry, or that is longer than
// any key, becomes "-", which is not a key either, so that the service answers as for every unknown key.
func segment(text string) string {
	if text == "" || text == "." || text == ".." || !utf8.ValidString(text) || utf8.RuneCountInString(text) > keyLengthMax {
		return "-"
	}
	var encoded strings.Builder
	for i := 0; i < len(text); i++ {
		if c := text[i]; isUnreserved(c) {
			encoded.WriteByte(c)
		} else {
			encoded.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
		}
	}
	return encoded.String()
}

// isUnreserved tells the characters that a URL never has to encode (RFC 3986, section 2.3).
func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func post(licenseKey, action string, fields map[string]any) (apiRequest, error) {
	return send("licenses/"+segment(licenseKey)+"/"+action, fields)
}

// send returns a request with the given fields. Fields that are nil or "", and a device without components, were not
// given.
func send(path string, fields map[string]any) (apiRequest, error) {
	request := apiRequest{method: "POST", path: integrationPath + path, hasEnvelope: true}
	if fields == nil {
		return request, nil
	}
	given := map[string]any{}
	for name, value := range fields {
		components, isComponents := value.(map[string]string)
		if value != nil && value != "" && !(isComponents && len(components) == 0) {
			given[name] = value
		}
	}
	body, err := marshal(given)
	if err != nil {
		return request, configurationError("The arguments cannot be sent as JSON (%v). Correct them.", err)
	}
	request.body = body
	return request, nil
}

// marshal writes JSON without the escapes that Go adds for HTML.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// randomKey returns 32 random hexadecimal characters.
func randomKey() string {
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		panic("licensing: the system has no random numbers: " + err.Error())
	}
	return hex.EncodeToString(key[:])
}
