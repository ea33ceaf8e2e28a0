"""A folder for `sys.path` and `PYTHONPATH`: in it, `dpctl` is `situ.dpctl`."""
