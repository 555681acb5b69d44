# sourcemeta, a program that wants a file per line: schema, lines.
mkdir "$2.d" && split -l 1 -a 4 -d --additional-suffix .json "$2" "$2.d/" || exit
js/node_modules/.bin/jsonschema validate --format-assertion --continue --verbose "$1" "$2.d/" 2>&1 |
	sed -n 's/^ok: .*/true/p; s/^fail: .*/false/p'
