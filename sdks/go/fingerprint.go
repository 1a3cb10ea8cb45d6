package licensing

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

const fingerprintPrefix = "licensing-fingerprint-v1:"

// FingerprintOptions say what a fingerprint is made for.
type FingerprintOptions struct {
	// Product is the code of the product. Fingerprints of two products have nothing in common.
	Product string
	// MachineID replaces the id of the machine, for example with the serial number of a dongle.
	MachineID string
	// Path is the file for the random id of a machine without an id of its own, such as a container. By default it is in
	// the state folder of the user. In a container, put it on a volume, or each start is a new machine.
	Path string
	// System replaces the operating system in a test.
	System *System
}

// System is what the fingerprint reads from the operating system; a test passes its own.
type System struct {
	// Platform is the name of the operating system, as in runtime.GOOS.
	Platform string
	Getenv   func(name string) (string, bool)
	// ReadFile returns the text of a file, or an error if it cannot be read.
	ReadFile func(path string) ([]byte, error)
	// Run returns what a program prints, or an error if it fails.
	Run func(program string, arguments ...string) ([]byte, error)
}

func thisSystem() *System {
	return &System{
		Platform: runtime.GOOS, Getenv: os.LookupEnv, ReadFile: os.ReadFile,
		Run: func(program string, arguments ...string) ([]byte, error) {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			return exec.CommandContext(ctx, program, arguments...).Output()
		},
	}
}

// MachineFingerprint returns the fingerprint of this machine for a product: 64 lower-case hexadecimal characters, an
// HMAC-SHA256 of the product under the id of the machine (machine-id, IOPlatformUUID or MachineGuid), so that it
// identifies nothing elsewhere. In a container and without such an id, a stored random id takes its place. The error is
// FINGERPRINT.UNAVAILABLE if that cannot be stored.
func MachineFingerprint(options FingerprintOptions) (string, error) {
	_, id, err := options.machine()
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, []byte(id))
	mac.Write([]byte(fingerprintPrefix + options.Product))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// machine returns the operating system, and the id of the machine or the stored one.
func (o FingerprintOptions) machine() (*System, string, error) {
	if o.Product == "" {
		return nil, "", configurationError("Product must be the code of a product.")
	}
	system := o.System
	if system == nil {
		system = thisSystem()
	}
	id := strings.TrimSpace(o.MachineID)
	if id == "" {
		id = system.machineID()
	}
	if id != "" {
		return system, id, nil
	}
	id, err := system.storedID(o.Path)
	return system, id, err
}

var (
	macID     = regexp.MustCompile(`"IOPlatformUUID"\s*=\s*"([^"]+)"`)
	container = regexp.MustCompile(`docker|containerd|kubepods|libpod|lxc`)
)

// machineID returns the id that the operating system gives to this machine, or "" if it has none or if this is a
// container: containers of one image share the id of the image.
func (s *System) machineID() string {
	switch s.Platform {
	case "darwin":
		// The absolute path keeps a user from replacing the program with one of the search path.
		return s.printed(macID, "/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice")
	case "windows":
		return s.registryValue(`HKLM\SOFTWARE\Microsoft\Cryptography`, "MachineGuid")
	case "linux":
		if !s.isContainer() {
			return s.linuxID()
		}
	}
	return ""
}

// registryValue returns a text of the registry of Windows, or "".
func (s *System) registryValue(key, name string) string {
	root, isSet := s.Getenv("SystemRoot")
	if !isSet {
		root = `C:\Windows`
	}
	pattern := regexp.MustCompile(name + `\s+REG_SZ\s+(\S.*)`)
	// /reg:64: a 32-bit process otherwise reads another part of the registry, which has no id.
	return s.printed(pattern, root+`\System32\reg.exe`, "query", key, "/v", name, "/reg:64")
}

func (s *System) printed(pattern *regexp.Regexp, program string, arguments ...string) string {
	text, err := s.Run(program, arguments...)
	found := pattern.FindSubmatch(text)
	if err != nil || found == nil {
		return ""
	}
	return strings.TrimSpace(string(found[1]))
}

func (s *System) linuxID() string {
	for _, path := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		text, err := s.ReadFile(path)
		// "uninitialized": the first boot has not finished, machine-id(5).
		if id := strings.TrimSpace(string(text)); err == nil && id != "" && id != "uninitialized" {
			return id
		}
	}
	return ""
}

func (s *System) isContainer() bool {
	if _, isSet := s.Getenv("KUBERNETES_SERVICE_HOST"); isSet {
		return true
	}
	for _, path := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := s.ReadFile(path); err == nil {
			return true
		}
	}
	groups, err := s.ReadFile("/proc/1/cgroup")
	return err == nil && container.Match(groups)
}

func (s *System) storedID(path string) (string, error) {
	if path == "" {
		folder, err := s.stateFolder()
		if err != nil {
			return "", unavailable("a file", err)
		}
		path = filepath.Join(folder, "licensing-sdk", "machine-id")
	}
	id, err := readOrMakeID(path)
	if err != nil {
		return "", unavailable(path, err)
	}
	return id, nil
}

func unavailable(path string, cause error) *Error {
	message := fmt.Sprintf("This machine has no id of its own, and %s cannot hold one: %v. ", path, cause) +
		"Set Path to a writable file that persists."
	return &Error{Code: CodeFingerprintUnavailable, Message: message, Cause: cause}
}

// stateFolder returns the folder in which programs keep such state for the user.
func (s *System) stateFolder() (string, error) {
	name := map[string]string{"windows": "LOCALAPPDATA", "linux": "XDG_STATE_HOME"}[s.Platform]
	if folder, isSet := s.Getenv(name); isSet && folder != "" {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	switch s.Platform {
	case "windows":
		return filepath.Join(home, "AppData", "Local"), err
	case "darwin":
		return filepath.Join(home, "Library", "Application Support"), err
	}
	return filepath.Join(home, ".local", "state"), err
}

// readOrMakeID returns the random id in a file, and creates the file if it is missing. Concurrent processes get the same
// id.
func readOrMakeID(path string) (string, error) {
	if id, err := readID(path); id != "" || err != nil {
		return id, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	made := make([]byte, 16)
	if _, err := rand.Read(made); err != nil {
		return "", err
	}
	text := hex.EncodeToString(made)
	draft := path + "." + randomKey() + ".tmp"
	defer os.Remove(draft)
	if err := writeDurably(draft, text); err != nil {
		return "", err
	}
	// Only the first of several processes succeeds; the others read its id. Some file systems have no links.
	if err := os.Link(draft, path); err != nil && !errors.Is(err, os.ErrExist) {
		if err := writeDurably(path, text); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	id, err := readID(path)
	if err == nil && id == "" {
		err = fmt.Errorf("%s is empty: remove it", path)
	}
	return id, err
}

func readID(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}
