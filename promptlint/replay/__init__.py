"""Pure kernels: a request as hashed blocks and boundaries, and what a cache holds of it when the next one comes.

Nothing here opens a file or knows a data engine, so that any of them can run these functions over its own partitions.
"""
