#!/usr/bin/env python
# coding: utf-8

# In[1]:


import matplotlib.pyplot as plt
import pandas as pd
import torch
from torch import nn

get_ipython().run_line_magic('matplotlib', 'inline')


# In[2]:


url = 'http://archive.ics.uci.edu/ml/machine-learning-databases/auto-mpg/auto-mpg.data'
column_names = ['MPG', 'Cylinders', 'Displacement', 'Horsepower', 'Weight', 'Acceleration', 'Model Year', 'Origin']
raw = pd.read_csv(url, names=column_names, na_values='?', comment='\t', sep=' ', skipinitialspace=True)
dataset = raw.dropna()
dataset.tail()


# In[3]:


train = dataset.sample(frac=0.8, random_state=0)
test = dataset.drop(train.index)
features, labels = train.drop(columns=['MPG']), train['MPG']
display(features.describe())


# In[4]:


x = torch.tensor(features.values, dtype=torch.float32)
y = torch.tensor(labels.values, dtype=torch.float32)
x = (x - x.mean(0)) / (x.std(0) + 1e-6)
model = nn.Sequential(nn.Linear(7, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.RMSprop(model.parameters(), 1e-3)
history = []
for epoch in range(100):
    loss = ((model(x).squeeze(1) - y) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    history.append(loss.item())


# In[5]:


plt.plot(history)
plt.xlabel('Epoch')
plt.show()
