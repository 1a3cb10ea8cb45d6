package licensing

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const childStore = "LICENSING_TEST_STORE"

// TestMain is also the program of a second process: it starts a guard, says so, and stops when its input ends.
func TestMain(m *testing.M) {
	path := os.Getenv(childStore)
	if path == "" {
		os.Exit(m.Run())
	}
	service := newSlowService()
	service.answers <- struct{}{}
	guard := newFloating(&testing.T{}, service, FileStore(path))
	guard.Start(context.Background())
	os.Stdout.WriteString("started\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
	guard.Stop(context.Background())
	if service.freedSeats() > 0 {
		os.Stdout.WriteString("freed\n")
	}
	os.Exit(0)
}

// childProcess is another process whose guard has started.
type childProcess struct {
	command *exec.Cmd
	stop    func() (said string)
}

func startProcess(t *testing.T, path string) childProcess {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childStore+"="+path)
	input, _ := command.StdinPipe()
	output, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 100)
	if size, err := output.Read(said); err != nil || string(said[:size]) != "started\n" {
		t.Fatal(string(said[:size]), err)
	}
	return childProcess{command, func() string {
		input.Close()
		size, _ := output.Read(said)
		_ = command.Wait()
		return string(said[:size])
	}}
}

func TestTheFirstOfTwoProcessesToExitKeepsTheSeatAndTheSecondFreesIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "license.json")
	first, second := startProcess(t, path), startProcess(t, path)
	if said := first.stop(); said != "" {
		t.Fatal("the first process", said)
	}
	if said := second.stop(); said != "freed\n" {
		t.Fatal("the second process kept the seat")
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) != 0 {
		t.Fatal(left)
	}
}

func TestAProcessThatWasKilledHoldsNoSeat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "license.json")
	first, second := startProcess(t, path), startProcess(t, path)
	if err := first.command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.command.Wait()
	if said := second.stop(); said != "freed\n" {
		t.Fatal("the second process kept the seat")
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) != 0 {
		t.Fatal(left)
	}
}

func TestAHolderOnAnotherMachineNeitherCountsNorIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "license.json")
	foreign := path + ".other.holder"
	text := `{"token":"other","pid":1,"host":"another-machine","startedAt":null}`
	if err := os.WriteFile(foreign, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	release, err := FileStore(path).(HoldingStore).Hold()
	if err != nil {
		t.Fatal(err)
	}
	if isLast, err := release(); !isLast || err != nil {
		t.Fatal(isLast, err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreWhoseNameBeginsLikeAnotherHasItsOwnHolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "license")
	other, err := FileStore(path + ".json").(HoldingStore).Hold()
	if err != nil {
		t.Fatal(err)
	}
	release, err := FileStore(path).(HoldingStore).Hold()
	if err != nil {
		t.Fatal(err)
	}
	if isLast, err := release(); !isLast || err != nil {
		t.Fatal(isLast, err)
	}
	if isLast, err := other(); !isLast || err != nil {
		t.Fatal(isLast, err)
	}
}
