package licensing

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// lockOwner identifies the process that holds a lock or a store.
type lockOwner struct {
	Token string `json:"token"`
	PID   int    `json:"pid"`
	Host  string `json:"host"`
	// StartedAt tells a process from a later one with the same id; nil where the system does not say it.
	StartedAt *string `json:"startedAt"`
}

// heldLocks are the locks of this process, because its id does not tell one from another.
var heldLocks = struct {
	sync.Mutex
	paths map[string]bool
}{paths: map[string]bool{}}

// lockFile takes the lock file of a path. The lock of a process that ended in any way is taken over. The error is
// STORE.IN_USE while its owner lives; an owner on another host counts as alive, because its process cannot be seen from
// here. The Node package writes the same file.
func lockFile(path string) (func(), error) {
	lock := path + ".lock"
	heldLocks.Lock()
	defer heldLocks.Unlock()
	if heldLocks.paths[lock] {
		return nil, storeInUse(path)
	}
	mine := thisOwner()
	if err := takeLock(lock, path, mine); err != nil {
		return nil, err
	}
	heldLocks.paths[lock] = true
	return func() {
		heldLocks.Lock()
		defer heldLocks.Unlock()
		delete(heldLocks.paths, lock)
		if owner := readOwner(lock); owner != nil && owner.Token == mine.Token {
			os.Remove(lock)
		}
	}, nil
}

func thisOwner() lockOwner {
	host, _ := os.Hostname()
	return lockOwner{Token: randomKey(), PID: os.Getpid(), Host: host, StartedAt: processStartOf(os.Getpid())}
}

func takeLock(lock, path string, mine lockOwner) error {
	for attempt := 0; attempt < 5; attempt++ {
		isTaken, err := createLock(lock, mine)
		if isTaken || err != nil {
			return err
		}
		owner := readOwner(lock)
		if owner != nil && owner.isAlive(mine.Host) {
			return storeInUse(path)
		}
		removeStale(lock, owner)
	}
	return storeInUse(path)
}

// createLock creates the lock with its text in one step, so that no process sees an empty lock.
func createLock(lock string, mine lockOwner) (bool, error) {
	text, err := json.Marshal(mine)
	if err != nil {
		return false, err
	}
	draft := lock + "." + mine.Token + ".tmp"
	os.Remove(draft)
	if err := writeDurably(draft, string(text)); err != nil {
		return false, err
	}
	defer os.Remove(draft)
	err = os.Link(draft, lock)
	if errors.Is(err, os.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// removeStale removes the lock of an ended process. If another process took the lock meanwhile, it puts that back.
func removeStale(lock string, seen *lockOwner) {
	aside := lock + "." + randomKey() + ".stale"
	if os.Rename(lock, aside) != nil {
		return
	}
	defer os.Remove(aside)
	now := readOwner(aside)
	if (now == nil) != (seen == nil) || (now != nil && now.Token != seen.Token) {
		_ = os.Link(aside, lock)
	}
}

// readOwner returns the owner of a lock; nil if there is none, or if this package did not write it.
func readOwner(lock string) *lockOwner {
	text, err := os.ReadFile(lock)
	var owner lockOwner
	if err != nil || json.Unmarshal(text, &owner) != nil {
		return nil
	}
	return &owner
}

func (o *lockOwner) isAlive(host string) bool {
	if o.Host != host {
		return true
	}
	if runtime.GOOS == "windows" {
		// FindProcess fails there for a process that has ended.
		_, err := os.FindProcess(o.PID)
		return err == nil
	}
	process, err := os.FindProcess(o.PID)
	if err != nil {
		return false
	}
	// EPERM: the process exists and belongs to another user.
	if err := process.Signal(syscall.Signal(0)); err != nil && !errors.Is(err, os.ErrPermission) {
		return false
	}
	now := processStartOf(o.PID)
	return o.StartedAt == nil || now == nil || *o.StartedAt == *now
}

// processStartOf returns when a process started, in ticks since the boot (proc(5), field 22), or nil without /proc.
func processStartOf(pid int) *string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// The second field, the name of the program, is in parentheses and may contain spaces.
	end := strings.LastIndex(string(text), ")")
	if err != nil || end < 0 {
		return nil
	}
	fields := strings.Fields(string(text)[end+1:])
	if len(fields) < 20 {
		return nil
	}
	return &fields[19]
}
