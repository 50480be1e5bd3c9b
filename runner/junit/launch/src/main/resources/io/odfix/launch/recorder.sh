#!/bin/sh
# Stands in for java in the fork of Surefire or Failsafe: keeps what the fork
# was given (arguments, environment, folder, and copies of the files that
# Surefire deletes afterwards), says goodbye as the plugin's version expects
# it, and runs no test.
here=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd -P) || exit 1
mkdir -p "$here/files" || exit 1
pwd -P > "$here/dir"
printf '%s\0' "$@" > "$here/args"
{ env -0 2>/dev/null || env | tr '\n' '\0'; } > "$here/env"

previous=
for arg in "$@"; do
  file=${arg#@}
  # Later versions name their files relative to a folder given just before.
  if [ -d "$file" ]; then previous=$file; continue; fi
  for candidate in "$file" "$previous/$file"; do
    case ${candidate##*/} in
      *surefire*) [ -f "$candidate" ] && cp -- "$candidate" "$here/files/" ;;
    esac
  done
done
: > "$here/recorded"

# Without a goodbye the build would report a crash.
cat "$here/goodbye"
exit 0
