package licensing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const (
	defaultTimeout    = 10 * time.Second
	defaultMaxRetries = 2
	baseWait          = 250 * time.Millisecond
	longestWait       = 4 * time.Second
)

// ClientOptions are the options of a Client.
type ClientOptions struct {
	// BaseURL is the address of the service, without /api: https://licensing.example.com.
	BaseURL string
	// APIKey authenticates the application (vx_…).
	APIKey string
	// Timeout limits one call with all its attempts. 10 seconds unless it is set.
	Timeout time.Duration
	// MaxRetries is the number of attempts after the first one; nil: 2. Network failures, 429, 502, 503 and 504 are
	// retried.
	MaxRetries *int
	// Transport replaces the standard one, for a proxy, a certificate authority or a test. Nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Clock replaces the time of the system in a test.
	Clock Clock
}

// Client calls the Integration API of the licensing service. Goroutines may share one client.
type Client struct {
	base       string
	apiKey     string
	timeout    time.Duration
	maxRetries int
	http       *http.Client
	clock      Clock
}

// NewClient returns a client, or an error with the code CONFIGURATION.INVALID for an option that cannot work.
func NewClient(options ClientOptions) (*Client, error) {
	base, err := parseBaseURL(options.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkAPIKey(options.APIKey); err != nil {
		return nil, err
	}
	if options.Timeout < 0 {
		return nil, configurationError("Timeout must be positive.")
	}
	client := &Client{base: base, apiKey: options.APIKey, timeout: options.Timeout, maxRetries: defaultMaxRetries}
	if client.timeout == 0 {
		client.timeout = defaultTimeout
	}
	if options.MaxRetries != nil {
		client.maxRetries = *options.MaxRetries
	}
	if client.maxRetries < 0 {
		return nil, configurationError("MaxRetries must be 0 or more.")
	}
	client.clock = orSystem(options.Clock)
	client.http = &http.Client{
		Transport: options.Transport,
		// A redirect could carry the API key to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return client, nil
}

var (
	apiPath       = regexp.MustCompile(`/api/v[0-9]+$`)
	printableText = regexp.MustCompile(`^[!-~]+$`)
)

func parseBaseURL(text string) (string, error) {
	parsed, err := url.Parse(text)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" {
		return "", configurationError("BaseURL must be the http or https URL of the service.")
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", configurationError("BaseURL must have neither credentials nor a query nor a fragment.")
	}
	base := strings.TrimRight(parsed.String(), "/")
	if apiPath.MatchString(base) {
		return "", configurationError("BaseURL must end before /api/v1.")
	}
	return base, nil
}

func checkAPIKey(apiKey string) error {
	for _, other := range []string{"service_", "whsec_"} {
		if strings.HasPrefix(apiKey, other) {
			return configurationError("APIKey must be vx_…, not %s….", other)
		}
	}
	if !printableText.MatchString(apiKey) {
		return configurationError("APIKey must be vx_…. It is not set, or contains white space.")
	}
	return nil
}

// decodeInto decodes an answer. A newer service adds fields, and does not change their types.
func decodeInto(data json.RawMessage, result any) error {
	if json.Unmarshal(data, result) != nil {
		return &Error{Code: CodeResponseInvalid, Status: 200,
			Message: "The response is not one of the API: a field has another type. Check BaseURL and every proxy."}
	}
	return nil
}

// perform performs a request with its retries, and returns the data of the answer.
func (c *Client) perform(ctx context.Context, request apiRequest) (json.RawMessage, error) {
	deadline := c.clock.Monotonic() + c.timeout
	for attempt := 0; ; attempt++ {
		data, failure := c.attempt(ctx, request, deadline-c.clock.Monotonic())
		if failure == nil {
			return data, nil
		}
		if attempt >= c.maxRetries || !isRetried(failure, attempt) {
			return nil, failure
		}
		wait := c.waitAfter(failure, attempt)
		if c.clock.Monotonic()+wait >= deadline {
			return nil, failure
		}
		if err := c.clock.Sleep(ctx, wait); err != nil {
			return nil, aborted(err)
		}
	}
}

func isRetried(failure *Error, attempt int) bool {
	switch failure.Status {
	case 0:
		return failure.Code == CodeNetworkUnreachable
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	// An earlier attempt of this call is still running.
	return attempt > 0 && failure.Code == "IDEMPOTENCY.IN_PROGRESS"
}

// waitAfter returns what the service asks for, or a random wait from 0 to a range that doubles with each attempt.
func (c *Client) waitAfter(failure *Error, attempt int) time.Duration {
	if failure.RetryAfter != nil {
		return *failure.RetryAfter
	}
	longest := math.Min(float64(longestWait), float64(baseWait)*math.Pow(2, float64(attempt)))
	return time.Duration(c.clock.Random() * longest)
}

func (c *Client) attempt(ctx context.Context, request apiRequest, left time.Duration) (json.RawMessage, *Error) {
	limited, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	answer, err := c.send(limited, request)
	if err == nil {
		return decode(request, answer, c.apiKey)
	}
	if ctx.Err() != nil {
		return nil, aborted(ctx.Err())
	}
	if errors.Is(err, context.DeadlineExceeded) {
		message := "The service did not answer in time. Try again, or raise Timeout."
		return nil, &Error{Code: CodeNetworkTimeout, Message: message, Cause: err}
	}
	// The text of the error may hold the URL with the license key, so only its cause is shown.
	var detailed *url.Error
	if errors.As(err, &detailed) {
		err = detailed.Err
	}
	message := "The service could not be reached (" + err.Error() + "). Check the network and BaseURL."
	return nil, &Error{Code: CodeNetworkUnreachable, Message: message, Cause: err}
}

func aborted(cause error) *Error {
	message := "The caller ended the context of the request. Repeat it if needed."
	return &Error{Code: CodeNetworkAborted, Message: message, Cause: cause}
}

func (c *Client) send(ctx context.Context, request apiRequest) (httpAnswer, error) {
	// Not a bytes.Reader: with a body that it could repeat, net/http would retry on its own.
	var body io.Reader
	if request.body != nil {
		body = io.MultiReader(bytes.NewReader(request.body))
	}
	prepared, err := http.NewRequestWithContext(ctx, request.method, c.base+request.path, body)
	if err != nil {
		return httpAnswer{}, err
	}
	prepared.Header.Set("accept", "application/json")
	if request.body != nil {
		prepared.ContentLength = int64(len(request.body))
		prepared.Header.Set("content-type", "application/json")
	}
	if !request.isPublic {
		prepared.Header.Set("x-api-key", c.apiKey)
	}
	if request.idempotencyKey != "" {
		prepared.Header.Set("idempotency-key", request.idempotencyKey)
	}
	response, err := c.http.Do(prepared)
	if err != nil {
		return httpAnswer{}, err
	}
	return readResponse(response)
}
