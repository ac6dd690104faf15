import numpy as np
from keras import Model, callbacks, layers, optimizers, regularizers

ratings = np.genfromtxt("ml/ratings.csv", delimiter=",", skip_header=1)
users, user_ids = np.unique(ratings[:, 0], return_inverse=True)
movies, movie_ids = np.unique(ratings[:, 1], return_inverse=True)
stars = ratings[:, 2].astype("float32")
order = np.random.default_rng(0).permutation(len(stars))
cut = int(0.9 * len(order))
train, held = order[:cut], order[cut:]


def tower(name, size, width):
    given = layers.Input((1,), dtype="int32", name=name)
    vector = layers.Embedding(size, width, embeddings_regularizer=regularizers.l2(1e-6))(given)
    vector = layers.Flatten()(vector)
    bias = layers.Flatten()(layers.Embedding(size, 1)(given))
    return given, layers.Dense(width // 2, activation="relu")(vector), bias


user_in, user_vec, user_bias = tower("user", len(users), 48)
movie_in, movie_vec, movie_bias = tower("movie", len(movies), 48)
match = layers.Dot(axes=1)([user_vec, movie_vec])
score = layers.Add()([match, user_bias, movie_bias])
stars_out = layers.Lambda(lambda t: 4.5 / (1 + 2.718281828**-t) + 0.5)(score)
model = Model([user_in, movie_in], stars_out)
model.compile(optimizer=optimizers.Adam(1e-3), loss="mse", metrics=["mae"])
model.fit(
    [user_ids[train], movie_ids[train]], stars[train],
    validation_data=([user_ids[held], movie_ids[held]], stars[held]),
    batch_size=256, epochs=4,
    callbacks=[
        callbacks.EarlyStopping(patience=2, restore_best_weights=True),
        callbacks.ReduceLROnPlateau(patience=1),
        callbacks.CSVLogger("history.csv"),
    ],
)
top = np.argsort(-model.predict([np.zeros(len(movies), int), np.arange(len(movies))])[:, 0])[:10]
print("for user", users[0], "recommend", movies[top])
