package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Checked is what an archive came to.
type Checked struct {
	// Files and Rows are those of each table, by its name.
	Files, Rows map[string]int64
	// Problems say each in a sentence what is wrong.
	Problems []string
	// Left counts files of adds that were interrupted. They are not part of the
	// archive, and the next add removes them.
	Left int
}

// checker checks an archive.
type checker struct {
	*Archive
	Checked
	left map[string]bool // paths of files that are not part of the archive
	// sets are those of the day that is checked, keys those of their rows.
	sets, keys map[string]bool
}

// Check reads all files of the archive in the folder dir, which the user calls name: the
// columns, the digests, and whether each run and each results are there once and whole.
func Check(dir, name string) (Checked, error) {
	a, err := Open(dir, name)
	if err != nil {
		return Checked{}, err
	}
	defer a.Close()
	if unlock, err := a.lock(context.Background(), true); err == nil { // else it cannot be written
		defer unlock()
	}
	c := &checker{Archive: a, Checked: Checked{Files: map[string]int64{}, Rows: map[string]int64{}}}
	temporary, placed, err := a.leftovers()
	if err != nil { // which names the folder
		c.Problems = append(c.Problems, err.Error())
	}
	c.Left, c.left = len(temporary)+len(placed), placed
	for _, date := range c.dates() {
		c.sets, c.keys = map[string]bool{}, map[string]bool{}
		for _, t := range slices.Backward(tables) { // first those that say what there is
			c.day(t, date)
		}
	}
	return c.Checked, nil
}

func (c *checker) problem(where string, err error) {
	c.Problems = append(c.Problems, named(where, err).Error())
}

// list lists a folder of the archive.
func (c *checker) list(name string) []string {
	names, err := c.folder(name)
	if err != nil { // which names the folder
		c.Problems = append(c.Problems, err.Error())
	}
	return names
}

// dates returns the days that any table has, in order.
func (c *checker) dates() (dates []string) {
	for _, t := range tables {
		for _, name := range c.list(t.name) {
			m := partitionName.FindStringSubmatch(name)
			switch {
			case hidden(name):
			case m == nil:
				c.problem(path.Join(t.name, name), errors.New("no name of a day's folder"))
			case !slices.Contains(dates, m[1]):
				dates = append(dates, m[1])
			}
		}
	}
	slices.Sort(dates)
	return dates
}

// hidden reports whether engines pass over a file of that name.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// day checks the files of a table and day.
func (c *checker) day(t table, date string) {
	for _, base := range c.list(partition(t.name, date)) {
		name := path.Join(partition(t.name, date), base)
		m := fileName.FindStringSubmatch(base)
		switch {
		case hidden(base) || c.left[name]:
		case m == nil:
			c.problem(name, errors.New("no name of a file of an archive"))
		default:
			f := stored{t, date, m[1], m[2]}
			if got, err := c.digest(name); err != nil {
				c.problem(name, err)
			} else if got != f.digest {
				c.problem(name, fmt.Errorf("its SHA-256 is %s: it was changed or torn", got))
			} else if err := c.reading(f, func(o *opened) error { return c.file(f, o) }); err != nil {
				c.Problems = append(c.Problems, err.Error())
			}
		}
	}
}

// digest returns the SHA-256 of a file.
func (c *checker) digest(name string) (string, error) {
	f, err := c.openFile(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hexOf(sum), err
}

// file checks a file that is as it was written.
func (c *checker) file(f stored, o *opened) error {
	if err := compareColumns(parquet.SchemaOf(f.row), o.Schema()); err != nil {
		return err
	}
	c.Files[f.name]++
	c.Rows[f.name] += o.NumRows()
	switch {
	case o.NumRows() == 0:
		return nil
	case f.isLast():
		return c.evidence(f, o)
	case !c.sets[f.set]:
		return errors.New("no row of runs belongs to it")
	}
	var strange error
	err := o.keys(f.table, func(key string) {
		if !c.keys[key] {
			strange = fmt.Errorf("no row of runs has the %s %s", f.key, key)
		}
	})
	return errors.Join(err, strange)
}

// evidence checks a file that says which runs or results there are.
func (c *checker) evidence(f stored, o *opened) error {
	set, err := c.Archive.keys(f)
	if err != nil {
		return err
	}
	for _, s := range set {
		if c.keys[s.key] {
			err = fmt.Errorf("%s %s is there twice", f.key, s.key)
		}
		c.keys[s.key] = true
	}
	if err == nil && setName(set) != f.set {
		err = fmt.Errorf("its name is not that of its %d keys", len(set))
	}
	c.sets[f.set] = err == nil
	for _, t := range tables {
		digest, ok := o.Lookup(aboutFile + t.name)
		if !ok || err != nil {
			continue
		}
		other := stored{t, f.date, f.set, digest}.path()
		if _, statErr := c.root.Lstat(other); statErr != nil {
			err = fmt.Errorf("what belongs to it is missing: %w", named(other, statErr))
		}
	}
	return err
}

// compareColumns reports a column that is not as the table has it. A file of an older
// revision lacks some that may be null.
func compareColumns(want, got *parquet.Schema) error {
	for _, field := range slices.Concat(want.Fields(), got.Fields()) {
		w, known := want.Lookup(field.Name())
		g, there := got.Lookup(field.Name())
		if known && !there && field.Optional() || known && there && columnType(w.Node) == columnType(g.Node) {
			continue
		}
		return fmt.Errorf("its columns are not those of the table: %s is %s, want %s", field.Name(), columnType(g.Node), columnType(w.Node))
	}
	return nil
}

// columnType names the type of a column of one value.
func columnType(n parquet.Node) string {
	if n == nil || !n.Leaf() || n.Repeated() {
		return "none"
	}
	return fmt.Sprint(n.Type(), map[bool]string{true: " null"}[n.Optional()])
}
