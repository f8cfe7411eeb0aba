"""What `hil check` measures.

attached.py  at the running daemon, read-only: its own view of every device, twice, some seconds apart
opened.py    on the devices themselves, leased or opened directly: each by its port, each within its time
facts.py     the machine under the table
rig.py       the contract suite on jumpered pins
"""
