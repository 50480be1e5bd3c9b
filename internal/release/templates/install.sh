#!/bin/sh
# Installs odfix, after checking its checksum.
#
#   ODFIX_VERSION   the release (default: [[.Version]])
#   PREFIX          where to install: programs in PREFIX/bin (default: ~/.local; as root /usr/local)
#   ODFIX_BASE_URL  folder with the release's files, for mirrors
set -eu

fail() {
  echo "install odfix: $*" >&2
  exit 1
}

main() {
  version=${ODFIX_VERSION:-[[.Version]]}
  version=${version#v}
  base=${ODFIX_BASE_URL:-[[.Homepage]]/releases/download/v$version}
  if [ -z "${PREFIX:-}" ]; then
    PREFIX=$HOME/.local
    [ "$(id -u)" != 0 ] || PREFIX=/usr/local
  fi

  os=$(uname -s | tr '[:upper:]' '[:lower:]')
  arch=$(uname -m)
  case $arch in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
  esac
  case $os/$arch in
    [[range $i, $p := .Platforms]][[if $i]] | [[end]][[$p]][[end]]) ;;
    mingw*/* | msys*/* | cygwin*/*) fail "there is no release for Windows. Run this in WSL 2." ;;
    *) fail "there is no release for $os/$arch. Build it from source: [[.Homepage]]#build-and-try" ;;
  esac

  name=[[.Name]]_${version}_${os}_${arch}
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
  trap 'exit 1' HUP INT TERM
  fetch "$base/checksums.txt" "$dir/checksums.txt"
  fetch "$base/$name.tar.gz" "$dir/$name.tar.gz"
  check "$dir" "$name.tar.gz"
  tar -xzf "$dir/$name.tar.gz" -C "$dir"

  from=$dir/$name
  for program in[[range .Programs]] [[.Name]][[end]]; do
    place "$from/$program" "$PREFIX/bin/$program" 755
  done
  for page in "$from"/man/*; do
    place "$page" "$PREFIX/share/man/man1/${page##*/}" 644
  done
  place "$from/completions/odfix.bash" "$PREFIX/share/bash-completion/completions/odfix" 644
  place "$from/completions/_odfix" "$PREFIX/share/zsh/site-functions/_odfix" 644
  place "$from/completions/odfix.fish" "$PREFIX/share/fish/vendor_completions.d/odfix.fish" 644

  "$PREFIX/bin/odfix" --version >/dev/null || fail "$PREFIX/bin/odfix does not run on this machine"
  echo "Installed $("$PREFIX/bin/odfix" --version) in $PREFIX/bin."
  case :$PATH: in
    *:"$PREFIX/bin":*) ;;
    *) echo "Add it to your PATH: export PATH=\"$PREFIX/bin:\$PATH\"" ;;
  esac
  echo "Next: odfix doctor checks this machine; odfix fix explains a red build."
}

# fetch URL FILE
fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 3 -o "$2" "$1" || fail "cannot download $1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1" || fail "cannot download $1"
  else
    fail "curl or wget is needed"
  fi
}

# check FOLDER FILE
check() {
  want=$(awk -v name="$2" '$2 == name { print $1 }' "$1/checksums.txt")
  [ -n "$want" ] || fail "checksums.txt does not name $2"
  if command -v sha256sum >/dev/null 2>&1; then
    have=$(sha256sum "$1/$2")
  elif command -v shasum >/dev/null 2>&1; then
    have=$(shasum -a 256 "$1/$2")
  else
    fail "sha256sum or shasum is needed to check the download"
  fi
  [ "${have%% *}" = "$want" ] || fail "the checksum of $2 is wrong: ${have%% *}, not $want. Nothing was installed."
}

# place FROM TO MODE: a running program keeps its old file
place() {
  mkdir -p "${2%/*}" || fail "cannot make ${2%/*}: choose another PREFIX"
  cp "$1" "$2.new" && chmod "$3" "$2.new" && mv -f "$2.new" "$2" || fail "cannot write $2: choose another PREFIX"
}

# All of it is a function, so that a download that breaks off runs nothing.
main "$@"
