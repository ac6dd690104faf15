"""Entry points of wordcraft: its model that completes sentences, as it builds it over a vocabulary."""

from wordcraft import WordCraft


def _model(words, length, **sizes):
    craft = WordCraft()
    craft.vocab_size, craft.max_seq_length = words, length
    craft.build_model(**sizes)
    craft.model.build((2, length - 1))
    return craft.model


def small():
    return _model(20, 6, embedding_dim=8, lstm_units=12)


def large():
    return _model(30, 9)
