"""The demo: an example repository and its pull request, reviewed on this machine."""
