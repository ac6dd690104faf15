"""The smallest change that the analysis can prove to mend a warning."""
