package licensing

import (
	"os"
	"path/filepath"
	"testing"
)

func TestVerifyArtifact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "editor.deb")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	right := "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	wrong := "00" + right[2:]
	for hash, want := range map[string]bool{right: true, wrong: false} {
		if is, err := VerifyArtifact(path, hash); is != want || err != nil {
			t.Errorf("%s: %v, %v", hash, is, err)
		}
	}
	if _, err := VerifyArtifact(path, "abc"); wrapped("", err, "").Code != CodeConfigurationInvalid {
		t.Errorf("what is no hash: %v", err)
	}
	if is, err := VerifyArtifact(path+".missing", right); is || err == nil {
		t.Errorf("a missing file: %v, %v", is, err)
	}
}
