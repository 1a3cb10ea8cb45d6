package licensing

import (
	"net/http"
	"time"
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
type Client struct{ *connection }

// NewClient returns a client, or an error with the code CONFIGURATION.INVALID for an option that cannot work.
func NewClient(options ClientOptions) (*Client, error) {
	if err := checkSecret("APIKey", options.APIKey, "vx_"); err != nil {
		return nil, err
	}
	connection, err := connect(options.BaseURL, options.Timeout, options.MaxRetries, options.Transport, options.Clock)
	if err != nil {
		return nil, err
	}
	connection.header, connection.secret = "x-api-key", options.APIKey
	return &Client{connection}, nil
}
