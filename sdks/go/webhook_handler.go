package licensing

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"strings"
)

// webhookBytesMax is the size from which a body is refused. No event of the service is as large.
const webhookBytesMax = 1_000_000

// WebhookHandler returns a handler that receives webhooks, and calls onEvent with each event that the service signed. Pass
// both secrets during a rotation. Deliveries repeat and arrive in any order: handle each event.ID once.
//
// It answers 204 when onEvent has returned nil, 400 for a message that the service has not signed, 405 for another method
// than POST, 413 for a body of more than a million bytes, and 500 if onEvent fails or a secret is not set: the service sends
// the event again, and the log says why. The answers have no body: whoever forges messages learns nothing. The context of
// onEvent ends with the request.
func WebhookHandler(secrets []string, onEvent func(ctx context.Context, event *WebhookEvent) error) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		status := receive(response, request, secrets, onEvent)
		if status == http.StatusMethodNotAllowed {
			response.Header().Set("allow", http.MethodPost)
		}
		response.WriteHeader(status)
	})
}

func receive(
	response http.ResponseWriter, request *http.Request, secrets []string,
	onEvent func(ctx context.Context, event *WebhookEvent) error,
) (status int) {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed
	}
	// It also closes the connection, so that the rest of a body that is too large is not read.
	body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, webhookBytesMax))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if err != nil {
		return http.StatusBadRequest
	}
	event, err := VerifyWebhook(body, request.Header, secrets, WebhookExpectation{})
	if strings.HasPrefix(CodeOf(err), "WEBHOOK.") {
		return http.StatusBadRequest
	}
	if err != nil {
		log.Printf("licensing: %v", err)
		return http.StatusInternalServerError
	}
	if err := onEvent(request.Context(), event); err != nil {
		log.Printf("licensing: onEvent failed for %s %s: %v. The service sends the event again.", event.Type, event.ID, err)
		return http.StatusInternalServerError
	}
	return http.StatusNoContent
}
