#!/usr/bin/env bash
# Makes .venv ready: system libraries where they are missing, Python, the packages of requirements/dev.lock.
# Says in one line each what it does; does nothing, silently, when everything is in place.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.venv
stamp=$venv/.installed
state() { cat pyproject.toml requirements/dev.lock pipeline/setup.sh | cksum; }

if [ -x "$venv/bin/python" ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(state)" ] &&
    "$venv/bin/python" -c '' 2>/dev/null; then
    exit 0
fi

say() { printf 'setup: %s\n' "$*"; }
stop() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# --- what is there ------------------------------------------------------------------------------------------------

recent() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (4, 0))' >/dev/null 2>&1; }
complete() { # has venv, pip and the headers that building a package takes
    "$1" -c 'import ensurepip, os, sysconfig, venv
raise SystemExit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' >/dev/null 2>&1
}
find_python() { # sets python; a complete one is preferred to one that lacks venv or headers
    python=
    for candidate in ${EXPLAINER_PYTHON:-python3 python3.11 python3.12 python3.13 python3.14}; do
        recent "$candidate" || continue
        [ -n "$python" ] || python=$candidate
        if complete "$candidate"; then
            python=$candidate
            return
        fi
    done
}
libraries() { # a compiler, pkg-config, the headers of Cairo and Pango
    command -v cc >/dev/null && command -v pkg-config >/dev/null && pkg-config --exists cairo pangocairo
}
ready() {
    find_python
    [ -n "$python" ] && complete "$python" && libraries
}

# --- what is missing ----------------------------------------------------------------------------------------------

with_apt() {
    local sudo=() packages=(build-essential pkg-config libcairo2-dev libpango1.0-dev) missing=() package
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || stop "missing packages; as root run: apt-get install ${packages[*]} python3-venv python3-dev" \
            "then run make again"
        sudo=(sudo)
    fi
    case $python in
        python3.*) packages+=("$python-venv" "$python-dev") ;;
        *) packages+=(python3 python3-venv python3-dev) ;;
    esac
    for package in "${packages[@]}"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]} with apt-get"
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "${missing[@]}" >/dev/null
    find_python
    [ -z "$python" ] || return 0
    # The distribution's python3 is too old; a newer one may have a package of its own.
    for package in python3.12 python3.11 python3.13; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            say "installing $package with apt-get"
            "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
                "$package" "$package-venv" "$package-dev" >/dev/null
            return 0
        fi
    done
}

with_brew() {
    local packages=() formula
    for formula in pkg-config cairo pango; do
        brew list --formula "$formula" >/dev/null 2>&1 || packages+=("$formula")
    done
    [ -n "$python" ] || packages+=(python@3.12)
    [ ${#packages[@]} -gt 0 ] || return 0
    say "installing ${packages[*]} with brew"
    brew install --quiet "${packages[@]}"
}

if ! ready; then
    if command -v apt-get >/dev/null; then
        with_apt
    elif [ "$(uname)" = Darwin ] && command -v brew >/dev/null; then
        with_brew
    fi
fi
if ! ready; then
    [ -n "$python" ] || say "there is no Python 3.11 or newer (looked for: ${EXPLAINER_PYTHON:-python3, python3.11 … python3.14})" >&2
    [ -z "$python" ] || complete "$python" || say "$python lacks venv, pip or its C headers" >&2
    libraries || say "a C compiler, pkg-config or the headers of Cairo and Pango are missing" >&2
    stop "install these, then run make again:" \
        "  Debian, Ubuntu: python3 (3.11 or newer) python3-venv python3-dev build-essential pkg-config libcairo2-dev libpango1.0-dev" \
        "  Fedora: python3 python3-devel gcc gcc-c++ pkgconf-pkg-config cairo-devel pango-devel" \
        "  Arch: python gcc pkgconf cairo pango" \
        "  macOS: first Homebrew (brew.sh) and xcode-select --install, then brew install python@3.12 pkg-config cairo pango" \
        "  another Python than those on the path: make EXPLAINER_PYTHON=/path/to/python3"
fi

# --- the virtual environment --------------------------------------------------------------------------------------

if ! { [ -x "$venv/bin/python" ] && recent "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; }; then
    say "making $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi
rm -f "$stamp"
say "installing the Python packages of requirements/dev.lock"
# Each archive must have a digest that the lock names; the project itself, which has none, comes after them, alone.
install=("$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input --no-deps)
"${install[@]}" --require-hashes --requirement requirements/dev.lock
"${install[@]}" --editable .
state >"$stamp.partial"
mv "$stamp.partial" "$stamp"
say "ready"
