"""The acceptance record of a table: `hil report`.

record.py   what it holds, its bytes, its signature, and whether one that was read is still what was signed
collect.py  from a running daemon, this machine and the devices to a record
text.py     for a terminal or a printer
junit.py    for a test system: a test case a measurement
page.py     one HTML file with plots, which carries the signed record in it
run.py      the command
"""
