"""What a program imports: modules of the repository, installed libraries, their summaries, configuration files."""
