package licensing

import (
	"math"
	"time"
)

const (
	shortestRenewalMs = 15_000
	longestDelayMs    = 1<<31 - 1
)

// checkDelayMs returns the time to the next check, without the random part. leaseMs is the length of the lease of a floating
// seat, and leftMs what is left of the certificate; nil if there is none.
func checkDelayMs(options *GuardOptions, failedChecks int, leaseMs, leftMs *int64) float64 {
	interval := float64(options.CheckInterval.Milliseconds())
	if failedChecks > 0 {
		retry := float64(options.RetryInterval.Milliseconds()) * math.Pow(2, float64(failedChecks-1))
		delay := math.Min(interval, retry)
		if leaseMs != nil {
			delay = math.Min(delay, float64(*leaseMs)/3)
		}
		return delay
	}
	// The certificate is renewed when half of it is over. Heartbeats renew the one of a floating seat.
	if leftMs == nil || leaseMs != nil {
		return interval
	}
	return math.Min(interval, math.Max(float64(*leftMs)/2, shortestRenewalMs))
}

// due is what a timer of the guard is for.
type due int

const (
	dueCheck due = iota
	dueBeat
	dueEnd
)

// nextTick returns what comes first, the check, a heartbeat, or the end of the certificate, and in how many milliseconds.
func nextTick(untilCheckMs float64, leaseMs, endMs *int64, random float64) (due, float64) {
	beatMs, untilEndMs := float64(longestDelayMs), float64(longestDelayMs)
	if leaseMs != nil {
		beatMs = float64(*leaseMs) / 3 * (0.9 + 0.1*random)
	}
	if endMs != nil {
		untilEndMs = float64(*endMs)
	}
	first := math.Min(beatMs, untilEndMs)
	delayMs := math.Max(0, math.Min(math.Min(untilCheckMs, first), longestDelayMs))
	switch {
	case untilCheckMs <= first:
		return dueCheck, delayMs
	case beatMs < untilEndMs:
		return dueBeat, delayMs
	}
	return dueEnd, delayMs
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms) * time.Millisecond }
