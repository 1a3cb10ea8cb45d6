package licensing

import (
	"errors"
	"fmt"
	"time"
)

// Codes that this package makes. All other codes are those of the service.
const (
	CodeNetworkUnreachable     = "NETWORK.UNREACHABLE"
	CodeNetworkTimeout         = "NETWORK.TIMEOUT"
	CodeNetworkAborted         = "NETWORK.ABORTED"
	CodeResponseInvalid        = "RESPONSE.INVALID"
	CodeConfigurationInvalid   = "CONFIGURATION.INVALID"
	CodeWebhookMalformed       = "WEBHOOK.MALFORMED"
	CodeWebhookSignature       = "WEBHOOK.SIGNATURE_INVALID"
	CodeWebhookTimestamp       = "WEBHOOK.TIMESTAMP_OUTSIDE_TOLERANCE"
	CodeFingerprintUnavailable = "FINGERPRINT.UNAVAILABLE"
	CodeFileInvalid            = "CERTIFICATE_FILE.INVALID"
	CodeFileOtherLicense       = "CERTIFICATE_FILE.OTHER_LICENSE"
	CodeFileTooOld             = "CERTIFICATE_FILE.TOO_OLD"
	CodeClockSetBack           = "CLOCK.SET_BACK"
	CodeGuardNotStarted        = "GUARD.NOT_STARTED"
	CodeGuardChecking          = "GUARD.CHECKING"
	CodeGuardFailed            = "GUARD.FAILED"
	CodeGuardStopped           = "GUARD.STOPPED"
	CodeKeyMissing             = "LICENSE.KEY_MISSING"
	CodeStoreInUse             = "STORE.IN_USE"
	CodeStoreForeign           = "STORE.FOREIGN"
	CodeStoreUnreadable        = "STORE.UNREADABLE"
	CodeStoreFailed            = "STORE.FAILED"
	CodeRecorderFailed         = "RECORDER.FAILED"
	CodeBufferFull             = "USAGE.BUFFER_FULL"
	CodeRecorderClosed         = "USAGE.RECORDER_CLOSED"
)

// Codes of the service on which an application or this package decides.
const (
	codeValid              = "LICENSE.VALID"
	codeMaintenanceExpired = "LICENSE.MAINTENANCE_EXPIRED"
	codeSeatNotFound       = "ACTIVATION.NOT_FOUND"
	codeLeaseExpired       = "ACTIVATION.LEASE_EXPIRED"
	codeLimitReached       = "ACTIVATION.LIMIT_REACHED"
	codeValidationFailed   = "VALIDATION.FAILED"
)

// Detail is one invalid field of a request.
type Detail struct {
	// Field is the path of the field as the API names it.
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is the only type of error of this package. No error contains the API key.
type Error struct {
	// Code says what happened. Decide by it; Message is for people and may change.
	Code    string
	Message string
	// Status is the HTTP status, or 0 if there was no response.
	Status int
	// RequestID identifies the request in the log of the service.
	RequestID string
	// Details are the invalid fields of a refused request.
	Details []Detail
	// RetryAfter is the wait that the service asks for, or nil.
	RetryAfter *time.Duration
	// Cause is the error behind this one, or nil.
	Cause error
}

// Error returns the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf returns the code of an error of this package, or "" for any other error.
func CodeOf(err error) string {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.Code
	}
	return ""
}

func configurationError(format string, values ...any) *Error {
	return &Error{Code: CodeConfigurationInvalid, Message: fmt.Sprintf(format, values...)}
}

// wrapped returns a failure of a store or of the caller's code as an error of this package, with a remedy.
func wrapped(code string, cause error, remedy string) *Error {
	var failure *Error
	if errors.As(cause, &failure) {
		return failure
	}
	return &Error{Code: code, Message: fmt.Sprintf("%v. %s", cause, remedy), Cause: cause}
}
