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
	// An import takes as long as its content.
	unlimited = time.Duration(1 << 62)
)

// connection sends the requests of a client.
type connection struct {
	base string
	// header and scheme say how the secret authenticates a request.
	header, scheme, secret string
	timeout                time.Duration
	maxRetries             int
	http                   *http.Client
	clock                  Clock
}

// connect returns a connection without a secret, or CONFIGURATION.INVALID for an option that cannot work.
func connect(
	baseURL string, timeout time.Duration, maxRetries *int, transport http.RoundTripper, clock Clock,
) (*connection, error) {
	base, err := parseBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	if timeout < 0 {
		return nil, configurationError("Timeout must be positive.")
	}
	made := &connection{
		base: base, timeout: orDefault(timeout, defaultTimeout), maxRetries: defaultMaxRetries, clock: orSystem(clock),
	}
	if maxRetries != nil {
		made.maxRetries = *maxRetries
	}
	if made.maxRetries < 0 {
		return nil, configurationError("MaxRetries must be 0 or more.")
	}
	made.http = &http.Client{
		Transport: transport,
		// A redirect could carry the secret to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return made, nil
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

// checkSecret returns CONFIGURATION.INVALID for a secret that is unset or of another kind.
func checkSecret(option, secret, prefix string) error {
	for _, other := range []string{"vx_", "service_", "whsec_"} {
		if other != prefix && strings.HasPrefix(secret, other) {
			return configurationError("%s must be %s…, not %s….", option, prefix, other)
		}
	}
	if !printableText.MatchString(secret) {
		return configurationError("%s must be %s…. It is not set, or contains white space.", option, prefix)
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
func (c *connection) perform(ctx context.Context, request apiRequest) (data json.RawMessage, err error) {
	err = c.repeat(ctx, request, func(left time.Duration) (failure *Error) {
		data, failure = c.attempt(ctx, request, left)
		return failure
	})
	return data, err
}

// repeat makes attempts until one succeeds, or another one is useless.
func (c *connection) repeat(ctx context.Context, request apiRequest, attempt func(left time.Duration) *Error) error {
	timeout := c.timeout
	if request.content != nil {
		timeout = unlimited
	}
	deadline := c.clock.Monotonic() + timeout
	for made := 0; ; made++ {
		failure := attempt(deadline - c.clock.Monotonic())
		if failure == nil {
			return nil
		}
		// What was read of a stream is gone.
		if made >= c.maxRetries || request.content != nil || !isRetried(request, failure, made) {
			return failure
		}
		wait := c.waitAfter(failure, made)
		if c.clock.Monotonic()+wait >= deadline {
			return failure
		}
		if err := c.clock.Sleep(ctx, wait); err != nil {
			return aborted(err)
		}
	}
}

func isRetried(request apiRequest, failure *Error, attempt int) bool {
	switch failure.Status {
	case 0:
		return failure.Code == CodeNetworkUnreachable && !request.actsAgain
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		// The service may have acted.
		return !request.actsAgain
	}
	// An earlier attempt of this call is still running.
	return attempt > 0 && failure.Code == "IDEMPOTENCY.IN_PROGRESS"
}

// waitAfter returns what the service asks for, or a random wait from 0 to a range that doubles with each attempt.
func (c *connection) waitAfter(failure *Error, attempt int) time.Duration {
	if failure.RetryAfter != nil {
		return *failure.RetryAfter
	}
	longest := math.Min(float64(longestWait), float64(baseWait)*math.Pow(2, float64(attempt)))
	return time.Duration(c.clock.Random() * longest)
}

func (c *connection) attempt(ctx context.Context, request apiRequest, left time.Duration) (json.RawMessage, *Error) {
	limited, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	response, err := c.send(limited, request)
	if err == nil {
		var answer httpAnswer
		if answer, err = readResponse(response); err == nil {
			return decode(request, answer, c.secret)
		}
	}
	return nil, networkFailure(ctx, err, errors.Is(err, context.DeadlineExceeded))
}

// networkFailure returns why there was no answer.
func networkFailure(ctx context.Context, err error, isLate bool) *Error {
	if ctx.Err() != nil {
		return aborted(ctx.Err())
	}
	if isLate {
		message := "The service did not answer in time. Try again, or raise Timeout."
		return &Error{Code: CodeNetworkTimeout, Message: message, Cause: err}
	}
	// The text of the error may hold the URL with the license key, so only its cause is shown.
	var detailed *url.Error
	if errors.As(err, &detailed) {
		err = detailed.Err
	}
	message := "The service could not be reached (" + err.Error() + "). Check the network and BaseURL."
	return &Error{Code: CodeNetworkUnreachable, Message: message, Cause: err}
}

func aborted(cause error) *Error {
	message := "The caller ended the context of the request. Repeat it if needed."
	return &Error{Code: CodeNetworkAborted, Message: message, Cause: cause}
}

func (c *connection) send(ctx context.Context, request apiRequest) (*http.Response, error) {
	// Not a bytes.Reader: with a body that it could repeat, net/http would retry on its own.
	var body io.Reader
	if request.body != nil {
		body = io.MultiReader(bytes.NewReader(request.body))
	} else if request.content != nil {
		body = io.MultiReader(request.content.Reader)
	}
	prepared, err := http.NewRequestWithContext(ctx, request.method, c.base+request.path, body)
	if err != nil {
		return nil, err
	}
	prepared.Header.Set("accept", "application/json")
	if request.body != nil {
		prepared.ContentLength = int64(len(request.body))
		prepared.Header.Set("content-type", "application/json")
	} else if request.content != nil {
		prepared.Header.Set("content-type", request.content.Type)
	}
	if !request.isPublic {
		prepared.Header.Set(c.header, c.scheme+c.secret)
	}
	if request.idempotencyKey != "" {
		prepared.Header.Set("idempotency-key", request.idempotencyKey)
	}
	return c.http.Do(prepared)
}
