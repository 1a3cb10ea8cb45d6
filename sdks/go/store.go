package licensing

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Store keeps one text between the runs of an application. A write must replace the text completely or not at all.
type Store interface {
	// Read returns the text, or "" before the first write.
	Read() (string, error)
	Write(text string) error
}

// LockingStore is a Store that one writer can have alone. A UsageRecorder locks its store; guards share theirs.
type LockingStore interface {
	Store
	// Lock returns the function that frees the store, or STORE.IN_USE while another writer has it.
	Lock() (unlock func(), err error)
}

// HoldingStore is a Store that counts the guards that use it, also those of other processes. A floating seat belongs to the
// machine: without Hold, a guard that stops frees the seat under the others.
type HoldingStore interface {
	Store
	// Hold counts one more guard until release is called or the process ends in any way. release returns whether no other
	// guard is left.
	Hold() (release func() (isLast bool, err error), err error)
}

func storeInUse(where string) *Error {
	message := "Another process or recorder writes to " + where + ". Give each UsageRecorder a store of its own."
	return &Error{Code: CodeStoreInUse, Message: message}
}

// storedObject returns the object in the text of a store, or nil for an empty one. The text of each owner has a kind, so
// that a guard and a recorder with one store do not overwrite each other: the error is STORE.FOREIGN for another kind, and
// STORE.UNREADABLE for a text that is not JSON.
func storedObject(text, kind string) (map[string]json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		message := "The store holds no JSON, so its state is lost. Let nothing else write to it."
		return nil, &Error{Code: CodeStoreUnreadable, Message: message}
	}
	if object := objectIn([]byte(text)); textIn(object["kind"]) == kind {
		return object, nil
	}
	message := "The store belongs to something other than a %s. Give the %s a store of its own."
	return nil, &Error{Code: CodeStoreForeign, Message: fmt.Sprintf(message, kind, kind)}
}

type memoryStore struct {
	mutex    sync.Mutex
	text     string
	isLocked bool
	holders  int
}

// MemoryStore returns a store that lasts as long as the process.
func MemoryStore() LockingStore { return &memoryStore{} }

func (s *memoryStore) Read() (string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text, nil
}

func (s *memoryStore) Write(text string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.text = text
	return nil
}

func (s *memoryStore) Lock() (func(), error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.isLocked {
		return nil, storeInUse("the memory store")
	}
	s.isLocked = true
	return func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.isLocked = false
	}, nil
}

func (s *memoryStore) Hold() (func() (bool, error), error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.holders++
	return func() (bool, error) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.holders--
		return s.holders == 0, nil
	}, nil
}

// After this time a temporary file belongs to no write that is under way.
const abandonedAfter = 10 * time.Minute

type fileStore struct {
	path   string
	mutex  sync.Mutex
	isTidy bool
}

// FileStore returns a store in a file that only its owner can read (mode 0600; a new folder gets 0700). A write replaces
// the file at once and is on the disk when it returns, so after a crash or a power failure the file has its old or its new
// text. Several processes may read and write; Lock makes one process the only writer with the file <path>.lock, and each
// guard that runs has a file <path>.<token>.holder.
func FileStore(path string) LockingStore { return &fileStore{path: path} }

func (s *fileStore) Read() (string, error) {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

func (s *fileStore) Write(text string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	folder := filepath.Dir(s.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if !s.isTidy {
		removeAbandoned(s.path)
		s.isTidy = true
	}
	draft := s.path + "." + randomKey() + ".tmp"
	if err := writeDurably(draft, text); err != nil {
		return err
	}
	if err := renameOver(draft, s.path); err != nil {
		os.Remove(draft)
		return err
	}
	syncFolder(folder)
	return nil
}

func (s *fileStore) Lock() (func(), error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, err
	}
	return lockFile(s.path)
}

func (s *fileStore) Hold() (func() (bool, error), error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, err
	}
	return holdFile(s.path)
}

// writeDurably creates a file that only its owner can read, and returns when the disk has its text. It fails if the file
// exists.
func writeDurably(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// renameOver replaces a file. Windows refuses that while another process reads it.
func renameOver(from, to string) error {
	for attempt := time.Duration(1); ; attempt++ {
		err := os.Rename(from, to)
		if err == nil || attempt == 10 || !errors.Is(err, os.ErrPermission) {
			return err
		}
		time.Sleep(attempt * 10 * time.Millisecond)
	}
}

// syncFolder makes the names in a folder durable after a rename. Windows cannot open a folder, and needs no such step.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		_ = folder.Sync()
		folder.Close()
	}
}

// removeAbandoned removes the temporary files of processes that ended while they wrote.
func removeAbandoned(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, filepath.Base(path)+".") || !strings.HasSuffix(name, ".tmp") {
			continue
		}
		info, err := entry.Info()
		if err == nil && time.Since(info.ModTime()) > abandonedAfter {
			os.Remove(filepath.Join(filepath.Dir(path), name))
		}
	}
}
