package licensing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	webhookTolerance = 5 * time.Minute
	secretPrefix     = "whsec_"
)

// WebhookEvent is an event that the service sent. Data has the form that Type says.
type WebhookEvent struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	OccurredAt string          `json:"occurred_at"`
	TenantID   string          `json:"tenant_id"`
	RequestID  *string         `json:"request_id"`
	APIVersion string          `json:"api_version"`
	Data       json.RawMessage `json:"data"`
	Raw        Raw             `json:"-"`
}

// WebhookExpectation says how a webhook is verified. The zero value is right for an application.
type WebhookExpectation struct {
	// Tolerance is how old or how far ahead a message may be; 0 means five minutes.
	Tolerance time.Duration
	// Now is the current time; zero means the clock of this machine.
	Now time.Time
}

var timestampText = regexp.MustCompile(`^[0-9]{1,12}$`)

// VerifyWebhook verifies a message of the service (Standard Webhooks) and returns its event. body is the raw body, before
// any parser. Pass both secrets during a rotation. Deliveries repeat and arrive in any order: handle each ID once.
//
// The error has the code WEBHOOK.SIGNATURE_INVALID, WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE or WEBHOOK.MALFORMED: answer 400
// then. CONFIGURATION.INVALID is a mistake of the program, such as a secret that is not set.
func VerifyWebhook(body []byte, header http.Header, secrets []string, expected WebhookExpectation) (*WebhookEvent, error) {
	keys, err := webhookKeys(secrets)
	if err != nil {
		return nil, err
	}
	if body == nil {
		return nil, configurationError("Pass the raw body, before any JSON parser.")
	}
	if header == nil {
		return nil, configurationError("Pass the headers of the request.")
	}
	id, sentAt := webhookHeader(header, "webhook-id"), webhookHeader(header, "webhook-timestamp")
	signatures := webhookHeader(header, "webhook-signature")
	if id == "" || signatures == "" || !timestampText.MatchString(sentAt) {
		message := "A header webhook-… is missing or wrong. Pass the headers as received."
		return nil, &Error{Code: CodeWebhookMalformed, Message: message}
	}
	if !isSigned([]byte(id+"."+sentAt+"."+string(body)), signatures, keys) {
		message := "No signature fits the secret and the raw body. Pass the body before any parser."
		return nil, &Error{Code: CodeWebhookSignature, Message: message}
	}
	if isOutside(sentAt, expected) {
		message := "The message is too old or too new. Check the clock of this machine."
		return nil, &Error{Code: CodeWebhookTimestamp, Message: message}
	}
	return eventIn(body)
}

func webhookKeys(secrets []string) ([][]byte, error) {
	var keys [][]byte
	for _, secret := range secrets {
		text := strings.TrimPrefix(secret, secretPrefix)
		key, err := base64.StdEncoding.Strict().DecodeString(text)
		if text == secret || err != nil || len(key) == 0 || strings.ContainsAny(text, "\r\n") {
			return nil, configurationError("The secret of the webhook must begin with whsec_ and be base64. Is it set?")
		}
		keys = append(keys, key)
	}
	if keys == nil {
		return nil, configurationError("Pass the secret of the webhook endpoint, whsec_…. Is it set?")
	}
	return keys, nil
}

// webhookHeader returns a header whatever the case of its name.
func webhookHeader(header http.Header, name string) string {
	for given, values := range header {
		if strings.EqualFold(given, name) {
			return strings.Join(values, " ")
		}
	}
	return ""
}

func isSigned(signed []byte, signatures string, keys [][]byte) bool {
	found := false
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write(signed)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, signature := range strings.Split(signatures, " ") {
			found = hmac.Equal(expected, []byte(signature)) || found
		}
	}
	return found
}

func isOutside(sentAt string, expected WebhookExpectation) bool {
	tolerance, now := expected.Tolerance, expected.Now
	if tolerance == 0 {
		tolerance = webhookTolerance
	}
	if now.IsZero() {
		now = time.Now()
	}
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	distance := now.Sub(time.Unix(seconds, 0))
	return err != nil || distance > tolerance || distance < -tolerance
}

func eventIn(body []byte) (*WebhookEvent, error) {
	fields := objectIn(body)
	var event WebhookEvent
	if kindOf(fields["id"]) != kindText || kindOf(fields["type"]) != kindText || json.Unmarshal(body, &event) != nil {
		message := "The body is no event of the service. Pass the raw body."
		return nil, &Error{Code: CodeWebhookMalformed, Message: message}
	}
	event.Raw = append(Raw{}, body...)
	return &event, nil
}
