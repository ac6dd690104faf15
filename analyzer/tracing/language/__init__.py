"""Python as the tracer reads it: values, expressions, statements, calls, classes, iterators."""
