#!/bin/sh
# Checks greet.sh; prints what it got and what it wanted.
check() {
	got=$(sh greet.sh "$1")
	if [ "$got" = "$2" ]; then
		echo "ok    greet $1"
	else
		echo "FAIL  greet $1: got '$got', want '$2'"
		failed=1
	fi
}
failed=0
check Ada 'Hello, Ada!'
check 'Grace Hopper' 'Hello, Grace Hopper!'
exit $failed
