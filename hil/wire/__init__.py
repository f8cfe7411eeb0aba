"""One device's wire for a technician: what came and went, what the driver made of it, and the same again later."""
