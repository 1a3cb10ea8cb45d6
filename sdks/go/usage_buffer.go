package licensing

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"
)

const recorderKind = "UsageRecorder"

// recordedUsage is an event that was recorded and not yet answered.
type recordedUsage struct {
	// LicenseKey is that of the license to which the event counts, even if the application has another key by now.
	LicenseKey  string `json:"licenseKey"`
	Entitlement string `json:"entitlement"`
	Quantity    int64  `json:"quantity"`
	// IdempotencyKey is the same for every attempt, so that the event is counted once.
	IdempotencyKey string `json:"idempotencyKey"`
	// OccurredAt is when the event was recorded. Nil: at the time of its report.
	OccurredAt *string `json:"occurredAt"`
}

func (e recordedUsage) reported() UsageEvent {
	event := UsageEvent{Entitlement: e.Entitlement, Quantity: e.Quantity, IdempotencyKey: e.IdempotencyKey}
	if e.OccurredAt != nil {
		event.OccurredAt = *e.OccurredAt
	}
	return event
}

// usageBuffer are the events that wait, in their order, in memory and in a store. The store is written before an event is
// sent and after it was answered, so a crash loses no event that was stored.
type usageBuffer struct {
	store  Store
	report func(failure error)
	// opening is held while the store is taken, and writing while it is written.
	opening sync.Mutex
	isOpen  bool
	unlock  func()
	writing sync.Mutex
	written int
	mutex   sync.Mutex
	events  []recordedUsage
	changes int
}

func (b *usageBuffer) size() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return len(b.events)
}

func (b *usageBuffer) change(next func(events []recordedUsage) []recordedUsage) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.events = next(b.events)
	b.changes++
}

func (b *usageBuffer) add(event recordedUsage) {
	b.change(func(events []recordedUsage) []recordedUsage { return append(events, event) })
}

// remove removes an event that was not sent.
func (b *usageBuffer) remove(idempotencyKey string) {
	b.change(func(events []recordedUsage) []recordedUsage {
		kept := make([]recordedUsage, 0, len(events))
		for _, event := range events {
			if event.IdempotencyKey != idempotencyKey {
				kept = append(kept, event)
			}
		}
		return kept
	})
}

// head returns the first events of one license.
func (b *usageBuffer) head(most int) []recordedUsage {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	var batch []recordedUsage
	for _, event := range b.events {
		if len(batch) == most || len(batch) > 0 && event.LicenseKey != batch[0].LicenseKey {
			break
		}
		batch = append(batch, event)
	}
	return batch
}

// replaceHead replaces the first events, which were answered, by those of them that must be sent again.
func (b *usageBuffer) replaceHead(count int, again []recordedUsage) {
	b.change(func(events []recordedUsage) []recordedUsage {
		return append(append([]recordedUsage{}, again...), events[count:]...)
	})
}

// save stores the events as they are now. Calls during a write share the next one.
func (b *usageBuffer) save() error {
	if b.store == nil {
		return nil
	}
	b.mutex.Lock()
	wanted := b.changes
	b.mutex.Unlock()
	b.writing.Lock()
	defer b.writing.Unlock()
	if b.written >= wanted && wanted > 0 {
		return nil
	}
	b.mutex.Lock()
	changes, events := b.changes, append([]recordedUsage{}, b.events...)
	b.mutex.Unlock()
	text, err := marshal(map[string]any{"kind": recorderKind, "events": events})
	if err == nil {
		err = b.store.Write(string(text))
	}
	if err == nil {
		b.written = changes
	}
	return err
}

// open takes the store, and the events of earlier runs before those of this one. The error is STORE.IN_USE while another
// recorder has the store; the next call tries again.
func (b *usageBuffer) open() error {
	b.opening.Lock()
	defer b.opening.Unlock()
	if b.isOpen || b.store == nil {
		return nil
	}
	if lockable, isLockable := b.store.(LockingStore); isLockable {
		unlock, err := lockable.Lock()
		if err != nil {
			return err
		}
		b.unlock = unlock
	}
	stored, err := b.stored()
	if err != nil {
		b.free()
		return err
	}
	b.change(func(events []recordedUsage) []recordedUsage { return append(stored, events...) })
	b.isOpen = true
	return nil
}

