import tensorflow as tf
from tensorflow.keras import layers

SIZE, BATCH, NUM_CLASSES = 160, 32, 4

train = tf.keras.utils.image_dataset_from_directory(
    "data/plants/train", image_size=(SIZE, SIZE), batch_size=BATCH, label_mode="categorical"
)
val = tf.keras.utils.image_dataset_from_directory(
    "data/plants/val", image_size=(SIZE, SIZE), batch_size=BATCH, label_mode="categorical"
)
base = tf.keras.applications.MobileNetV2(input_shape=(SIZE, SIZE, 3), include_top=False, weights="imagenet")
base.trainable = False
inputs = tf.keras.Input((SIZE, SIZE, 3))
x = tf.keras.applications.mobilenet_v2.preprocess_input(inputs)
x = base(x, training=False)
x = layers.Reshape((5 * 5, 1280))(x)
x = layers.GlobalAveragePooling1D()(x)
outputs = layers.Dense(NUM_CLASSES, activation="softmax")(x)
model = tf.keras.Model(inputs, outputs)
model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
model.fit(train.prefetch(tf.data.AUTOTUNE), validation_data=val, epochs=5,
          callbacks=[tf.keras.callbacks.ModelCheckpoint("plants.keras")])
model.evaluate(val)
