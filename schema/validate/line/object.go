package line

// maxDepth bounds the brackets inside of each other in what the contract does
// not know; the rules allow for more.
const maxDepth = 32

// object reads an object of the contract from its bracket on, and returns where it
// ends, or -1 for what may be at fault, like all that read.
func (s *Scanner) object(b []byte, open int, o *object) int {
	named, seen := s.named, uint32(0)
	if i := blanks(b, open+1); b[i] == '}' {
		return o.end(seen, i)
	}
	for i := open; ; {
		if i = blanks(b, i+1); b[i] != '"' {
			return -1
		}
		if i, seen = s.next(b, i+1, o, seen, named); i < 0 {
			return -1
		}
		switch i = blanks(b, i); b[i] {
		case '}':
			s.named = named
			return o.end(seen, i)
		case ',':
		default:
			return -1
		}
	}
}

// next reads a member of any name, which begins at i, and returns which have been seen.
func (s *Scanner) next(b []byte, i int, o *object, seen uint32, named int) (int, uint32) {
	e := o.find(b, i)
	if e == nil {
		if i = s.other(b, i, named); o.closed {
			return -1, 0
		}
		return i, seen
	}
	if i = colon(b, i+len(e.name)+1); i < 0 || seen&e.bit != 0 {
		return -1, 0
	}
	return s.member(b, i, e), seen | e.bit
}

// end returns where the object ends whose bracket is at i, if it has all members
// that it must have.
func (o *object) end(seen uint32, i int) int {
	if seen&o.required != o.required {
		return -1
	}
	return i + 1
}

// member reads the value of a member of the contract, from behind its colon.
func (s *Scanner) member(b []byte, i int, e *entry) (end int) {
	if b[i] == ' ' {
		i = blanks(b, i)
	}
	if b[i] == 'n' && e.null {
		return null(b, i)
	}
	v := &s.slots[e.slot%slots]
	s.got |= 1 << (e.slot % slots)
	end = s.value(b, i, e, v)
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
			return s.object(b, i, e.object)
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
	if s.typ = types.find(b, i+1); s.typ == nil {
		return -1
	}
	return i + len(s.typ.name) + 2
}

// readData reads data, or over it where the type comes later.
func (s *Scanner) readData(b []byte, i int) int {
	switch {
	case b[i] != '{':
		return -1
	case s.typ != nil:
		return s.object(b, i, s.typ.object)
	}
	s.data = i
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

// bounded reads a text of the contract.
func (s *Scanner) bounded(b []byte, i int, e *entry, v *value) int {
	if b[i] != '"' {
		return -1
	}
	i, size := s.readText(b, i+1)
	if v.n = int64(size); v.n > e.max || v.n < e.min {
		return -1
	}
	s.listed += size
	return i
}

// counts reads an object whose names are not fixed, and whose members are
// integers.
func (s *Scanner) counts(b []byte, i int, e *entry) int {
	if b[i] != '{' {
		return -1
	}
	named, size := s.named, int64(0)
	if i = blanks(b, i+1); b[i] == '}' {
		return i + 1
	}
	for n := int64(1); n <= e.max && b[i] == '"'; n++ {
		from := i + 1
		if i = s.name(b, from, named); i < 0 || int64(i-1-from) > e.name1 {
			return -1
		}
		size += int64(i - 1 - from)
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
			if s.named = named; size > e.size {
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
func (s *Scanner) other(b []byte, i, named int) int {
	s.got |= 1 << slotOther
	if i = s.name(b, i, named); i < 0 {
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
func (s *Scanner) name(b []byte, from, named int) int {
	i, size := s.readText(b, from)
	if i < 0 || size != i-1-from || s.named == maxNames {
		return -1
	}
	for _, n := range s.names[named:s.named] {
		if string(b[n.from:n.to]) == string(b[from:i-1]) {
			return -1
		}
	}
	s.names[s.named] = span{from, i - 1}
	s.named++
	return i
}
