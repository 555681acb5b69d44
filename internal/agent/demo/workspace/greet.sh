#!/bin/sh
# Prints a greeting for the name given as first argument.
echo "Hello, $name!"
