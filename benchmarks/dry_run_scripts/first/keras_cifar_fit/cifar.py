import numpy as np
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.callbacks import EarlyStopping, ModelCheckpoint, TensorBoard

num_classes = 10
batch_size = 128
epochs = 30

(x_train, y_train), (x_test, y_test) = keras.datasets.cifar10.load_data()
x_train = x_train.astype("float32") / 255.0
x_test = x_test.astype("float32") / 255.0
y_train = keras.utils.to_categorical(y_train, num_classes)
y_test = keras.utils.to_categorical(y_test, num_classes)


def inception(x, a, b, c):
    one = layers.Conv2D(a, 1, padding="same", activation="relu")(x)
    three = layers.Conv2D(b, 3, padding="same", activation="relu")(layers.Conv2D(b // 2, 1, activation="relu")(x))
    pool = layers.MaxPooling2D(3, strides=1, padding="same")(x)
    return layers.concatenate([one, three, layers.Conv2D(c, 1, activation="relu")(pool)], axis=-1)


inputs = keras.Input(shape=(32, 32, 3))
x = layers.RandomFlip("horizontal")(inputs)
x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
x = layers.MaxPooling2D()(x)
x = inception(x, 32, 64, 16)
x = layers.MaxPooling2D()(x)
x = inception(x, 64, 96, 32)
x = layers.Reshape((64, 192))(x)
x = layers.MultiHeadAttention(4, 48)(x, x)
x = layers.GlobalAveragePooling1D()(x)
x = layers.Dropout(0.3)(x)
outputs = layers.Dense(num_classes, activation="softmax")(x)

model = keras.Model(inputs, outputs)
model.summary()
model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.Adam(1e-3), metrics=["accuracy"])
model.fit(
    x_train,
    y_train,
    batch_size=batch_size,
    epochs=epochs,
    validation_split=0.1,
    callbacks=[EarlyStopping(patience=5), ModelCheckpoint("best.keras", save_best_only=True), TensorBoard("logs")],
)
score = model.evaluate(x_test, y_test, verbose=0)
print("Test accuracy:", score[1])
np.save("predictions.npy", model.predict(x_test).argmax(-1))
