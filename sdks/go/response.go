package licensing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// No response of the API is larger. A larger one comes from something else and must not fill the memory.
const bodyBytesMax = 16 * 1024 * 1024

// A longer wait does not fit into a Duration.
const longestWaitSeconds = math.MaxInt64 / int64(time.Second) / 2

var digits = regexp.MustCompile(`^[0-9]+$`)

// httpAnswer is a complete response.
type httpAnswer struct {
	status int
	header http.Header
	body   []byte
}

func readResponse(response *http.Response) (httpAnswer, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, bodyBytesMax+1))
	if err != nil {
		return httpAnswer{}, err
	}
	answer := httpAnswer{status: response.StatusCode, header: response.Header, body: body}
	if len(body) > bodyBytesMax {
		answer.body = nil
	}
	return answer, nil
}

// decode returns the data of a success, or the error of a failure. secret is removed from its text, in case the
// answering server repeats the request.
func decode(request apiRequest, answer httpAnswer, secret string) (json.RawMessage, *Error) {
	if answer.status >= 200 && answer.status < 300 && isJSON(answer.header) && !request.isFile {
		document := objectIn(answer.body)
		data, fields := json.RawMessage(answer.body), document
		if request.hasEnvelope {
			data = document["data"]
			fields = objectIn(data)
		}
		if fields != nil && hasFields(fields, request.required) {
			if request.nonce != "" && textIn(fields["nonce"]) != request.nonce {
				message := "The verdict repeats another nonce than the request had: it may be an old one. Ask again."
				return nil, failureOf(answer, CodeResponseInvalid, message)
			}
			return data, nil
		}
	}
	if answer.status >= 400 && isJSON(answer.header) {
		safe := bytes.ReplaceAll(answer.body, []byte(secret), []byte("[redacted]"))
		document := objectIn(safe)
		failure := objectIn(document["error"])
		code, message := failure["code"], failure["message"]
		if kindOf(code) == kindText && kindOf(message) == kindText {
			known := failureOf(answer, textIn(code), textIn(message))
			if known.RequestID == "" {
				known.RequestID = textIn(objectIn(document["meta"])["request_id"])
			}
			known.Details = detailsIn(failure["details"])
			known.RetryAfter = retryAfter(answer.header)
			return nil, known
		}
	}
	message := "The response is not one of the API: status %d, %s. Check BaseURL and every proxy."
	invalid := failureOf(answer, CodeResponseInvalid, fmt.Sprintf(message, answer.status, contentType(answer.header)))
	invalid.RetryAfter = retryAfter(answer.header)
	return nil, invalid
}

func failureOf(answer httpAnswer, code, message string) *Error {
	return &Error{Code: code, Message: message, Status: answer.status, RequestID: answer.header.Get("x-request-id")}
}

func isJSON(header http.Header) bool {
	kind, _, err := mime.ParseMediaType(header.Get("content-type"))
	isApplication := strings.HasPrefix(kind, "application/")
	return err == nil && isApplication && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

func contentType(header http.Header) string {
	if kind := header.Get("content-type"); kind != "" {
		return kind
	}
	return "no content type"
}

// objectIn returns the JSON object in a text, or nil. A name must have the exact case.
func objectIn(text []byte) map[string]json.RawMessage {
	if kindOf(text) != '{' {
		return nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}

// textIn returns the JSON text in a value, or "".
func textIn(value json.RawMessage) string {
	var text string
	if kindOf(value) != kindText || json.Unmarshal(value, &text) != nil {
		return ""
	}
	return text
}

// kindOf returns the first character of a JSON value, with 't' for both booleans, or 0 for no value.
func kindOf(value []byte) byte {
	trimmed := bytes.TrimLeft(value, " \t\r\n")
	if len(trimmed) == 0 {
		return 0
	}
	if trimmed[0] == 'f' {
		return kindBoolean
	}
	return trimmed[0]
}

func hasFields(object map[string]json.RawMessage, required map[string]byte) bool {
	for name, kind := range required {
		if kindOf(object[name]) != kind {
			return false
		}
	}
	return true
}

func detailsIn(value json.RawMessage) []Detail {
	var details []Detail
	if json.Unmarshal(value, &details) != nil || details == nil {
		return []Detail{}
	}
	return details
}

// retryAfter reads Retry-After: seconds or a date (RFC 9110, section 10.2.3). A date is compared with the response's own
// Date, because the clock of this machine may be wrong. Nil if the header is absent or unreadable.
func retryAfter(header http.Header) *time.Duration {
	value := strings.TrimSpace(header.Get("retry-after"))
	if digits.MatchString(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > longestWaitSeconds {
			seconds = longestWaitSeconds
		}
		wait := time.Duration(seconds) * time.Second
		return &wait
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return nil
	}
	sentAt, err := http.ParseTime(header.Get("date"))
	if err != nil {
		sentAt = time.Now()
	}
	wait := until.Sub(sentAt)
	if wait < 0 {
		wait = 0
	}
	return &wait
}
