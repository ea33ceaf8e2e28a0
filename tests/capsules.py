"""DLPack's structures by way of ctypes, and an exporter of capsules that may say anything."""

import ctypes

import numpy as np

CPU = (1, 0)


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", DLTensor),
    ]  # fmt: skip


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype = ctypes.c_void_p
capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
set_name = ctypes.pythonapi.PyCapsule_SetName
set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]

CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class Exporter:
    """An array in memory of its own that counts how often its deleter is called."""

    device = CPU
    # Whoever opens a capsule does not know of the exporter, which must not go before the capsule's contents do.
    everyone = []

    def __init__(self, host=None, *, versioned=True, name=None, deletes=True, **fields):
        self.host = host = np.arange(6, dtype="f4").reshape(2, 3) if host is None else host
        self.deleted, self.versioned, self.capsules = 0, versioned, 0
        self.name = (b"dltensor_versioned" if versioned else b"dltensor") if name is None else name
        self.shape = (ctypes.c_int64 * max(1, host.ndim))(*host.shape)
        self.strides = (ctypes.c_int64 * max(1, host.ndim))(*(step // host.itemsize for step in host.strides))
        self.deleter = DELETER(self.delete) if deletes else DELETER()
        record = DLTensor(
            data=host.ctypes.data, device_type=1, ndim=host.ndim, code=CODES[host.dtype.kind],
            bits=host.itemsize * 8, lanes=1, shape=self.shape, strides=self.strides,
        )  # fmt: skip
        self.managed = Versioned(major=1, minor=0) if versioned else Legacy()
        self.managed.deleter = self.deleter
        for key, value in fields.items():
            setattr(self.managed if hasattr(self.managed, key) else record, key, value)
        self.managed.tensor = record
        self.everyone.append(self)

    def delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        self.keywords = keywords
        self.capsules += 1
        return new_capsule(ctypes.addressof(self.managed), self.name, None)


class Again:
    """An array of situ that situ does not recognise, and the requests it got."""

    def __init__(self, array):
        self.array, self.requests = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **request):
        self.requests.append(request)
        return self.array.__dlpack__(**request)


class Interface:
    """An object with nothing but the CUDA interface of an array, some entries of it changed."""

    def __init__(self, array, **entries):
        entries = {**array.__cuda_array_interface__, **entries}
        self.__cuda_array_interface__ = {key: value for key, value in entries.items() if value is not ...}
        self._array = array


def record_of(capsule):
    """What a capsule of version 1 holds."""
    return Versioned.from_address(capsule_pointer(capsule, b"dltensor_versioned"))
