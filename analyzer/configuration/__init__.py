"""`.assay.yml` and what a team decided: schema, reader, policy."""
