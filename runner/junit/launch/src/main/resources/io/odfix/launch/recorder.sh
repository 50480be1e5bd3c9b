#!/bin/sh
# Stands in for java in the fork of Surefire or Failsafe: keeps what the fork
# was given (arguments, environment, folder, and copies of the files that
# Surefire deletes afterwards), says goodbye as the plugin's version expects
# it, and runs no test.
here=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd -P) || exit 1
# Surefire also asks java about module descriptors; that is for the real one.
fork=
for arg in "$@"; do
  case $arg in *surefirebooter*.jar | *.ForkedBooter | @*surefire*) fork=yes ;; esac
done
[ -n "$fork" ] || exec "$(cat "$here/java")" "$@"

# A plugin with several providers starts a fork for each.
n=1
until mkdir "$here/fork$n" 2>/dev/null; do
  [ -d "$here/fork$n" ] || exit 1
  n=$((n + 1))
done
fork=$here/fork$n
mkdir "$fork/files" || exit 1
pwd -P > "$fork/dir"
printf '%s\0' "$@" > "$fork/args"
{ env -0 2>/dev/null || env | tr '\n' '\0'; } > "$fork/env"

previous=
for arg in "$@"; do
  file=${arg#@}
  # Later versions name their files relative to a folder given just before.
  if [ -d "$file" ]; then previous=$file; continue; fi
  for candidate in "$file" "$previous/$file"; do
    case ${candidate##*/} in
      *surefire*) [ -f "$candidate" ] && cp -- "$candidate" "$fork/files/" ;;
    esac
  done
done
: > "$fork/recorded"

# Without a goodbye the build would report a crash.
cat "$here/goodbye"
exit 0
