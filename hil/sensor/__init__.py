"""How the table's sensors behave under real chips and hands."""
