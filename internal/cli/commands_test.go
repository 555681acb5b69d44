package cli

import "testing"

// Only the command that is called is made, so its name must be the one that finds
// it among all.
func TestRoot_MakesTheCommandCalled(t *testing.T) {
	p := &program{}
	for _, s := range p.commands() {
		for _, c := range s.Commands {
			root := p.root([]string{c.Name, "--help"})
			if made := root.Commands(); len(made) != 1 || made[0].Name() != c.Name {
				t.Errorf("root(%s) has %d commands, want that one", c.Name, len(made))
			}
		}
	}
	if got, want := len(p.root([]string{"rnu"}).Commands()), len(p.root(nil).Commands()); got != want || want < 10 {
		t.Errorf("root of an unknown command has %d commands, want all %d", got, want)
	}
}
