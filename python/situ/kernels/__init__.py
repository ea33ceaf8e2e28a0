"""Kernels: functions in Python that run once for every work-item of a range, where the data is."""
