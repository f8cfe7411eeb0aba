"""Card shoes and card readers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import assert_never

from drivers.ports import CardReader
from firmware.app import clock
from firmware.app.registry.addresses import url_of
from firmware.settings.devices import readers as kinds


def make(name: str, options: kinds.CardReaderDevice, run_dir: Path) -> CardReader:
    match options:
        case kinds.ShoeAngelEye() | kinds.ShoeAngelEyeSimulated():
            return _angeleye(name, options, run_dir)
        case kinds.ShoeBeeTek() | kinds.ShoeBeeTekSimulated():
            return _beetek(name, options, run_dir)
        case kinds.ShoeBarcodeSerial() | kinds.ShoeBarcodeSerialSimulated():
            return _barcode_serial(name, options, run_dir)
        case kinds.ShoeBarcodeHid() | kinds.ShoeBarcodeHidSimulated():
            return _barcode_hid(name, options, run_dir)
        case kinds.ShoeTgline() | kinds.ShoeTglineSimulated():
            return _tgline(name, options, run_dir)
        case _:
            assert_never(options)


def _angeleye(name: str, options: kinds.ShoeAngelEye | kinds.ShoeAngelEyeSimulated, run_dir: Path) -> CardReader:
    from drivers.devices import angeleye_shoe

    return angeleye_shoe.create(
        name=name,
        url=url_of(options.url, run_dir),
        baud=options.baud,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
        silent_limit_s=options.silent_limit_s,
    )


def _beetek(name: str, options: kinds.ShoeBeeTek | kinds.ShoeBeeTekSimulated, run_dir: Path) -> CardReader:
    from drivers.devices import beetek_shoe

    return beetek_shoe.create(
        name=name,
        url=url_of(options.url, run_dir),
        baud=options.baud,
        repeat_ms=options.repeat_ms,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
        silent_limit_s=options.silent_limit_s,
    )


def _barcode_serial(
    name: str, options: kinds.ShoeBarcodeSerial | kinds.ShoeBarcodeSerialSimulated, run_dir: Path
) -> CardReader:
    from drivers.devices import barcode_scanner

    return barcode_scanner.create_serial(
        name=name,
        url=url_of(options.url, run_dir),
        baud=options.baud,
        codes=codes_of(options),
        repeat_ms=options.repeat_ms,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
    )


def _barcode_hid(name: str, options: kinds.ShoeBarcodeHid | kinds.ShoeBarcodeHidSimulated, run_dir: Path) -> CardReader:
    from drivers.devices import barcode_scanner

    return barcode_scanner.create_hid(
        name=name,
        url=url_of(options.url, run_dir),
        codes=codes_of(options),
        repeat_ms=options.repeat_ms,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
    )


def codes_of(options: kinds.ScannerOptions) -> Mapping[str, str]:
    """The card behind each code of a scanner."""
    from drivers.codecs.barcodes import MapName, named_map

    match options.map:
        case kinds.CardCodes.OWN:
            return options.codes
        case named:
            return named_map(MapName(named.value))


def _tgline(name: str, options: kinds.ShoeTgline | kinds.ShoeTglineSimulated, run_dir: Path) -> CardReader:
    from drivers.devices import tgline_shoe

    return tgline_shoe.create(
        name=name,
        url=url_of(options.url, run_dir),
        baud=options.baud,
        address=options.address,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
    )
