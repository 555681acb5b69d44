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
	{ID: "definition-added", Class: Additive, everywhere: true, check: definitionAdded,
		Why: "A definition says nothing until something refers to it."},

	{ID: "property-in-free-names", Class: Narrowing, check: propertyInFreeNames,
		Why: "Names that begin with x_ are the producers' own: one may print another type there."},
	{ID: "required-added", Class: Narrowing, check: requiredAdded,
		Why: "Producers that do not print the key break."},
	{ID: "type-removed", Class: Narrowing, check: typeRemoved,
		Why: "Producers that print the type break."},
	{ID: "type-given", Class: Narrowing, check: typeGiven,
		Why: "The key was published without a type, so producers may print any."},
	{ID: "value-removed", Class: Narrowing, check: valueRemoved,
		Why: "Producers that print the value break."},
	{ID: "bound-tightened", Class: Narrowing, check: boundTightened,
		Why: "Producers that use the old room break."},
	{ID: "form-required", Class: Narrowing, check: formRequired,
		Why: "Producers whose texts have another form break."},
	{ID: "object-closed", Class: Narrowing, check: objectClosed,
		Why: "Producers that print further keys break."},
	{ID: "event-type-removed", Class: Narrowing, envelope: true, check: eventTypeRemoved,
		Why: "Producers that print the type break."},

	{ID: "property-removed", Class: Widening, check: propertyRemoved,
		Why: "Readers that rely on the key's type may meet any other there."},
	{ID: "required-removed", Class: Widening, check: requiredRemoved,
		Why: "Readers that rely on the key may not find it."},
	{ID: "type-added", Class: Widening, check: typeAdded,
		Why: "Readers may meet a type, or null, that could not stand there."},
	{ID: "type-lifted", Class: Widening, check: typeLifted,
		Why: "Readers may meet any type there."},
	{ID: "value-added", Class: Widening, check: valueAdded,
		Why: "Readers that know all values meet a new one."},
	{ID: "bound-loosened", Class: Widening, check: boundLoosened,
		Why: "Readers with a buffer of the old size lose texts."},
	{ID: "form-lifted", Class: Widening, check: formLifted,
		Why: "Readers that rely on a text's form may meet another."},
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
	{ID: "definition-removed", Class: Meaning, everywhere: true, check: definitionRemoved,
		Why: "What refers to the definition loses its meaning."},
	{ID: "keyword-changed", Class: Meaning, check: keywordChanged,
		Why: "What the keyword does to lines is not known here."},
}
