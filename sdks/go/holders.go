package licensing

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

const holderSuffix = ".holder"

// holdFile counts one more guard that uses the store with this path, in the file <path>.<token>.holder. The SDKs of all
// languages write the same files.
func holdFile(path string) (release func() (isLast bool, err error), err error) {
	mine := thisOwner()
	text, err := json.Marshal(mine)
	if err != nil {
		return nil, err
	}
	file := path + "." + mine.Token + holderSuffix
	// No process may see a file without its text: it would count nobody.
	draft := file + ".tmp"
	if err := writeDurably(draft, string(text)); err != nil {
		return nil, err
	}
	if err := renameOver(draft, file); err != nil {
		os.Remove(draft)
		return nil, err
	}
	return func() (bool, error) {
		// Its own file first: of two guards that stop at the same time, one at least is then the last.
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return false, err
		}
		return isUnheld(path, mine.Host)
	}, nil
}

// isUnheld returns whether no living process of this machine holds a store, and removes the files of those that ended. A
// process of another host belongs to another machine, which has a seat of its own.
func isUnheld(path, host string) (bool, error) {
	folder, name := filepath.Split(path)
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, err
	}
	isUnheld := true
	for _, entry := range entries {
		token := strings.TrimSuffix(strings.TrimPrefix(entry.Name(), name+"."), holderSuffix)
		// A token has no dot, so the holders of a store whose name begins with this one have another form.
		if entry.Name() != name+"."+token+holderSuffix || strings.Contains(token, ".") {
			continue
		}
		file := filepath.Join(folder, entry.Name())
		owner := readOwner(file)
		if owner == nil || owner.Host != host {
			continue
		}
		if owner.isAlive(host) {
			isUnheld = false
		} else {
			os.Remove(file)
		}
	}
	return isUnheld, nil
}
