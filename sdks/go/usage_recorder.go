package licensing

import (
	"context"
	"math"
	"sync"
	"time"
)

const (
	usageBatchMax  = 1000
	longestRetry   = 5 * time.Minute
	defaultFlush   = 10 * time.Second
	defaultMaxWait = 10_000
)

// UsageClient is the call of a recorder. A *Client has it.
type UsageClient interface {
	ReportUsage(ctx context.Context, licenseKey string, events []UsageEvent) (*UsageReport, error)
}

// RefusedUsage is an event that was not counted, and why.
type RefusedUsage struct {
	Entitlement    string
	Quantity       int64
	IdempotencyKey string
	// Reason is ENTITLEMENT.LIMIT_REACHED, for example, or USAGE.BUFFER_FULL.
	Reason string
}

// FlushResult is what a flush did.
type FlushResult struct {
	Accepted int
	// Duplicate are events that an earlier attempt had counted.
	Duplicate int
	Refused   []RefusedUsage
	// Pending are events that wait for the next flush.
	Pending int
	// Err says why the flush ended early; nil if every event was answered.
	Err error
	// Counters are those of the last answer.
	Counters []UsageCounter
}

// UsageRecorderOptions are the options of a UsageRecorder.
type UsageRecorderOptions struct {
	Client     UsageClient
	LicenseKey string
	// Store keeps events over a crash; nil: they are in memory only. One recorder per store.
	Store Store
	// FlushInterval is how long an event waits for others; 0 means 10 seconds.
	FlushInterval time.Duration
	// MaxBatch is the most events of one request, up to 1,000; 0 means 1,000.
	MaxBatch int
	// MaxBuffered is the most events that wait; further ones are refused with USAGE.BUFFER_FULL. 0 means 10,000.
	MaxBuffered int
	// OnRefused is called with each event that was not counted and is discarded.
	OnRefused func(refused RefusedUsage)
	// OnError hears when the service or the store failed. The events stay.
	OnError func(failure error)
	// Clock replaces the time of the system in a test.
	Clock Clock
}

// UsageRecorder records the usage of metered entitlements and reports it in batches, in the order of recording. Each event
// has an idempotency key and is stored before it is sent, so a crash neither loses it nor counts it twice. Goroutines may
// share one recorder.
type UsageRecorder struct {
	options UsageRecorderOptions
	// flushing is held by one flush at a time.
	flushing sync.Mutex
	mutex    sync.Mutex
	buffer   *usageBuffer
	timer    func()
	failures int
	isClosed bool
	events   eventQueue
}

// NewUsageRecorder returns a recorder. The error is CONFIGURATION.INVALID for an option that cannot work. Events of an
// earlier run in the store are sent with the first flush.
func NewUsageRecorder(options UsageRecorderOptions) (*UsageRecorder, error) {
	if options.Client == nil || options.LicenseKey == "" {
		return nil, configurationError("Client must be a *Client, and LicenseKey must not be empty.")
	}
	if options.MaxBatch < 0 || options.MaxBatch > usageBatchMax || options.MaxBuffered < 0 || options.FlushInterval < 0 {
		return nil, configurationError("MaxBatch must be up to %d, and no option may be negative.", usageBatchMax)
	}
	if options.MaxBatch == 0 {
		options.MaxBatch = usageBatchMax
	}
	if options.MaxBuffered == 0 {
		options.MaxBuffered = defaultMaxWait
	}
	options.FlushInterval = orDefault(options.FlushInterval, defaultFlush)
	options.Clock = orSystem(options.Clock)
	recorder := &UsageRecorder{options: options, buffer: &usageBuffer{store: options.Store}}
	recorder.buffer.report = recorder.reportError
	if options.Store != nil {
		recorder.setTimer()
	}
	return recorder, nil
}

// Record records one use, and returns when the store has the event. If the store fails, which OnError reports, the event is
// in memory only. The error means that the event is not recorded and will not be sent; OnRefused reports that too.
func (r *UsageRecorder) Record(entitlement string, quantity int64) error {
	defer r.events.deliver()
	if entitlement == "" || quantity < 1 {
		return configurationError("Pass Record the code of an entitlement and a quantity from 1.")
	}
	event := recordedUsage{
		LicenseKey: r.options.LicenseKey, Entitlement: entitlement, Quantity: quantity, IdempotencyKey: randomKey(),
	}
	occurredAt := timestamp(r.options.Clock.Now())
	event.OccurredAt = &occurredAt
	if code, why := r.whyFull(); code != "" {
		return r.refuse(event, code, why)
	}
	r.buffer.add(event)
	if err := r.buffer.open(); err != nil {
		r.buffer.remove(event.IdempotencyKey)
		failure := wrapped(CodeRecorderFailed, err, "Check the store.")
		return r.refuse(event, failure.Code, failure.Message)
	}
	r.save()
	if r.buffer.size() >= r.options.MaxBatch && r.failureCount() == 0 {
		go r.Flush()
	} else {
		r.schedule()
	}
	return nil
}

