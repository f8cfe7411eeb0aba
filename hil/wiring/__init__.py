"""The wiring of a table, from its configuration alone: what goes where, as a table and as a picture.

plan.py      every wire, port, bus and string of a configuration
cables.py    the cable of each kind of device with a port
header.py    the Pi's 40-pin header
listing.py   the plan for a terminal
picture.py   the plan as one SVG page; circuits.py, ports.py and terminals.py draw its parts on sheet.py
here.py      ports that are crossed on this machine: two names of one adapter

What is wrong with a wiring is judged by `firmware/settings/check_wiring.py`, and nowhere here.
"""
