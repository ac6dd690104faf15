import tensorflow as tf

BATCH = 64
VOCAB = 10000
LENGTH = 200

raw_train = tf.keras.utils.text_dataset_from_directory("aclImdb/train", batch_size=BATCH, validation_split=0.2,
                                                       subset="training", seed=42)
raw_val = tf.keras.utils.text_dataset_from_directory("aclImdb/train", batch_size=BATCH, validation_split=0.2,
                                                     subset="validation", seed=42)


def standardise(text):
    return tf.strings.regex_replace(tf.strings.lower(text), "<br />", " ")


vectorise = tf.keras.layers.TextVectorization(
    standardize=standardise, max_tokens=VOCAB, output_mode="int", output_sequence_length=LENGTH
)
vectorise.adapt(raw_train.map(lambda text, label: text))

train = raw_train.map(lambda text, label: (vectorise(text), label)).cache().prefetch(tf.data.AUTOTUNE)
val = raw_val.map(lambda text, label: (vectorise(text), label)).cache().prefetch(tf.data.AUTOTUNE)

model = tf.keras.Sequential([
    tf.keras.layers.Embedding(VOCAB, 64),
    tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(64, return_sequences=True)),
    tf.keras.layers.LSTM(32),
    tf.keras.layers.Dense(64, activation="relu"),
    tf.keras.layers.Dense(1),
])
model.compile(
    loss=tf.keras.losses.BinaryCrossentropy(from_logits=True), optimizer=tf.keras.optimizers.Adam(1e-4), metrics=["accuracy"]
)
history = model.fit(train, epochs=10, validation_data=val)
loss, accuracy = model.evaluate(val)
print("Loss:", loss, "Accuracy:", accuracy)
