"""What other programs read and write: the line formats of `tabled settle` and the list of `tabled rules`."""
