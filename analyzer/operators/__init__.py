"""The operators of all frameworks, each declared once: names, traits, unsafe conditions. One module a family."""
