#!/usr/bin/env python
# coding: utf-8

# # Denoising with a 1d network

# In[1]:


get_ipython().system('pip install -q torch matplotlib')
get_ipython().run_line_magic('matplotlib', 'inline')
import numpy as np
import torch
import matplotlib.pyplot as plt


# In[2]:


def make(n, length=256):
    t = np.linspace(0, 1, length)
    f = np.random.uniform(2, 12, (n, 1))
    clean = np.sin(2 * np.pi * f * t)
    return (clean + 0.3 * np.random.randn(n, length)).astype('float32'), clean.astype('float32')

noisy, clean = make(2000)
noisy.shape, clean.shape


# In[3]:


plt.figure(figsize=(10, 3))
plt.plot(noisy[0]); plt.plot(clean[0])
plt.show()


# In[4]:


class Denoiser(torch.nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.enc1 = torch.nn.Conv1d(1, width, 9, stride=2, padding=4)
        self.enc2 = torch.nn.Conv1d(width, 2 * width, 9, stride=2, padding=4)
        self.dec1 = torch.nn.ConvTranspose1d(2 * width, width, 8, stride=2, padding=3)
        self.dec2 = torch.nn.ConvTranspose1d(2 * width, 1, 8, stride=2, padding=3)

    def forward(self, x):
        a = torch.relu(self.enc1(x))
        b = torch.relu(self.enc2(a))
        c = torch.relu(self.dec1(b))
        return self.dec2(torch.cat([c, a], dim=1))

net = Denoiser()
sum(p.numel() for p in net.parameters())


# In[5]:


opt = torch.optim.Adam(net.parameters(), 1e-3)
losses = []
for epoch in range(10):
    perm = np.random.permutation(len(noisy))
    for k in range(0, len(perm), 50):
        idx = perm[k:k + 50]
        x = torch.tensor(noisy[idx]).unsqueeze(1)
        y = torch.tensor(clean[idx]).unsqueeze(1)
        loss = ((net(x) - y) ** 2).mean()
        opt.zero_grad(); loss.backward(); opt.step()
        losses.append(loss.item())


# In[6]:


plt.plot(losses)
with torch.no_grad():
    out = net(torch.tensor(noisy[:1]).unsqueeze(1)).squeeze().numpy()
plt.plot(out); plt.plot(clean[0])
plt.show()
