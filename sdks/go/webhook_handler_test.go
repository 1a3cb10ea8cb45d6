package licensing

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

var webhookSecret = secretPrefix + base64.StdEncoding.EncodeToString([]byte("the secret"))

// delivery is a request that is signed as the service does it.
func delivery(body string) *http.Request {
	sentAt := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte("the secret"))
	mac.Write([]byte("event-1." + sentAt + "." + body))
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	request.Header.Set("webhook-id", "event-1")
	request.Header.Set("webhook-timestamp", sentAt)
	request.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return request
}

func TestAWebhookIsAnsweredAsTheServiceExpects(t *testing.T) {
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	event := `{"id":"event-1","type":"license.created","data":{}}`
	other := secretPrefix + base64.StdEncoding.EncodeToString([]byte("another secret"))
	forged := delivery(event)
	forged.Body = io.NopCloser(strings.NewReader(strings.Replace(event, "created", "revoked", 1)))
	old := delivery(event)
	old.Header.Set("webhook-timestamp", "1")
	without := delivery(event)
	without.Header.Del("webhook-signature")
	broken := delivery(event)
	broken.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), failingReader{}))
	for name, one := range map[string]struct {
		request  *http.Request
		secrets  []string
		failure  error
		expected int
		handled  int
	}{
		"a signed event":             {delivery(event), []string{webhookSecret}, nil, 204, 1},
		"a rotation":                 {delivery(event), []string{other, webhookSecret}, nil, 204, 1},
		"a handler that fails":       {delivery(event), []string{webhookSecret}, errors.New("no database"), 500, 1},
		"a changed body":             {forged, []string{webhookSecret}, nil, 400, 0},
		"another secret":             {delivery(event), []string{other}, nil, 400, 0},
		"an old message":             {old, []string{webhookSecret}, nil, 400, 0},
		"no signature":               {without, []string{webhookSecret}, nil, 400, 0},
		"a body without an event":    {delivery(`{}`), []string{webhookSecret}, nil, 400, 0},
		"a body that does not end":   {broken, []string{webhookSecret}, nil, 400, 0},
		"a body that is too large":   {delivery(event + strings.Repeat(" ", webhookBytesMax+1-len(event))), []string{webhookSecret}, nil, 413, 0},
		"a secret that is not set":   {delivery(event), []string{""}, nil, 500, 0},
		"another method":             {httptest.NewRequest(http.MethodGet, "/", nil), []string{webhookSecret}, nil, 405, 0},
		"the largest possible event": {delivery(event + strings.Repeat(" ", webhookBytesMax-len(event))), []string{webhookSecret}, nil, 204, 1},
	} {
		handled := 0
		handler := WebhookHandler(one.secrets, func(ctx context.Context, event *WebhookEvent) error {
			handled++
			if event.Type != "license.created" || ctx == nil {
				t.Errorf("%s: %+v", name, event)
			}
			return one.failure
		})
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, one.request)
		if response.Code != one.expected || handled != one.handled || response.Body.Len() != 0 {
			t.Errorf("%s: %d, handled %d times, %q", name, response.Code, handled, response.Body)
		}
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
