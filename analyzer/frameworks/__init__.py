"""What each version of a framework has: names and arguments, and which version a repository asks for."""
