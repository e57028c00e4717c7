"""How long a film takes, measured side by side: `make bench`."""
