#!/usr/bin/env bash
# Sets up everything that the project needs and runs it. `./setup.sh help` lists the commands.
#
# Rules: running anything twice changes nothing; what is missing is installed where that is allowed (as root, from the
# machine's own package source) and else named exactly; Python packages come from the hash-pinned files in requirements/,
# from whatever index pip is configured with, and without a compiler (what only a Pi needs excepted).

set -euo pipefail

PROJECT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
readonly PROJECT
readonly VENV="$PROJECT/.venv"
readonly BUILD="$PROJECT/build"

say() { printf '%s\n' "setup: $*" >&2; }
fail() { say "$*"; exit 1; }
wrong_call() { say "$*"; say "see ./setup.sh help"; exit 2; }
is_root() { [ "$(id -u)" -eq 0 ]; }

usage() {
    cat <<'EOF'
./setup.sh run [--rounds N] [--table NAME] [--reader READER]
                                             set up, then play the simulated table (until stopped, or N rounds)
./setup.sh test [PYTEST ARGUMENTS]           set up, then run the tests
sudo ./setup.sh install [--root DIR] [--with rpigpio|neopixel-pwm|neopixel-pio] [--without-pi]
                                             put the daemon on this machine, or below DIR
./setup.sh lock [--upgrade]                  make the requirement files anew from pyproject.toml
./setup.sh help                              this text

NAME is a simulated table of config/tables without its ending, or a path. READER: angeleye, beetek, barcode-serial, barcode-hid,
tgline, tgline-unassigned. PYTHON=/path/to/python3 chooses an interpreter;
SETUP_NO_SYSTEM_PACKAGES=1 keeps the script from installing system packages even as root.
EOF
}

# ---- what the system has to give ---------------------------------------------------------------------------------

