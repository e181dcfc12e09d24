#!/bin/sh
# Makes the virtual environment that every `make` target uses, and installs Croupier into it.
#
#   sh scripts/venv.sh core|dev [FOLDER]     FOLDER: .venv
#
# Works as the first command on a fresh Debian 12 or 13: finds a Python 3.11 to 3.13, installs it (or its
# venv module) with apt-get when it is missing and that is possible, and says in one sentence what to do
# when it is not. Does nothing when everything is up to date. An installation that was broken off (Ctrl-C,
# no network, a full disk) is thrown away and made again.
set -eu

extras=${1:?"usage: sh scripts/venv.sh core|dev [FOLDER]"}
venv=${2:-.venv}
cd "$(dirname "$0")/.."
here=$(pwd -P)

case $extras in
  core) what='.' ;;
  dev) what='.[dev]' ;;
  *) echo "scripts/venv.sh: the first argument is core or dev, not $extras" >&2; exit 2 ;;
esac

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 2; }

# The stamp says for which checkout the environment was made: scripts in it hold absolute paths.
stamp=$venv/croupier-$extras.stamp
dev_stamp=$venv/croupier-dev.stamp # has all that core has
unfinished=$venv/croupier-unfinished

current() { # STAMP: whether it is newer than what it depends on, and the environment is whole
  [ -f "$1" ] && [ ! -e "$unfinished" ] && [ "$(cat "$1")" = "$here" ] \
    && [ -z "$(find pyproject.toml scripts/venv.sh -newer "$1")" ] \
    && "$venv/bin/python" -c '' 2>/dev/null
}

if current "$stamp" || current "$dev_stamp"; then exit 0; fi

fits() { # PYTHON: whether it is one that Croupier and its packages run on
  "$1" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13) and sys.maxsize > 2**32))' \
    >/dev/null 2>&1
}

can_make_venv() { "$1" -c 'import venv, ensurepip' >/dev/null 2>&1; }

find_python() { # prints the first Python that fits and can make environments, else the first that fits
  second=
  for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 /usr/bin/python3}; do
    path=$(command -v "$candidate") || continue
    fits "$path" || continue
    if can_make_venv "$path"; then printf '%s\n' "$path"; return; fi
    [ -n "$second" ] || second=$path
  done
  printf '%s\n' "$second"
}

apt_install() { # PACKAGE...: 1 when it cannot be done
  command -v apt-get >/dev/null 2>&1 || return 1
  if [ "$(id -u)" = 0 ]; then as_root=
  elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then as_root=sudo
  else return 1; fi
  say "Installing with apt-get: $*"
  install="env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends"
  # The list of packages of a fresh machine may be empty or old: only then it is fetched.
  { $as_root $install "$@" || { $as_root apt-get update -q && $as_root $install "$@"; }; } >&2
}

versions() { # what is there instead, for the message
  for candidate in ${PYTHON:-python3}; do
    command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c \
      'import platform; print(platform.python_version(), platform.architecture()[0])' 2>/dev/null && return
  done
  echo none
}

python=$(find_python)
if [ -z "$python" ] && [ -z "${PYTHON:-}" ]; then
  apt_install python3 python3-venv || true
  python=$(find_python)
fi
[ -n "$python" ] || die "Croupier needs a 64-bit Python 3.11, 3.12 or 3.13, found: $(versions).\
 On Debian, as root: apt-get install python3 python3-venv. Elsewhere install one and name it:\
 make PYTHON=/path/to/python3.12"
if ! can_make_venv "$python"; then
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  apt_install "python$version-venv" || true
  can_make_venv "$python" || die "$python (Python $version) has no venv module.\
 As root: apt-get install python$version-venv, then the same command again."
fi

if [ -e "$unfinished" ] || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1 || ! fits "$venv/bin/python" \
  || { [ -f "$stamp" ] && [ "$(cat "$stamp")" != "$here" ]; }; then
  rm -rf "$venv"
fi
if [ ! -d "$venv" ]; then
  say "Making $venv with $("$python" --version) ($python)"
  mkdir -p "$venv"
  : > "$unfinished"
  if [ -d /usr/lib/python3/dist-packages/picamera2 ] && [ "${python%/*}" = /usr/bin ]; then
    # A Raspberry Pi: the camera's Python library comes from apt, so the environment must see it, and it was
    # built for apt's numpy, which pip must not replace.
    "$python" -m venv --system-site-packages "$venv"
    "$python" -c 'import numpy; print("numpy==" + numpy.__version__)' > "$venv/constraints.txt"
  else
    "$python" -m venv "$venv"
    : > "$venv/constraints.txt"
  fi
fi
: > "$unfinished"
say "Installing Croupier and what it needs into $venv (the first time about 300 MB, a minute or two)"
touch "$venv/constraints.txt"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
  --constraint "$venv/constraints.txt" --editable "$what" \
  || die "The installation failed; the lines above say why. Check the network and the free disk space, then\
 give the same command again."
rm -f "$unfinished"
printf '%s\n' "$here" > "$stamp"
