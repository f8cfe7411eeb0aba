#!/bin/sh
# Before the daemon: the header's chip with the label and lines of a Pi, and what the libraries ask about the board.
set -e
modprobe -a configfs virtio_console virtio_rng xhci_pci i6300esb gpio-sim
mount -t configfs none /sys/kernel/config 2>/dev/null || true
# On the arm64 board another chip has the first place.
for bound in /sys/bus/amba/drivers/pl061_gpio/*.pl061; do
    [ ! -e "$bound" ] || basename "$bound" >/sys/bus/amba/drivers/pl061_gpio/unbind
done
header=/sys/kernel/config/gpio-sim/header
if [ ! -e "$header" ]; then
    mkdir -p "$header/bank"
    echo 54 >"$header/bank/num_lines"
    echo pinctrl-bcm2711 >"$header/bank/label"
    n=0
    while [ $n -lt 28 ]; do
        mkdir -p "$header/bank/line$n"
        echo "GPIO$n" >"$header/bank/line$n/name"
        n=$((n + 1))
    done
    echo 1 >"$header/live"
fi
grep -q Revision /proc/cpuinfo || {
    { cat /proc/cpuinfo; printf 'Revision\t: c03115\n'; } >/run/cpuinfo
    mount --bind /run/cpuinfo /proc/cpuinfo
}
