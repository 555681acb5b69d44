package live

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// movement is a control sequence that moves the cursor or erases.
var movement = regexp.MustCompile(`^\x1b\[(\??)(\d*)(?:;\d*)*([A-Za-z])`)

// paper is a terminal that knows what every one does. It has as many
// rows as are written to.
type paper struct {
	t        *testing.T
	rows     [][]rune
	row, col int
	insert   bool // what is written moves what follows to the right
}

func (p *paper) write(s string) {
	for s != "" {
		if rest, up := strings.CutPrefix(s, "\x1bM"); up {
			p.control("A", 1)
			s = rest
			continue
		}
		if m := movement.FindStringSubmatch(s); m != nil {
			n, _ := strconv.Atoi(m[2])
			p.control(m[1]+m[3], n)
			s = s[len(m[0]):]
			continue
		}
		r := []rune(s)[0]
		s = s[len(string(r)):]
		switch r {
		case '\r':
			p.col = 0
		case '\n':
			p.row++
		case '\b':
			p.col--
		default:
			p.put(r)
		}
	}
}

func (p *paper) put(r rune) {
	row := p.cell()
	if p.insert {
		p.rows[p.row] = slices.Insert(row, p.col, r)
	} else {
		row[p.col] = r
	}
	p.col++
}

// cell returns the row of the cursor, at least as long as it needs.
func (p *paper) cell() []rune {
	for len(p.rows) <= p.row {
		p.rows = append(p.rows, nil)
	}
	for len(p.rows[p.row]) <= p.col {
		p.rows[p.row] = append(p.rows[p.row], ' ')
	}
	return p.rows[p.row]
}

func (p *paper) control(what string, n int) {
	switch what {
	case "A":
		p.row -= max(1, n)
	case "B":
		p.row += max(1, n)
	case "C":
		p.col += max(1, n)
	case "D":
		p.col -= max(1, n)
	case "G":
		p.col = max(1, n) - 1
	case "h", "l":
		if n == 4 {
			p.insert = what == "h"
		}
	case "K":
		p.rows[p.row] = p.cell()[:p.col]
	case "J":
		p.rows[p.row] = p.cell()[:p.col]
		p.rows = p.rows[:p.row+1]
	case "m", "?h", "?l": // looks alone
	default:
		p.t.Errorf("the sequence %s is not one that every terminal knows", what)
	}
	if p.row < 0 || p.col < 0 {
		p.t.Fatalf("the cursor has left the paper by %s %d", what, n)
	}
}

func (p *paper) text() string {
	var b strings.Builder
	for _, row := range p.rows {
		b.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return b.String()
}
