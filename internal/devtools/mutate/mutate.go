// Mutate plants small mistakes in the code, one at a time, and reports those that
// the package's own tests do not notice. It leaves the files alone: the compiler
// reads the changed file from elsewhere.
//
//	go run -C internal/devtools ./mutate [-n 200] [-seed 1] [-room ROOM] [-j 2] [-update]
//
// Mutants are drawn by a fixed seed, in each room in proportion to its size. The
// list in internal/devtools/mutate/known.txt has one line for each that was tried:
// "killed ID", "survived ID", or "equal ID  # REASON" for one that changes nothing
// that anybody can see. It fails on a mutant that was killed before and survives
// now, and above 12 survivors that were not known.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	list = "internal/devtools/mutate/known.txt"
	// mostSurvivors is how many mutants without a reason may survive.
	mostSurvivors = 12
	// testTime bounds the tests of one package: a mutant that takes longer is killed.
	testTime = 3 * time.Minute
)

type verdict string

const (
	killed   verdict = "killed"
	survived verdict = "survived"
	equal    verdict = "equal" // as the list says, with a reason
	broken   verdict = "does not compile"
)

func main() {
	var o options
	flag.IntVar(&o.count, "n", 200, "how many mutants")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the draw")
	flag.StringVar(&o.only, "room", "", "only files below this `folder`, such as internal/model")
	flag.IntVar(&o.jobs, "j", 2, "how many at a time")
	flag.BoolVar(&o.update, "update", false, "write the list of known mutants")
	flag.Parse()
	if err := o.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type options struct {
	count, jobs int
	seed        uint64
	only        string
	update      bool
}

func (o options) run(out io.Writer) error {
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err == nil {
		err = os.Chdir(strings.TrimSpace(string(top)))
	}
	if err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	known, err := readKnown(list)
	if err != nil {
		return err
	}
	all, err := o.draw()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	results := o.try(out, all, known, dir)
	err = report(out, results, known)
	if o.update {
		return errors.Join(writeKnown(list, results, known), err)
	}
	return err
}

// draw returns mutants of all rooms in an order that the seed decides. It has more
// than asked for, since some do not compile.
func (o options) draw() ([]mutant, error) {
	files, err := exec.Command("git", "ls-files", "--", filepath.ToSlash(filepath.Join(o.only, "*.go"))).Output()
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	var all []mutant
	for name := range strings.FieldsSeq(string(files)) {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") || strings.HasPrefix(name, "internal/devtools/") ||
			strings.HasPrefix(name, "docs/") || strings.HasPrefix(name, "internal/testkit/") || !ours(name) {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		found, err := sites(name, source)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no Go code below %q", o.only)
	}
	// By a digest of its name a mutant keeps its place while other code changes.
	place := func(m mutant) string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", o.seed, m.id()))
		return string(sum[:])
	}
	slices.SortFunc(all, func(a, b mutant) int { return strings.Compare(place(a), place(b)) })
	return all[:min(len(all), 3*o.count)], nil
}

// ours reports whether the file is built on this system.
func ours(name string) bool {
	base := strings.TrimSuffix(filepath.Base(name), ".go")
	for _, other := range []string{"_windows", "_darwin", "_other", "_bsd"} {
		if strings.HasSuffix(base, other) {
			return false
		}
	}
	return true
}

type result struct {
	mutant
	verdict verdict
}

// try runs mutants until enough of them compiled, in the order of the draw.
func (o options) try(out io.Writer, all []mutant, known map[string]entry, dir string) []result {
	var mu sync.Mutex
	var wg sync.WaitGroup
	results := make([]result, len(all))
	next, viable := 0, 0
	for worker := range max(o.jobs, 1) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				if i == len(all) || viable >= o.count {
					mu.Unlock()
					return
				}
				next++
				viable++ // until it turns out not to compile
				mu.Unlock()
				r := result{all[i], equal}
				if known[r.id()].verdict != equal {
					r.verdict = runTests(all[i], filepath.Join(dir, fmt.Sprint(worker)))
				}
				mu.Lock()
				results[i] = r
				if r.verdict == broken {
					viable--
				} else {
					fmt.Fprintf(out, "%s %s\n", r.verdict, r.id())
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(results, func(r result) bool { return r.verdict == "" || r.verdict == broken })
}

// runTests builds the package with the mistake and runs its own tests.
func runTests(m mutant, dir string) verdict {
	source, err := os.ReadFile(m.File)
	if err != nil {
		return broken
	}
	path, _ := filepath.Abs(m.File)
	changed := filepath.Join(dir, "changed.go")
	overlay, _ := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	pkg := "./" + filepath.ToSlash(filepath.Dir(m.File))
	program := filepath.Join(dir, "package.test")
	if errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(changed, m.apply(source), 0o644),
		os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o644)) != nil {
		return broken
	}
	build := exec.Command("go", "test", "-c", "-o", program, "-overlay", filepath.Join(dir, "overlay.json"), pkg)
	if build.Run() != nil {
		return broken
	}
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	test := exec.CommandContext(ctx, program, "-test.short", "-test.failfast", "-test.timeout", testTime.String())
	test.Dir, test.WaitDelay = filepath.Dir(m.File), 5*time.Second
	if test.Run() != nil {
		return killed
	}
	return survived
}
