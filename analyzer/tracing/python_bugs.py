def check_python(path, root, text, tree, versions):
    return []
