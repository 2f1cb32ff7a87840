"""The context that a model is sent: one module per rule, one pool of conversations."""
