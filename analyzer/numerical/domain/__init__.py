"""The abstract domain: tensors cut into blocks, an interval for each block, affine relations between tensors."""
