package line

// maxDepth bounds the brackets inside of each other in what the contract does
// not know; the rules allow for more.
const maxDepth = 32

// object reads an object of the contract from behind its bracket, and returns
// where it ends, or -1 for what may be at fault, like all that read.
func (s *Scanner) object(b []byte, i int, o *object) int {
	known, seen := s.named, uint32(0)
	if i = blanks(b, i); b[i] == '}' {
		return o.end(seen, i)
	}
	last := &o.entries[0] // the member before, this one before the first
	for b[i] == '"' {
		e := s.follow[last.id]
		if e == nil || !e.is(b, i) {
			e = s.find(b, i+1, o, last)
		}
		if e == nil {
			if i = s.other(b, i+1, known); o.closed {
				return -1
			}
		} else if i = s.member(b, i+len(e.name)+2, e); seen&e.bit != 0 {
			return -1
		} else {
			last = e
			seen |= e.bit
		}
		if i < 0 {
			return -1
		}
		if b[i] == ' ' {
			i = blanks(b, i)
		}
		switch b[i] {
		case '}':
			s.named = known
			return o.end(seen, i)
		case ',':
			if i++; b[i] == ' ' {
				i = blanks(b, i)
			}
		default:
			return -1
		}
	}
	return -1
}

// find returns the entry of o of the name that begins at i, nil for none, and
// remembers it as the one that follows last.
func (s *Scanner) find(b []byte, i int, o *object, last *entry) *entry {
	e := o.find(b, i)
	if e != nil {
		s.follow[last.id] = e
	}
	return e
}

// end returns where the object ends whose bracket is at i, if it has all members
// that it must have.
func (o *object) end(seen uint32, i int) int {
	if seen&o.required != o.required {
		return -1
	}
	return i + 1
}

// member reads the colon behind a name of the contract, and the value.
func (s *Scanner) member(b []byte, i int, e *entry) int {
	if i = colon(b, i); i < 0 {
		return -1
	}
	if b[i] == 'n' && e.null {
		return null(b, i)
	}
	slot, end := e.slot%slots, 0
	v := &s.slots[slot]
	s.got |= 1 << slot
	if e.kind == kindText { // most are
		end = s.bounded(b, i, e, v)
	} else {
		end = s.value(b, i, e, v)
	}
	v.from, v.to = i+1, end-1
	return end
}

// value reads the value of a member; what it comes to goes to v.
func (s *Scanner) value(b []byte, i int, e *entry, v *value) int {
	switch e.kind {
	case kindText:
		return s.bounded(b, i, e, v)
	case kindChars, kindOneLine:
		return s.chars(b, i, e)
	case kindInteger:
		return integer(b, i, e, v)
	case kindDecimal:
		return decimal(b, i)
	case kindBool:
		return boolean(b, i, v)
	case kindObject:
		if b[i] == '{' {
			return s.object(b, i+1, e.object)
		}
	case kindList:
		return s.list(b, i, e)
	case kindCounts:
		return s.counts(b, i, e)
	case kindVersion:
		return version(b, i)
	case kindTime:
		return s.at.read(b, i)
	case kindType:
		return s.readType(b, i)
	case kindData:
		return s.readData(b, i)
	}
	return -1
}

// readType reads the type, which says what data must be.
func (s *Scanner) readType(b []byte, i int) int {
	if b[i] != '"' {
		return -1
	}
	if s.typ = s.follow[s.before]; s.typ == nil || !s.typ.is(b, i) {
		if s.typ = types.find(b, i+1); s.typ == nil {
			return -1
		}
		s.follow[s.before] = s.typ
	}
	s.before = s.typ.id
	return i + len(s.typ.name) + 2
}

// readData reads data, or over it where the type comes later.
func (s *Scanner) readData(b []byte, i int) int {
	switch {
	case b[i] != '{':
		return -1
	case s.typ != nil:
		return s.object(b, i+1, s.typ.object)
	}
	s.data = i + 1
	return s.any(b, i, 2)
}

// list reads a list of the contract.
func (s *Scanner) list(b []byte, i int, e *entry) int {
	if b[i] != '[' {
		return -1
	}
	s.listed = 0
	if i = blanks(b, i+1); b[i] == ']' {
		return i + 1
	}
	for n := int64(1); n <= e.max; n++ {
		var v value
		if i = s.value(b, i, e.item, &v); i < 0 {
			return -1
		}
		i = blanks(b, i)
		switch b[i] {
		case ']':
			if int64(s.listed) > e.size {
				return -1
			}
			return i + 1
		case ',':
			i = blanks(b, i+1)
		default:
			return -1
		}
	}
	return -1
}

// counts reads an object whose names are not fixed, and whose members are
// integers.
func (s *Scanner) counts(b []byte, i int, e *entry) int {
	if b[i] != '{' {
		return -1
	}
	known, size := s.named, int64(0)
	if i = blanks(b, i+1); b[i] == '}' {
		return i + 1
	}
	for n := int64(1); n <= e.max && b[i] == '"'; n++ {
		if i = s.name(b, i+1, known); i < 0 || int64(s.size) > e.name1 {
			return -1
		}
		size += int64(s.size)
		var v value
		if i = colon(b, i); i < 0 {
			return -1
		}
		if i = integer(b, i, e.item, &v); i < 0 {
			return -1
		}
		i = blanks(b, i)
		switch b[i] {
		case '}':
			if s.named = known; size > e.size {
				return -1
			}
			return i + 1
		case ',':
			i = blanks(b, i+1)
		default:
			return -1
		}
	}
	return -1
}

// other reads a member that the contract does not know, from the first byte of
// its name; known counts the names before its object.
func (s *Scanner) other(b []byte, i, known int) int {
	if i = s.name(b, i, known); i < 0 {
		return -1
	}
	if i = colon(b, i); i < 0 {
		return -1
	}
	return s.any(b, i, 3)
}

// name reads a name that the contract does not know, from its first byte on,
// and remembers it beside those behind known. One that has escapes may be
// written in two ways.
func (s *Scanner) name(b []byte, from, known int) int {
	i := s.readText(b, from)
	if i < 0 || s.size != i-1-from || s.named == maxNames {
		return -1
	}
	for _, n := range s.names[known:s.named] {
		if string(b[n.from:n.to]) == string(b[from:i-1]) {
			return -1
		}
	}
	s.names[s.named] = span{from, i - 1}
	s.named++
	return i
}