func (b *usageBuffer) stored() ([]recordedUsage, error) {
	text, err := b.store.Read()
	if err != nil {
		return nil, err
	}
	object, err := storedObject(text, recorderKind)
	if CodeOf(err) == CodeStoreUnreadable {
		// Nothing can be read from it, and the events of this run need a place.
		b.report(err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var events []recordedUsage
	_ = json.Unmarshal(object["events"], &events)
	return events, nil
}

// release lets another recorder have the store.
func (b *usageBuffer) release() {
	b.opening.Lock()
	defer b.opening.Unlock()
	b.isOpen = false
	b.free()
}

func (b *usageBuffer) free() {
	if b.unlock != nil {
		b.unlock()
		b.unlock = nil
	}
}

// settlement is what became of the events of one request.
type settlement struct {
	accepted  int
	duplicate int
	refused   []refusedEvent
	// again are events that must be sent again, in this form.
	again []recordedUsage
}

type refusedEvent struct {
	event  recordedUsage
	reason string
}

// usageWindow is how far back the service counts events.
const usageWindow = 35 * 24 * time.Hour

// settleAnswer returns what the service answered, or RESPONSE.INVALID if the answer does not cover the events.
func settleAnswer(batch []recordedUsage, report *UsageReport, now time.Time) (*settlement, error) {
	if len(report.Results) != len(batch) {
		message := "The response is not one of the API: it does not cover the events. Check BaseURL and every proxy."
		return nil, &Error{Code: CodeResponseInvalid, Message: message, Status: http.StatusOK}
	}
	results := map[int]UsageResult{}
	for _, result := range report.Results {
		results[result.Index] = result
	}
	settled := &settlement{}
	for index, event := range batch {
		result := results[index]
		reason := CodeResponseInvalid
		if result.Reason != nil {
			reason = *result.Reason
		}
		switch {
		case result.Status == "accepted":
			settled.accepted++
		case result.Status == "duplicate":
			settled.duplicate++
		// A young event outside the window was recorded by a wrong clock: the time of its report is closer to the truth.
		case reason == "USAGE.OUT_OF_WINDOW" && event.isYoung(now):
			event.OccurredAt = nil
			settled.again = append(settled.again, event)
		default:
			settled.refused = append(settled.refused, refusedEvent{event, reason})
		}
	}
	return settled, nil
}

func (e recordedUsage) isYoung(now time.Time) bool {
	if e.OccurredAt == nil {
		return false
	}
	occurredAt, isTime := momentOf(*e.OccurredAt)
	return isTime && now.Sub(occurredAt) < usageWindow
}

var namedEvent = regexp.MustCompile(`^events\.(\d+)`)

// settleError returns what becomes of the events of a request that was refused as a whole: the invalid ones are refused,
// the others are sent again. Nil if it could be any of them, or their number: send fewer. It returns the error if that says
// nothing about the events.
func settleError(batch []recordedUsage, err error) (*settlement, error) {
	failure, isOurs := err.(*Error)
	isAlone := len(batch) == 1
	if !isOurs || failure.Code != codeValidationFailed {
		// Proxies limit the size too, and do not answer in the words of the service.
		if isOurs && failure.Status == http.StatusRequestEntityTooLarge && !isAlone {
			return nil, nil
		}
		return nil, err
	}
	named := map[int]bool{}
	for _, detail := range failure.Details {
		if found := namedEvent.FindStringSubmatch(detail.Field); found != nil {
			index, _ := strconv.Atoi(found[1])
			named[index] = true
		}
	}
	settled := &settlement{}
	for index, event := range batch {
		if isAlone || named[index] {
			settled.refused = append(settled.refused, refusedEvent{event, failure.Code})
		} else {
			settled.again = append(settled.again, event)
		}
	}
	if len(settled.refused) == 0 {
		return nil, nil
	}
	return settled, nil
}
