package licensing

import "sync"

// eventQueue calls listeners one after the other, in the order of the events, and outside of every lock, so that a listener
// may call the guard or the recorder.
type eventQueue struct {
	mutex        sync.Mutex
	waiting      []func()
	isDelivering bool
}

func (q *eventQueue) add(event func()) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.waiting = append(q.waiting, event)
}

// deliver calls the waiting listeners, unless another call does that already.
func (q *eventQueue) deliver() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	if q.isDelivering {
		return
	}
	q.isDelivering = true
	for len(q.waiting) > 0 {
		event := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mutex.Unlock()
		event()
		q.mutex.Lock()
	}
	q.isDelivering = false
}
