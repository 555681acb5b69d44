package compat

// Rule describes one kind of change. docs/schema-versions.md lists all.
type Rule struct {
	ID    string
	Class Class
	// Why says what the change does to those who read or write streams.
	Why string

	check func(pair) []detail
	// envelope rules look at the envelope and its members, the others at all
	// else; everywhere lifts that.
	envelope   bool
	everywhere bool
}

// detail is one finding of a rule, at a place below the pair.
type detail struct{ below, message string }

// Rules returns every rule, in the order they are tried.
func Rules() []Rule { return append([]Rule(nil), rules...) }

var rules = []Rule{
	{ID: "text-changed", Class: Additive, everywhere: true, check: textChanged,
		Why: "Titles, descriptions, comments and examples bind nobody."},
	{ID: "property-added", Class: Additive, check: propertyAdded,
		Why: "Readers ignore keys they do not know, and producers need not print it."},
	{ID: "definition-added", Class: Additive, everywhere: true, Why: "A definition says nothing until something refers to it.",
		check: func(p pair) []detail { return details("$defs", added(p.old, p.next, "$defs"), "a new definition") }},

	{ID: "property-in-free-names", Class: Narrowing, check: propertyInFreeNames,
		Why: "Names that start with x_ are the producers' own: one may print another type there."},
	{ID: "required-added", Class: Narrowing, Why: "Producers that do not print the key break.",
		check: func(p pair) []detail { return each("/required", gained(p, "required"), "must now be there: ") }},
	{ID: "type-removed", Class: Narrowing, Why: "Producers that print the type break.",
		check: func(p pair) []detail { return each("/type", gainedTypes(p.reversed()), "no longer allowed: ") }},
	{ID: "type-given", Class: Narrowing, Why: "The key was published without a type, so producers may print any.",
		check: func(p pair) []detail { return appears(p.old, p.next, "a type where any could stand", "type", "items") }},
	{ID: "value-removed", Class: Narrowing, Why: "Producers that print the value break.",
		check: func(p pair) []detail {
			return gainedValues(p.reversed(), "no longer a value: ", "its values are now named")
		}},
	{ID: "bound-tightened", Class: Narrowing, Why: "Producers that use the old room break.",
		check: func(p pair) []detail { return narrower(p.old, p.next, "less room: ") }},
	{ID: "form-required", Class: Narrowing, check: formRequired,
		Why: "Producers whose texts have another form break."},
	{ID: "object-closed", Class: Narrowing, check: objectClosed,
		Why: "Producers that print further keys break."},
	{ID: "event-type-removed", Class: Narrowing, envelope: true, check: eventTypeRemoved,
		Why: "Producers that print the type break."},

	{ID: "property-removed", Class: Widening, Why: "Readers that rely on the key's type may meet any other there.",
		check: func(p pair) []detail {
			return details("properties", added(p.next, p.old, "properties"), "the key is no longer described")
		}},
	{ID: "required-removed", Class: Widening, Why: "Readers that rely on the key may not find it.",
		check: func(p pair) []detail {
			return each("/required", gained(p.reversed(), "required"), "need no longer be there: ")
		}},
	{ID: "type-added", Class: Widening, Why: "Readers may meet a type, or null, that could not stand there.",
		check: func(p pair) []detail { return each("/type", gainedTypes(p), "now allowed: ") }},
	{ID: "type-lifted", Class: Widening, Why: "Readers may meet any type there.",
		check: func(p pair) []detail { return appears(p.next, p.old, "any type where one stood", "type", "items") }},
	{ID: "value-added", Class: Widening, Why: "Readers that know all values meet a new one.",
		check: func(p pair) []detail { return gainedValues(p, "a new value: ", "its values are no longer named") }},
	{ID: "bound-loosened", Class: Widening, Why: "Readers with a buffer of the old size lose texts.",
		check: func(p pair) []detail { return narrower(p.next, p.old, "more room: ") }},
	{ID: "form-lifted", Class: Widening, Why: "Readers that rely on a text's form may meet another.",
		check: func(p pair) []detail { return appears(p.next, p.old, "texts need no longer have the form", forms...) }},
	{ID: "object-opened", Class: Widening, check: objectOpened,
		Why: "Readers may meet further keys."},
	{ID: "event-type-added", Class: Widening, envelope: true, check: eventTypeAdded,
		Why: "Readers that know all types meet a new one."},

	{ID: "id-changed", Class: Meaning, check: idChanged,
		Why: "The id names the contract: another one is another contract."},
	{ID: "envelope-changed", Class: Meaning, envelope: true, check: envelopeChanged,
		Why: "The envelope is frozen: every reader relies on its seven members."},
	{ID: "discriminator-changed", Class: Meaning, check: discriminatorChanged,
		Why: "The same line would be read as something else."},
	{ID: "definition-removed", Class: Meaning, everywhere: true, Why: "What refers to the definition loses its meaning.",
		check: func(p pair) []detail {
			return details("$defs", added(p.next, p.old, "$defs"), "the definition is gone")
		}},
	{ID: "keyword-changed", Class: Meaning, check: keywordChanged,
		Why: "What the keyword does to lines is not known here."},
}
