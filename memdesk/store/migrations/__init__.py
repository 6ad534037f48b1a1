"""One SQL script for every version of the database, applied in order."""