func (r *UsageRecorder) whyFull() (code, why string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.isClosed {
		return CodeRecorderClosed, "the recorder was closed. Create a new one."
	}
	if r.buffer.size() >= r.options.MaxBuffered {
		return CodeBufferFull, "too many uses wait. Connect, or raise MaxBuffered."
	}
	return "", ""
}

func (r *UsageRecorder) refuse(event recordedUsage, code, why string) error {
	r.reportRefusal(event, code)
	return &Error{Code: code, Message: "The use of " + event.Entitlement + " was not recorded: " + why}
}

// Flush sends everything that waits, also of earlier runs. Concurrent calls wait for each other.
func (r *UsageRecorder) Flush() FlushResult {
	r.flushing.Lock()
	result := r.flush()
	r.flushing.Unlock()
	r.schedule()
	r.events.deliver()
	return result
}

// Close flushes and frees the store. What could not be sent is in the store for the next run.
func (r *UsageRecorder) Close() FlushResult {
	r.mutex.Lock()
	r.isClosed = true
	r.mutex.Unlock()
	r.flushing.Lock()
	result := r.flush()
	r.buffer.release()
	r.flushing.Unlock()
	r.events.deliver()
	return result
}

func (r *UsageRecorder) flush() FlushResult {
	r.clearTimer()
	result := FlushResult{}
	if err := r.sendAll(&result); err != nil {
		result.Err = wrapped(CodeRecorderFailed, err, "Check the store and the client.")
		r.mutex.Lock()
		r.failures++
		r.mutex.Unlock()
		r.reportError(result.Err)
	}
	result.Pending = r.buffer.size()
	return result
}

func (r *UsageRecorder) sendAll(result *FlushResult) error {
	if err := r.buffer.open(); err != nil {
		return err
	}
	r.save()
	most := r.options.MaxBatch
	for batch := r.buffer.head(most); len(batch) > 0; batch = r.buffer.head(most) {
		settled, err := r.send(batch, result)
		if err != nil {
			return err
		}
		if settled == nil {
			// The request does not say which event is wrong, so smaller ones find it.
			most = (len(batch) + 1) / 2
			continue
		}
		most = r.options.MaxBatch
		r.buffer.replaceHead(len(batch), settled.again)
		r.save()
		r.mutex.Lock()
		r.failures = 0
		r.mutex.Unlock()
		result.Accepted += settled.accepted
		result.Duplicate += settled.duplicate
		for _, refused := range settled.refused {
			result.Refused = append(result.Refused, r.reportRefusal(refused.event, refused.reason))
		}
	}
	return nil
}

func (r *UsageRecorder) send(batch []recordedUsage, result *FlushResult) (*settlement, error) {
	events := make([]UsageEvent, len(batch))
	for i, event := range batch {
		events[i] = event.reported()
	}
	report, err := r.options.Client.ReportUsage(context.Background(), batch[0].LicenseKey, events)
	if err != nil {
		return settleError(batch, err)
	}
	settled, err := settleAnswer(batch, report, r.options.Clock.Now())
	if err == nil {
		result.Counters = report.Counters
	}
	return settled, err
}

func (r *UsageRecorder) save() {
	if err := r.buffer.save(); err != nil {
		r.reportError(wrapped(CodeRecorderFailed, err, "Check the store."))
	}
}

func (r *UsageRecorder) reportError(failure error) {
	if r.options.OnError != nil {
		r.events.add(func() { r.options.OnError(failure) })
	}
}

func (r *UsageRecorder) reportRefusal(event recordedUsage, reason string) RefusedUsage {
	refused := RefusedUsage{event.Entitlement, event.Quantity, event.IdempotencyKey, reason}
	if r.options.OnRefused != nil {
		r.events.add(func() { r.options.OnRefused(refused) })
	}
	return refused
}

func (r *UsageRecorder) failureCount() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.failures
}

func (r *UsageRecorder) schedule() {
	if r.buffer.size() > 0 {
		r.setTimer()
	}
}

// setTimer sets the timer of the next flush: after a failure later and later, because the service may be overloaded.
func (r *UsageRecorder) setTimer() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.isClosed || r.timer != nil {
		return
	}
	longest := math.Max(float64(longestRetry), float64(r.options.FlushInterval))
	delay := math.Min(float64(r.options.FlushInterval)*math.Pow(2, float64(r.failures)), longest)
	random := 0.9 + 0.1*r.options.Clock.Random()
	r.timer = r.options.Clock.AfterFunc(time.Duration(delay*random), func() { r.Flush() })
}

func (r *UsageRecorder) clearTimer() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.timer != nil {
		r.timer()
		r.timer = nil
	}
}
