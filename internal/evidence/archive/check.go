package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/openagent-ci/openagent/internal/platform/file"
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
	ctx context.Context
	Checked
	left map[string]bool // sets that an interrupted add left, by name and date
	// replaces has the set that a compaction wrote instead of all others of a
	// day, by the table that comes last and the day.
	replaces map[string]string
	// sets are those of the day that is checked, keys those of their rows.
	sets, keys map[string]bool
}

// Check reads all files of the archive in the folder dir, which the user calls name: the
// columns, the digests, and whether each run and each results are there once and whole.
func Check(ctx context.Context, dir, name string) (Checked, error) {
	a, err := Open(dir, name)
	if err != nil {
		return Checked{}, err
	}
	defer a.Close()
	defer a.shared(ctx)()
	c := &checker{Archive: a, ctx: ctx, Checked: Checked{Files: map[string]int64{}, Rows: map[string]int64{}}, left: map[string]bool{}, replaces: map[string]string{}}
	for _, entry := range c.list(addingDir) {
		c.Left++
		if set, date, ok := leftBy(entry.Name()); ok {
			c.left[set+date] = true
			if last, err := a.replacedBy(set, date); err == nil && last != "" && strings.HasSuffix(entry.Name(), "."+compacting) {
				c.replaces[last+date] = set
			}
		}
	}
	for _, date := range c.dates() {
		c.day(date)
	}
	return c.Checked, context.Cause(ctx)
}

// shared waits until nobody adds, and keeps others from that; not in a folder that
// cannot be written.
func (a *Archive) shared(ctx context.Context) (release func()) {
	if info, err := a.root.Lstat(lockFile); err != nil || !info.Mode().IsRegular() {
		return func() {}
	}
	unlock, err := file.Await(ctx, filepath.Join(a.dir, lockFile), fileMode, true)
	if err != nil {
		return func() {}
	}
	return func() { _ = unlock() }
}

func (c *checker) problem(where string, err error) {
	c.Problems = append(c.Problems, named(where, err).Error())
}

// list lists a folder of the archive.
func (c *checker) list(name string) []fs.DirEntry {
	entries, err := c.folder(name)
	if err != nil { // which names the folder
		c.Problems = append(c.Problems, err.Error())
	}
	return entries
}

// dates returns the days that any table has, in order.
func (c *checker) dates() (dates []string) {
	for _, t := range tables {
		for _, entry := range c.list(t.name) {
			m := partitionName.FindStringSubmatch(entry.Name())
			switch {
			case hidden(entry.Name()):
			case m == nil:
				c.problem(path.Join(t.name, entry.Name()), errors.New("no name of a day's folder"))
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

// day checks the files of a day, those first that say which runs and results there are.
func (c *checker) day(date string) {
	c.sets, c.keys = map[string]bool{}, map[string]bool{}
	for _, t := range slices.Backward(tables) {
		if c.ctx.Err() != nil {
			return
		}
		for _, entry := range c.list(partition(t.name, date)) {
			if hidden(entry.Name()) || c.ctx.Err() != nil {
				continue
			}
			name := path.Join(partition(t.name, date), entry.Name())
			if err := c.file(t, date, name); err != nil {
				c.problem(name, err)
			}
		}
	}
}

// isLast reports whether files of the table come last in a set.
func isLast(table string) bool { return table == tableRuns || table == tableScenarios }

// file checks one file.
func (c *checker) file(t table, date, name string) error {
	m := fileName.FindStringSubmatch(path.Base(name))
	if m == nil {
		return errors.New("no name of a file of an archive")
	}
	set, digest := m[1], m[2]
	last := tableRuns
	if t.name == tableScenarios {
		last = tableScenarios
	}
	if by := c.replaces[last+date]; by != "" && by != set {
		c.Left++
		return nil
	}
	if !isLast(t.name) && c.left[set+date] && !c.sets[set] {
		c.Left++
		return nil
	}
	if got, err := c.digest(name); err != nil {
		return err
	} else if got != digest {
		return fmt.Errorf("its SHA-256 is %s: it was changed or torn", got)
	}
	f, err := c.open(name)
	if err != nil {
		return err
	}
	defer f.close()
	if wrong := wrongColumns(t, f.Schema()); wrong != "" {
		return errors.New(wrong)
	}
	c.Files[t.name]++
	c.Rows[t.name] += f.NumRows()
	if !isLast(t.name) {
		if !c.sets[set] {
			return errors.New("no row of runs belongs to it")
		}
		return c.children(t, f)
	}
	return c.evidence(t, f, set, date)
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

// evidence checks a file that says which runs or results there are.
func (c *checker) evidence(t table, f *opened, set, date string) error {
	var keys []source
	twice := ""
	err := f.texts(t.key, func(key string) {
		if len(keys) > 0 && keys[len(keys)-1].key == key && t.name == tableScenarios {
			return // of the same results
		}
		if c.keys[key] {
			twice = key
		}
		c.keys[key] = true
		keys = append(keys, source{key: key})
	})
	switch {
	case err != nil:
		return err
	case twice != "":
		return fmt.Errorf("%s %s is there twice", t.key, twice)
	case setName(keys) != set:
		return fmt.Errorf("its name is not that of its %d keys", len(keys))
	}
	c.sets[set] = true
	for _, other := range tables {
		digest, ok := f.Lookup(aboutFile + other.name)
		if !ok {
			continue
		}
		name := path.Join(partition(other.name, date), set+"-"+digest+".parquet")
		if _, err := c.root.Lstat(name); err != nil {
			return fmt.Errorf("what belongs to it is missing: %w", named(name, err))
		}
	}
	return nil
}

// children checks that the rows of a file belong to evidence that is there.
func (c *checker) children(t table, f *opened) error {
	strange := ""
	err := f.texts(t.key, func(key string) {
		if !c.keys[key] {
			strange = key
		}
	})
	if err == nil && strange != "" {
		err = fmt.Errorf("no row of runs has the %s %s", t.key, strange)
	}
	return err
}

// wrongColumns says in what way the columns of a file are not those of its table, empty
// where they are. A file of an older revision lacks some that may be null.
func wrongColumns(t table, schema *parquet.Schema) string {
	var got []string
	for _, field := range schema.Fields() {
		got = append(got, Column{Table: t.name, Name: field.Name(), Type: typeOf(field), Nullable: field.Optional()}.form())
	}
	var want []string
	for _, c := range t.columns() {
		want = append(want, c.form())
	}
	if wrong := breaches(got, want); len(wrong) > 0 {
		return "its columns are not those of the table: " + wrong[0]
	}
	return ""
}

// typeOf names the type of a field as Column does.
func typeOf(field parquet.Field) string {
	if field.Leaf() && !field.Repeated() {
		kind := field.Type().Kind().String()
		if logical := field.Type().LogicalType(); logical != nil && logical.Value != nil {
			kind = logical.String()
		}
		switch kind {
		case "STRING":
			return "string"
		case "TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)":
			return "timestamp"
		case "INT(64,true)", "INT64":
			return "int64"
		case "DOUBLE", "BOOLEAN":
			return strings.ToLower(kind)
		}
	}
	return "none of an archive"
}
