package licensing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"sort"
	"strings"
)

const componentPrefix = "licensing-component-v1:"

// part is a part of a machine that can be replaced.
type part struct {
	name, value string
	// isShared says that the computers of one series have the same value.
	isShared bool
}

// MachineComponents returns hashes of the parts of this machine, for a policy that recognises a device although some of
// them changed: machine (the id that the fingerprint uses), board, disk, mac and cpu, as far as the user may read them.
// Each is an HMAC-SHA256 of the product and the name under the value. In a container, only machine belongs to this
// machine. Parts that the computers of one series share (cpu, and a board without a serial number) are never the majority.
// The errors are those of MachineFingerprint.
func MachineComponents(options FingerprintOptions) (map[string]string, error) {
	system, id, err := options.machine()
	if err != nil {
		return nil, err
	}
	components := map[string]string{}
	var shared []part
	for _, one := range append([]part{{name: "machine", value: id}}, system.parts()...) {
		if isPlaceholder(one.value) {
			continue
		}
		if one.isShared {
			shared = append(shared, one)
		} else {
			components[one.name] = one.hashed(options.Product)
		}
	}
	own := len(components)
	for i, one := range shared {
		if i < own {
			components[one.name] = one.hashed(options.Product)
		}
	}
	return components, nil
}

func (p part) hashed(product string) string {
	mac := hmac.New(sha256.New, []byte(strings.TrimSpace(p.value)))
	mac.Write([]byte(componentPrefix + p.name + ":" + product))
	return hex.EncodeToString(mac.Sum(nil))
}

var (
	// What firmware and virtual machines say instead of a serial number.
	placeholder = regexp.MustCompile(`^(none|unknown|default string|not (specified|applicable|available)|` +
		`to be filled by o\.e\.m\.|(system|base board) serial number|123456789|qm[0-9]+|` +
		`\{?03000200-0400-0500-0006-000700080009\}?)$`)
	macSerial  = regexp.MustCompile(`"IOPlatformSerialNumber"\s*=\s*"([^"]+)"`)
	wholeText  = regexp.MustCompile(`(?s)(.*)`)
	cpuModel   = regexp.MustCompile(`(?m)^model name[ \t]*:(.+)$`)
	rootMount  = regexp.MustCompile(`(?m)^\d+ \d+ (\d+:\d+) \S+ / .*? - \S+ (\S+)`)
	blockName  = regexp.MustCompile(`^/dev/([^/]+)$`)
	diskSerial = regexp.MustCompile(`(?m)^E:ID_SERIAL_SHORT=(.+)$`)
	fileSystem = regexp.MustCompile(`(?m)^E:ID_FS_UUID=(.+)$`)
	networkRow = regexp.MustCompile(`(?m)^[ \t]*([^\s:]+):`)
)

// isPlaceholder tells a value that identifies nothing. One that repeats a single letter or digit does not either.
func isPlaceholder(value string) bool {
	text := strings.ToLower(strings.TrimSpace(value))
	if placeholder.MatchString(text) {
		return true
	}
	var first rune
	for _, letter := range text {
		if (letter < 'a' || letter > 'z') && (letter < '0' || letter > '9') {
			continue
		}
		if first != 0 && letter != first {
			return false
		}
		first = letter
	}
	return true
}

func (s *System) parts() []part {
	switch s.Platform {
	case "linux":
		if !s.isContainer() {
			return s.linuxParts()
		}
	case "darwin":
		return []part{
			{name: "board", value: s.printed(macSerial, "/usr/sbin/ioreg", "-rd1", "-c", "IOPlatformExpertDevice")},
			{name: "cpu", value: s.printed(wholeText, "/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"), isShared: true},
		}
	case "windows":
		cpu := s.registryValue(`HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0`, "ProcessorNameString")
		return []part{
			// The UUID that the firmware has for this computer.
			{name: "board", value: s.registryValue(`HKLM\SYSTEM\HardwareConfig`, "LastConfig")},
			{name: "cpu", value: cpu, isShared: true},
		}
	}
	return nil
}

func (s *System) linuxParts() []part {
	// Only root may read the serial number.
	board := part{name: "board", value: s.text("/sys/class/dmi/id/board_serial")}
	if isPlaceholder(board.value) {
		model := s.text("/sys/class/dmi/id/board_name")
		board = part{name: "board", value: s.text("/sys/class/dmi/id/board_vendor") + " " + model, isShared: true}
		if isPlaceholder(model) {
			board.value = ""
		}
	}
	cpu := submatch(cpuModel, s.text("/proc/cpuinfo"), 1)
	return []part{
		board, {name: "disk", value: s.rootDisk()}, {name: "mac", value: s.physicalAddress()},
		{name: "cpu", value: cpu, isShared: true},
	}
}

// text returns the text of a file without the white space around it, or "".
func (s *System) text(path string) string {
	text, err := s.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func submatch(pattern *regexp.Regexp, text string, group int) string {
	if found := pattern.FindStringSubmatch(text); found != nil {
		return found[group]
	}
	return ""
}

// rootDisk returns the serial number of the disk with the root folder, or the id of its file system, as udev knows them.
func (s *System) rootDisk() string {
	mounts := s.text("/proc/self/mountinfo")
	number := submatch(rootMount, mounts, 1)
	device := submatch(blockName, submatch(rootMount, mounts, 2), 1)
	// A file system of several disks has a number of its own.
	if strings.HasPrefix(number, "0:") && device != "" {
		number = s.text("/sys/class/block/" + device + "/dev")
	}
	facts := s.text("/run/udev/data/b" + number)
	if serial := submatch(diskSerial, facts, 1); !isPlaceholder(serial) {
		return serial
	}
	return submatch(fileSystem, facts, 1)
}

// physicalAddress returns the permanent address of the first network interface, by name, that is hardware.
func (s *System) physicalAddress() string {
	var names []string
	for _, row := range networkRow.FindAllStringSubmatch(s.text("/proc/net/dev"), -1) {
		names = append(names, row[1])
	}
	sort.Strings(names)
	for _, name := range names {
		folder := "/sys/class/net/" + name
		isHardware := s.text(folder+"/device/uevent") != "" && s.text(folder+"/addr_assign_type") == "0"
		if address := s.text(folder + "/address"); isHardware && !isPlaceholder(address) {
			return address
		}
	}
	return ""
}
