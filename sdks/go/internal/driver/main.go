// Command driver performs the calls of the conformance runner with this module: one JSON object per line in both
// directions. See packages/sdk/conformance/README.md.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sync"
	"time"

	licensing "licensing.example.com/sdk"
)

type clientOptions struct {
	Name            string   `json:"name"`
	BaseURL         string   `json:"base_url"`
	APIKey          string   `json:"api_key"`
	TimeoutMs       *float64 `json:"timeout_ms"`
	MaxRetries      *float64 `json:"max_retries"`
	IsTimeSimulated bool     `json:"is_time_simulated"`
}

type request struct {
	ID        int             `json:"id"`
	Operation string          `json:"operation"`
	Client    *clientOptions  `json:"client"`
	Arguments json.RawMessage `json:"arguments"`
}

// skippingClock jumps over waits and notes them.
type skippingClock struct {
	mutex   sync.Mutex
	skipped time.Duration
	waited  []float64
}

var startedAt = time.Now()

// Go 1.19 seeds its own generator with the same number in every process.
var random = rand.New(rand.NewSource(startedAt.UnixNano()))

func (c *skippingClock) Now() time.Time { return time.Now() }

func (c *skippingClock) Monotonic() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return time.Since(startedAt) + c.skipped
}

func (c *skippingClock) AfterFunc(delay time.Duration, task func()) func() {
	timer := time.AfterFunc(delay, task)
	return func() { timer.Stop() }
}

func (c *skippingClock) Sleep(_ context.Context, delay time.Duration) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.skipped += delay
	c.waited = append(c.waited, float64(delay)/float64(time.Millisecond))
	return nil
}

func (c *skippingClock) Random() float64 { return random.Float64() }

type keptClient struct {
	client *licensing.Client
	clock  *skippingClock
}

var clients = map[string]*keptClient{}

func clientFor(options *clientOptions) (*keptClient, error) {
	if known := clients[options.Name]; known != nil {
		return known, nil
	}
	given := licensing.ClientOptions{BaseURL: options.BaseURL, APIKey: options.APIKey}
	if options.TimeoutMs != nil {
		given.Timeout = time.Duration(*options.TimeoutMs * float64(time.Millisecond))
	}
	if options.MaxRetries != nil {
		retries := int(*options.MaxRetries)
		given.MaxRetries = &retries
	}
	kept := &keptClient{}
	given.Transport = &gate
	if options.IsTimeSimulated {
		kept.clock = &skippingClock{}
		given.Clock = kept.clock
	}
	client, err := licensing.NewClient(given)
	if err != nil {
		return nil, err
	}
	kept.client = client
	clients[options.Name] = kept
	return kept, nil
}

func answer(received request) map[string]any {
	result, waited, err := perform(received)
	given := map[string]any{"id": received.ID}
	if waited != nil {
		given["waited_ms"] = waited
	}
	if err == nil {
		given["result"] = result
		return given
	}
	given["error"] = described(err)
	return given
}

func perform(received request) (result any, waited []float64, err error) {
	if received.Client == nil {
		result, err = offline(received.Operation, received.Arguments)
		return result, nil, err
	}
	kept, err := clientFor(received.Client)
	if err != nil {
		return nil, []float64{}, err
	}
	if isGuardOperation(received.Operation) {
		result, err = guards.perform(received.Operation, received.Arguments, kept.client)
		return result, nil, err
	}
	result, err = online(kept.client, received.Operation, received.Arguments)
	if kept.clock != nil {
		waited, kept.clock.waited = append([]float64{}, kept.clock.waited...), nil
	}
	return result, waited, err
}

func described(err error) map[string]any {
	failure, isOurs := err.(*licensing.Error)
	if !isOurs {
		return map[string]any{"code": "DRIVER.EXCEPTION", "message": err.Error()}
	}
	given := map[string]any{"code": failure.Code, "message": failure.Message, "details": failure.Details}
	if failure.Details == nil {
		given["details"] = []licensing.Detail{}
	}
	if failure.Status != 0 {
		given["status"] = failure.Status
	}
	if failure.RequestID != "" {
		given["request_id"] = failure.RequestID
	}
	if failure.RetryAfter != nil {
		given["retry_after_ms"] = failure.RetryAfter.Milliseconds()
	}
	return given
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var received request
		if err := json.Unmarshal(line, &received); err != nil {
			fmt.Fprintln(os.Stderr, "A line is no request:", err)
			os.Exit(1)
		}
		text, err := json.Marshal(answer(received))
		if err != nil {
			text, _ = json.Marshal(map[string]any{"id": received.ID, "error": described(err)})
		}
		fmt.Println(string(text))
	}
}
