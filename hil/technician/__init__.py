"""The technician's panel in a terminal: `hil panel`.

app.py      the application: keys, views, what is shown when
picture.py  the table's picture as a widget, with the spot that keys act on
rows.py     faults, links, lines and machine as lines of text: pure
hands.py    chips and keys of a simulated bench, or why there are none
run.py      from the command's options to a running panel, or to its picture in a file
"""
