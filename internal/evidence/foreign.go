package evidence

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Seal ends the logs, saves them again where the agent took them away, and moves
// what it put into the folder out of the way. It returns what the agent did, one
// sentence each that lacks its subject. Call it when the agent has ended; Close
// seals a folder that is not sealed.
func (f *Folder) Seal(ctx context.Context) (tampering []string) {
	if !f.sealed {
		f.sealed = true
		f.Flush()
		f.fail("write logs", f.lost)
		f.fail("make folder anew", f.revive())
		f.fail("close "+EventsFile, f.closeLog(ctx, EventsFile, f.events.file))
		if f.source != nil {
			f.fail("close "+SourceFile, f.closeLog(ctx, SourceFile, f.source.file))
		}
		if !f.noTexts {
			f.fail("close "+StderrFile, errors.Join(f.stderr.Close(), f.closeLog(ctx, StderrFile, f.errFile)))
		}
		var err error
		f.entries, err = f.moveForeign()
		f.fail("clear folder", err)
	}
	for _, name := range f.restored {
		tampering = append(tampering, fmt.Sprintf("removed %s from the evidence, want it left alone; what was received is saved again", name))
	}
	for _, name := range f.written {
		tampering = append(tampering, fmt.Sprintf("wrote to %s of the evidence, want it left alone; it proves nothing now", name))
	}
	if f.entries > 0 {
		tampering = append(tampering, fmt.Sprintf("put %d entries into the evidence folder, want none; they are treated as artifacts", f.entries))
	}
	return tampering
}

// moveForeign moves what the agent put into the folder itself out of the way of
// what is still to be written, to where collect finds it, and returns how much
// that is. It would be evidence that nobody redacted, or in the place of such.
func (f *Folder) moveForeign() (n int, err error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, e := range entries {
		if f.sums[e.Name()] != nil {
			continue
		}
		n++
		errs = append(errs, f.moveAway(e.Name()))
	}
	return n, errors.Join(errs...)
}

// moveAway moves one entry. What cannot be moved is removed, since nobody
// redacted it, and reported.
func (f *Folder) moveAway(name string) error {
	if f.foreign == "" {
		f.foreign = ".foreign-" + rand.Text()
		if err := f.root.Mkdir(f.foreign, dirMode); err != nil {
			f.foreign = ""
			return errors.Join(err, f.root.RemoveAll(name))
		}
	}
	if err := f.root.Rename(name, path.Join(f.foreign, name)); err != nil {
		return errors.Join(err, f.root.RemoveAll(name))
	}
	return nil
}
