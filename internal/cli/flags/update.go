package flags

import "fmt"

// What Update can be.
const (
	UpdateYes   = "yes"
	UpdateForce = "force"
)

// Update is a flag value that asks for golden files to be rewritten, empty
// when they are not.
type Update string

func (u *Update) Type() string   { return UpdateYes + "|" + UpdateForce }
func (u *Update) String() string { return string(*u) }

func (u *Update) Set(text string) error {
	if text != UpdateYes && text != UpdateForce {
		return fmt.Errorf("want %s or %s", UpdateYes, UpdateForce)
	}
	*u = Update(text)
	return nil
}
