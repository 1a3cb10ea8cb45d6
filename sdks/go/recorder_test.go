package licensing

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// countingService counts events by their idempotency key, as the service does.
type countingService struct {
	mutex   sync.Mutex
	counted map[string]int64
	failure error
}

func (s *countingService) ReportUsage(_ context.Context, _ string, events []UsageEvent) (*UsageReport, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	report := &UsageReport{}
	for index, event := range events {
		status := "accepted"
		if _, isKnown := s.counted[event.IdempotencyKey]; isKnown {
			status = "duplicate"
		}
		s.counted[event.IdempotencyKey] = event.Quantity
		report.Results = append(report.Results, UsageResult{Index: index, Status: status})
	}
	return report, s.failure
}

func newRecorder(t *testing.T, service *countingService, store Store) *UsageRecorder {
	t.Helper()
	recorder, err := NewUsageRecorder(UsageRecorderOptions{Client: service, LicenseKey: "KEY", Store: store})
	if err != nil {
		t.Fatal(err)
	}
	return recorder
}

func TestEventsOfManyGoroutinesAreCountedOnce(t *testing.T) {
	service := &countingService{counted: map[string]int64{}}
	recorder := newRecorder(t, service, FileStore(filepath.Join(t.TempDir(), "usage.json")))
	var ended sync.WaitGroup
	for i := 0; i < 50; i++ {
		ended.Add(1)
		go func() {
			defer ended.Done()
			if err := recorder.Record("renders", 2); err != nil {
				t.Error(err)
			}
		}()
	}
	ended.Wait()
	result := recorder.Close()
	if result.Err != nil || result.Pending != 0 || len(service.counted) != 50 {
		t.Fatalf("%+v, %d events", result, len(service.counted))
	}
}

func TestEventsThatWereSentWithoutAnAnswerAreCountedOnceAfterARestart(t *testing.T) {
	service := &countingService{counted: map[string]int64{}, failure: &Error{Code: CodeNetworkUnreachable}}
	path := filepath.Join(t.TempDir(), "usage.json")
	first := newRecorder(t, service, FileStore(path))
	if err := first.Record("renders", 3); err != nil {
		t.Fatal(err)
	}
	if result := first.Close(); CodeOf(result.Err) != CodeNetworkUnreachable || result.Pending != 1 {
		t.Fatalf("%+v", result)
	}
	service.failure = nil
	result := newRecorder(t, service, FileStore(path)).Close()
	if result.Duplicate != 1 || result.Pending != 0 || len(service.counted) != 1 {
		t.Fatalf("%+v", result)
	}
}

func TestASecondRecorderOfAStoreIsRefused(t *testing.T) {
	service := &countingService{counted: map[string]int64{}}
	path := filepath.Join(t.TempDir(), "usage.json")
	first := newRecorder(t, service, FileStore(path))
	if err := first.Record("renders", 1); err != nil {
		t.Fatal(err)
	}
	second := newRecorder(t, service, FileStore(path))
	if err := second.Record("renders", 1); CodeOf(err) != CodeStoreInUse {
		t.Fatalf("%v", err)
	}
	first.Close()
	if err := second.Record("renders", 1); err != nil {
		t.Fatal(err)
	}
	second.Close()
}

func TestTheLockOfAnEndedProcessIsTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.json")
	host, _ := os.Hostname()
	// No process has this id: it is larger than any that Linux gives.
	text := `{"token":"old","pid":99999999,"host":"` + host + `","startedAt":null}`
	if err := os.WriteFile(path+".lock", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := FileStore(path).Lock()
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := os.Stat(path + ".lock"); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("the lock stays after its end")
	}
}

func TestTheFileOfAStoreBelongsToItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "license.json")
	store := FileStore(path)
	if text, err := store.Read(); text != "" || err != nil {
		t.Fatal(text, err)
	}
	for _, text := range []string{"one", "two"} {
		if err := store.Write(text); err != nil {
			t.Fatal(err)
		}
		if found, err := store.Read(); found != text || err != nil {
			t.Fatal(found, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	if files, _ := filepath.Glob(path + ".*"); len(files) != 0 {
		t.Fatal(files)
	}
}
