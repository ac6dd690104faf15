"""The Linux kernel's own wall around one process: no privileges, Landlock, seccomp, resource limits.

The modules need nothing but Python 3.8 and the C library, so that they also run under a project's own interpreter.
"""
