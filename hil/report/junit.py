"""An acceptance record as JUnit XML: a test case a measurement, a class a device.

Rules: what was taken as it is counts as passed and says so; what is not known is skipped, never passed.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hil.measure import Measurement, Outcome
from hil.report.record import Signed
from hil.report.text import signature


def xml(of: Signed) -> bytes:
    """The file's bytes."""
    record = of.read()
    wrong = record.wrong
    skipped = [m for m in record.measurements if m.outcome is Outcome.NOT_KNOWN]
    suite = ElementTree.Element(
        "testsuite", name=f"acceptance of table {record.table}", tests=str(len(record.measurements)),
        failures=str(len(wrong)), errors="0", skipped=str(len(skipped)),
        timestamp=record.made.removesuffix("+00:00"), hostname=record.table,
    )  # fmt: skip
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (
        ("machine", record.machine.told),
        ("serial", record.machine.serial),
        ("version", record.software.found.version),
        ("code", record.software.found.code),
        ("configuration", record.software.found.configuration),
        ("by", record.by),
        ("signature", signature(of)),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for one in record.measurements:
        case = ElementTree.SubElement(suite, "testcase", classname=f"{record.table}.{one.of}", name=one.name)
        if one in wrong:
            told = f"{one.code}: {_value(one)}; wanted: {one.limits or 'in order'}"
            ElementTree.SubElement(case, "failure", message=told).text = one.remedy
        elif one.outcome is Outcome.NOT_KNOWN:
            ElementTree.SubElement(case, "skipped", message=f"not known: {_value(one)}")
        else:
            taken = "" if one.outcome is Outcome.PASS else f"taken as it is ({one.code}): "
            ElementTree.SubElement(case, "system-out").text = f"{taken}{_value(one)}"
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suite, "unicode")}\n'.encode()


def _value(one: Measurement) -> str:
    return f"{one.value} {one.unit}".strip()