# Install Debian packages if that is allowed here. Returns 1, having named what is missing, if not.
system_packages() {
    if ! is_root || [ -n "${SETUP_NO_SYSTEM_PACKAGES:-}" ] || ! command -v apt-get >/dev/null; then
        say "missing: $*. Install with: sudo apt-get update && sudo apt-get install $*"
        return 1
    fi
    say "installing $*"
    local log
    if ! log=$( (apt-get update && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@") </dev/null 2>&1); then
        printf '%s\n' "$log" >&2
        say "missing: $*; apt-get could not install it (see above)"
        return 1
    fi
}

# True for a Python that the project supports and that can make environments.
python_fits() {
    "$1" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13)))' 2>/dev/null
}
python_complete() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# Print the Python to use, the first of the candidates that fits; install one if need be.
find_python() { # candidates...
    local candidate found='' candidates=("$@")
    [ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
    for candidate in "${candidates[@]}"; do
        candidate=$(command -v "$candidate") && python_fits "$candidate" || continue
        found=$candidate
        if python_complete "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    [ -z "${PYTHON:-}" ] || fail "PYTHON=$PYTHON is no Python 3.11, 3.12 or 3.13 with ensurepip"
    if [ -z "$found" ] && command -v python3 >/dev/null; then
        fail "python3 is $(python3 -V 2>&1); needed is 3.11, 3.12 or 3.13 (Debian 12 and 13 have one)"
    fi
    system_packages python3 python3-venv || exit 1
    candidate=/usr/bin/python3
    python_fits "$candidate" && python_complete "$candidate" ||
        fail "$candidate is still not a Python 3.11 to 3.13 with ensurepip"
    printf '%s\n' "$candidate"
}
readonly ANY_PYTHON=(python3 python3.13 python3.12 python3.11)
# The unit can't see /home and /root, so the daemon gets the system's own interpreter.
readonly SYSTEM_PYTHON=/usr/bin/python3

# ---- Python environments -----------------------------------------------------------------------------------------

# What an environment was made from; it is made anew, or completed, when this changes.
stamp_of() { # venv requirement-file extra-text
    { printf '%s\n' "$1" "${3:-}"; "$1/bin/python" -VV; cat "$PROJECT/requirements/$2.txt" "$PROJECT/pyproject.toml"; } |
        sha256sum
}

# Make VENV a working environment of PYTHON, whatever an interrupted run or an upgraded system left there.
make_venv() { # venv python
    local wanted
    wanted=$("$2" -c 'import sys; print(sys.version)')
    if [ "$("$1/bin/python" -c 'import pip, sys; print(sys.version)' 2>/dev/null)" != "$wanted" ]; then
        say "making $1 with $("$2" -V)"
        "$2" -m venv --clear "$1"
    fi
}

pip_install() { # venv arguments...
    local venv=$1
    shift
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input "$@"
}

# Bring the clone's own environment up to a requirement file, with the project itself as an editable install.
environment() { # requirement-file
    local python stamp=$VENV/.setup-$1
    { mkdir -p "$BUILD" && exec 9>>"$BUILD/setup.lock"; } 2>/dev/null ||
        fail "can't write to $BUILD as $(id -un): make a clone of your own, or give this one to $(id -un)"
    flock 9
    if [ ! -x "$VENV/bin/python" ] || [ "$(cat "$stamp" 2>/dev/null)" != "$(stamp_of "$VENV" "$1")" ]; then
        python=$(find_python "${ANY_PYTHON[@]}")
        make_venv "$VENV" "$python"
        rm -f "$stamp"
        say "installing requirements/$1.txt"
        pip_install "$VENV" --require-hashes --only-binary :all: -r "$PROJECT/requirements/$1.txt"
        pip_install "$VENV" --no-index --no-deps --no-build-isolation --editable "$PROJECT"
        stamp_of "$VENV" "$1" >"$stamp"
    fi
    exec 9>&-
}

# ---- commands ----------------------------------------------------------------------------------------------------

run() {
    local table=minibaccarat rounds=() reader=()
    while [ $# -gt 0 ]; do
        case $1 in
            --rounds)
                [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || wrong_call "--rounds wants a number from 1, got '${2:-}'"
                rounds=(--rounds "$2")
                ;;
            --reader) [ -n "${2:-}" ] || wrong_call "--reader wants a name"; reader=(--reader "$2") ;;
            --table) [ -n "${2:-}" ] || wrong_call "--table wants a name"; table=$2 ;;
            -h | --help) usage; exit ;;
            *) wrong_call "run does not know '$1'" ;;
        esac
        shift 2
    done
    case $table in
        */* | *.toml) ;;
        *) table=$PROJECT/config/tables/$table.toml ;;
    esac
    [ -f "$table" ] || wrong_call "no table $table; there are:$(
        cd "$PROJECT/config/tables" && grep -l '^profile = "simulated"' -- *.toml | sed 's/\.toml$//; s/^/ /' | tr -d '\n')"
    environment run
    exec "$VENV/bin/hil" play --table "$table" "${rounds[@]}" "${reader[@]}"
}

# Tests that miss a system package are skipped by name, so a refusal is no failure.
tests() {
    local missing=()
    command -v systemd-analyze >/dev/null || missing+=(systemd)
    command -v git >/dev/null || missing+=(git)
    if [ -z "${SETUP_IN_CHROOT:-}" ]; then
        command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
    fi
    environment test
    [ ${#missing[@]} -eq 0 ] || system_packages "${missing[@]}" || say "tests that need ${missing[*]} will be skipped"
    cd "$PROJECT"
    # All tests: on all processors, those of a file in one process, in order. Named tests: one after the other.
    [ $# -gt 0 ] || set -- --numprocesses auto --dist loadfile --no-loadscope-reorder
    exec "$VENV/bin/python" -m pytest "$@"
}

lock() {
    case "${1:-}" in "" | --upgrade) ;; *) wrong_call "lock does not know '$1'" ;; esac
    local python venv=$BUILD/lock
    python=$(find_python "${ANY_PYTHON[@]}")
    mkdir -p "$BUILD"
    make_venv "$venv" "$python"
    pip_install "$venv" --require-hashes --only-binary :all: -r "$PROJECT/requirements/lock.txt"
    "$venv/bin/python" "$PROJECT/requirements/lock.py" "$@"
}

# Copy a file only if it differs, so that nothing changes on the second run.
put() { # source target [mode]
    cmp -s "$1" "$2" || { install -D -m "${3:-644}" "$1" "$2" && say "wrote $2"; }
}

install_() {
    local root= pi=yes extras=()
    while [ $# -gt 0 ]; do
        case $1 in
            --root)
                [ -n "${2:-}" ] || wrong_call "--root wants a folder"
                { mkdir -p "$2" && root=$(cd "$2" && pwd -P) && [ -w "$root" ]; } ||
                    fail "can't write to $2 as $(id -un): run it as root, or name another --root"
                shift
                ;;
            --with)
                case "${2:-}" in rpigpio | neopixel-pwm | neopixel-pio) extras+=("$2") ;;
                    *) wrong_call "--with wants rpigpio, neopixel-pwm or neopixel-pio" ;; esac
                shift
                ;;
            --without-pi) pi=no ;;
            *) wrong_call "install does not know '$1'" ;;
        esac
        shift
    done
    case " ${extras[*]} $(uname -m)" in
        *" neopixel-pio "*aarch64 | *" neopixel-pio "*armv[67]l) ;;
        *" neopixel-pio "*) fail "neopixel-pio is for the PIO of a Raspberry Pi 5, published for ARM only; this is $(uname -m)" ;;
    esac
    [ "$root" != / ] || root=
    [ -n "$root" ] || is_root || fail "install writes to /opt and /etc: run it as root, or give --root DIR"

    install_program "$root" "$pi" "${extras[@]}"
    put "$PROJECT/systemd/tabled.service" "$root/etc/systemd/system/tabled.service"
    put "$PROJECT/systemd/tabled-network.conf" "$root/usr/share/doc/tabled/tabled-network.conf"
    put "$PROJECT/systemd/tabled-scanner.conf" "$root/usr/share/doc/tabled/tabled-scanner.conf"
    put "$PROJECT/systemd/tabled.sysusers" "$root/etc/sysusers.d/tabled.conf"
    put "$PROJECT/systemd/tabled.tmpfiles" "$root/etc/tmpfiles.d/tabled.conf"
    put "$PROJECT/systemd/tabled.modules" "$root/etc/modules-load.d/tabled.conf"
    put "$PROJECT/README.md" "$root/usr/share/doc/tabled/README.md"
    put "$PROJECT/config/REFERENCE.md" "$root/usr/share/doc/tabled/REFERENCE.md"
    put "$PROJECT/hil/IRREGULARITIES.md" "$root/usr/share/doc/tabled/IRREGULARITIES.md"
    put "$PROJECT/hil/GUIDE.md" "$root/usr/share/doc/tabled/GUIDE.md"
    # The technician's own files: put there once, never touched again.
    local rules=$root/etc/udev/rules.d/80-tabled.rules table=$root/etc/tabled/table.toml
    [ -e "$rules" ] || put "$PROJECT/systemd/80-tabled.rules" "$rules"
    [ -e "$table" ] || put "$PROJECT/config/tables/minibaccarat-pi.toml" "$table"

    if [ -z "$root" ]; then
        activate
    else
        say "installed below $root; nothing of the running system was touched, and no signing key was made: each"
        say "machine makes its own: tabled key make /etc/tabled/signing.key, then chown tabled: it"
    fi
}

# The daemon's own environment under /opt/tabled, apart from the clone.
install_program() { # root pi extras...
    local root=$1 pi=$2 python venv=$1/opt/tabled files=(run)
    shift 2
    [ "$pi" = no ] || files+=(pi)
    files+=("$@")
    python=$(find_python "$SYSTEM_PYTHON")
    local inputs stamp=$venv/.setup-install
    inputs=$(program_stamp "$python" "${files[@]}")
    if [ -x "$venv/bin/tabled" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$inputs" ]; then
        return
    fi
    mkdir -p "$root/opt"
    make_venv "$venv" "$python"
    rm -f "$stamp"
    pip_install "$venv" --require-hashes --only-binary :all: -r "$PROJECT/requirements/run.txt"
    local file
    for file in "${files[@]:1}"; do
        install_hardware "$venv" "$file"
    done
    local copy
    copy=$(mktemp -d)
    # A build leaves files beside its sources: it is done in a copy, the clone stays as it is.
    (cd "$PROJECT" && cp -R firmware drivers hil config pyproject.toml README.md "$copy")
    pip_install "$venv" --no-index --no-deps --no-build-isolation --force-reinstall "$copy"
    rm -rf "$copy"
    # Scripts name their interpreter; below a root they must name it as it will be found there.
    [ -z "$root" ] || grep -rlIZ "^#!$root/" "$venv/bin" | xargs -0 -r sed -i "1s|^#!$root/|#!/|"
    printf '%s\n' "$inputs" >"$stamp"
    say "installed $("$venv/bin/python" -c 'from importlib.metadata import version; print("tabled", version("tabled"))') in $venv"
}

# What /opt/tabled is made from: interpreter, pins and the program's own files.
program_stamp() { # python requirement-files...
    local python=$1 file
    shift
    {
        printf '%s\n' "$*"
        "$python" -VV
        for file in "$@"; do cat "$PROJECT/requirements/$file.txt"; done
        cd "$PROJECT"
        find firmware drivers hil config pyproject.toml -type f ! -name '*.pyc' -print0 | sort -z | xargs -0 sha256sum
    } | sha256sum
}

# Hardware libraries are partly published as source: those, and only those, may be built, with what Debian has for it.
install_hardware() { # venv requirement-file
    local venv=$1 arguments=(--require-hashes --no-build-isolation --only-binary :all:) sources=() tools=()
    case $2 in
        pi)
            sources=(spidev)
            # lgpio has no wheel for Python 3.13.
            "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 13))' && sources+=(lgpio)
            ;;
        rpigpio) sources=(RPi.GPIO) ;;
        neopixel-pwm) sources=(rpi_ws281x) ;;
    esac
    if [ ${#sources[@]} -gt 0 ]; then
        command -v gcc >/dev/null || tools+=(gcc libc6-dev)
        [ -e "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] ||
            tools+=(python3-dev)
        [[ " ${sources[*]} " != *" lgpio "* ]] || command -v swig >/dev/null || tools+=(swig)
        [ ${#tools[@]} -eq 0 ] || system_packages "${tools[@]}" ||
            fail "${sources[*]} must be built here; install the packages named above, or use --without-pi"
        arguments+=(--no-binary "$(IFS=,; echo "${sources[*]}")")
    fi
    say "installing requirements/$2.txt"
    # PYPI=1 makes lgpio's source release build its own copy of the C library.
    PYPI=1 pip_install "$venv" "${arguments[@]}" -r "$PROJECT/requirements/$2.txt"
}

# Make the running system take notice: user, folders, names, unit.
activate() {
    command -v systemd-sysusers >/dev/null || system_packages systemd || exit 1
    systemd-sysusers tabled.conf
    systemd-tmpfiles --create tabled.conf
    local key=/etc/tabled/signing.key
    [ -e "$key" ] || /opt/tabled/bin/tabled key make "$key"
    [ "$(stat -c %U "$key")" = tabled ] || chown tabled: "$key"
    if [ -d /run/udev ]; then
        udevadm control --reload && udevadm trigger --subsystem-match=tty --subsystem-match=gpio
    fi
    if [ -d /run/systemd/system ]; then
        systemctl daemon-reload
        systemctl restart systemd-modules-load.service || say "some drivers could not be loaded: systemctl status systemd-modules-load"
        systemctl enable tabled.service
        say "edit /etc/tabled/table.toml, run /opt/tabled/bin/tabled check /etc/tabled/table.toml,"
        say "have what runs here approved (README, What a table runs), then systemctl start tabled"
    else
        say "systemd does not run here: the unit is in place and will be found at the next boot"
    fi
}

case "${1:-help}" in
    run) shift; run "$@" ;;
    test) shift; tests "$@" ;;
    install) shift; install_ "$@" ;;
    lock) shift; lock "$@" ;;
    help | -h | --help) usage ;;
    *) wrong_call "no command '$1'" ;;
esac
