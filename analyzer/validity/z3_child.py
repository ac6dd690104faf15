"""The process that Z3 runs in; `solver` starts it behind a wall."""

from analyzer.validity.solver import serve

if __name__ == "__main__":
    serve()
