import os

import matplotlib.pyplot as plt
import numpy as np
from keras.datasets import fashion_mnist
from keras.layers import (
    BatchNormalization, Conv2D, Conv2DTranspose, Dense, Dropout, Flatten, Input, LeakyReLU, Reshape
)
from keras.models import Model, Sequential
from keras.optimizers import Adam


class GAN:
    def __init__(self):
        self.shape = (28, 28, 1)
        self.latent = 100
        self.discriminator = self.build_discriminator()
        self.discriminator.compile(loss="binary_crossentropy", optimizer=Adam(0.0002, 0.5), metrics=["accuracy"])
        self.generator = self.build_generator()
        z = Input(shape=(self.latent,))
        self.discriminator.trainable = False
        self.combined = Model(z, self.discriminator(self.generator(z)))
        self.combined.compile(loss="binary_crossentropy", optimizer=Adam(0.0002, 0.5))

    def build_generator(self):
        return Sequential([
            Input((self.latent,)),
            Dense(7 * 7 * 128),
            LeakyReLU(negative_slope=0.2),
            Reshape((7, 7, 128)),
            Conv2DTranspose(64, 4, strides=2, padding="same"),
            BatchNormalization(momentum=0.8),
            LeakyReLU(negative_slope=0.2),
            Conv2DTranspose(1, 4, strides=2, padding="same", activation="tanh"),
        ])

    def build_discriminator(self):
        return Sequential([
            Input(self.shape),
            Conv2D(32, 3, strides=2, padding="same"),
            LeakyReLU(negative_slope=0.2),
            Dropout(0.25),
            Conv2D(64, 3, strides=2, padding="same"),
            LeakyReLU(negative_slope=0.2),
            Flatten(),
            Dense(1, activation="sigmoid"),
        ])

    def train(self, epochs, batch_size=128, sample_interval=50):
        (images, _), (_, _) = fashion_mnist.load_data()
        images = np.expand_dims(images / 127.5 - 1.0, axis=3)
        valid, fake = np.ones((batch_size, 1)), np.zeros((batch_size, 1))
        for epoch in range(epochs):
            rows = np.random.randint(0, images.shape[0], batch_size)
            noise = np.random.normal(0, 1, (batch_size, self.latent))
            made = self.generator.predict(noise, verbose=0)
            real_loss = self.discriminator.train_on_batch(images[rows], valid)
            fake_loss = self.discriminator.train_on_batch(made, fake)
            d = 0.5 * np.add(real_loss, fake_loss)
            g = self.combined.train_on_batch(noise, valid)
            print(f"{epoch} [D loss: {d[0]:f}, acc.: {100 * d[1]:.2f}%] [G loss: {np.ravel(g)[0]:f}]")
            if epoch % sample_interval == 0:
                self.sample(epoch)

    def sample(self, epoch):
        made = 0.5 * self.generator.predict(np.random.normal(0, 1, (25, self.latent)), verbose=0) + 0.5
        fig, axs = plt.subplots(5, 5)
        for i in range(25):
            axs[i // 5, i % 5].imshow(made[i, :, :, 0], cmap="gray")
        os.makedirs("images", exist_ok=True)
        fig.savefig(f"images/{epoch}.png")
        plt.close()


if __name__ == "__main__":
    GAN().train(epochs=4000, batch_size=32, sample_interval=200)
