"""`situ.Device`: construction, facts, sub-devices, peers. The null device has four compute units everywhere."""

import pytest

import situ

ASPECTS = """accelerator atomic64 cpu custom emulated fp16 fp64 gpu host_debuggable image is_component is_composite
online_compiler online_linker queue_profiling usm_atomic_host_allocations usm_atomic_shared_allocations
usm_device_allocations usm_host_allocations usm_shared_allocations usm_system_allocations""".split()
TYPES = "char short int long float double half".split()
IMAGES = """image_2d_max_width image_2d_max_height image_3d_max_width image_3d_max_height image_3d_max_depth
max_read_image_args max_write_image_args""".split()


@pytest.fixture(params=[*situ.get_devices(), situ.Device("null")], ids=lambda device: device.filter_string)
def device(request):
    return request.param


@pytest.fixture
def cpu():
    return situ.Device("cpu")


@pytest.fixture
def null():
    return situ.Device("null")


def test_the_same_device_is_equal_however_it_was_found(cpu):
    again = situ.Device("native:cpu:0")
    assert cpu == again and hash(cpu) == hash(again)
    assert situ.Device(cpu) == cpu
    assert cpu != situ.Device("null")
    assert cpu != "native:cpu:0" and cpu is not None


@pytest.mark.parametrize("wrong", [1, 2.5, [], object()])
def test_anything_but_a_selector_or_a_device_is_a_type_error(wrong):
    with pytest.raises(TypeError, match="selector string"):
        situ.Device(wrong)


def test_there_are_84_public_members(cpu):
    public = [name for name in dir(cpu) if not name.startswith("_")]
    assert len(public) == 84
    assert all(getattr(situ.Device, name).__doc__ for name in public)


def test_identity(cpu):
    assert cpu.backend is situ.backend_type.native
    assert cpu.device_type is situ.device_type.cpu
    assert (cpu.is_cpu, cpu.is_gpu, cpu.is_accelerator) == (True, False, False)
    assert cpu.name and cpu.vendor and cpu.driver_version
    assert cpu.default_selector_score > 0
    assert isinstance(cpu.addressof_ref(), int)
    assert repr(cpu).startswith(f"<situ.Device [backend_type.native, device_type.cpu,  {cpu.name}] at 0x")
    part = repr(cpu.create_sub_devices(partition=[1])[0])
    assert f", native:cpu:0 (sub-device of 1 of {cpu.max_compute_units} compute units), at 0x" in part


def test_the_null_device_is_never_the_default(null):
    assert null.default_selector_score == -1
    assert null.backend is situ.backend_type.null
    assert null not in situ.get_devices()


def test_what_every_device_says(device):
    kinds = {"cpu": device.is_cpu, "gpu": device.is_gpu, "accelerator": device.is_accelerator}
    assert [name for name, is_it in kinds.items() if is_it] == ([] if kind(device) == "custom" else [kind(device)])
    assert getattr(device, f"has_aspect_{kind(device)}") is True
    assert device.name and device.vendor and device.driver_version
    assert device.max_compute_units > 0 and device.global_mem_size > 0 and device.max_work_group_size > 0
    assert device.max_mem_alloc_size <= device.global_mem_size
    assert device.sycl_platform.backend is device.backend
    # The null device has a type that no selector names.
    assert kind(device) == "custom" or situ.Device(device.filter_string) == device
    assert repr(device).startswith(f"<situ.Device [backend_type.{device.backend.name}, device_type.{kind(device)}, ")


def kind(device):
    return device.device_type.name


def test_a_gpu_is_the_default_where_there_is_one():
    assert situ.Device().is_gpu is situ.has_gpu_devices()


@pytest.mark.parametrize("aspect", ASPECTS)
def test_aspects_are_booleans(device, aspect):
    assert isinstance(getattr(device, f"has_aspect_{aspect}"), bool)


def test_aspects_tell_devices_apart(cpu, null):
    assert (cpu.has_aspect_cpu, cpu.has_aspect_custom) == (True, False)
    assert (null.has_aspect_cpu, null.has_aspect_custom) == (False, True)


@pytest.mark.parametrize("name", [f"{kind}_vector_width_{t}" for kind in ("preferred", "native") for t in TYPES])
def test_vector_widths_are_numbers(null, name):
    assert getattr(null, name) == 1


@pytest.mark.parametrize("name", IMAGES)
def test_there_are_no_images(device, name):
    assert getattr(device, name) == 0


def test_limits(null):
    assert null.max_compute_units == 4
    assert null.max_work_item_sizes1d == (1024,)
    assert null.max_work_item_sizes2d == (1024, 1024)
    assert null.max_work_item_sizes3d == (1024, 1024, 1024)
    assert null.sub_group_sizes == [1]
    assert null.partition_max_sub_devices == 4
    assert null.global_mem_cache_type is situ.global_mem_cache_type.none
    assert null.local_mem_size == 64 << 10


def test_max_work_item_sizes_is_deprecated(null):
    with pytest.warns(DeprecationWarning, match="max_work_item_sizes3d"):
        assert null.max_work_item_sizes == null.max_work_item_sizes3d


def test_facts_are_read_only(cpu):
    with pytest.raises(AttributeError):
        cpu.name = "another"


def test_filter_strings(cpu, null):
    assert cpu.filter_string == "native:cpu:0"
    assert cpu.get_filter_string(include_backend=False) == "cpu:0"
    assert cpu.get_filter_string(include_device_type=False) == "native:0"
    assert situ.get_devices()[cpu.get_device_id()] == cpu
    part = null.create_sub_devices(partition=2)[0]
    assert part.get_device_id() == null.get_device_id()
    with pytest.raises(ValueError, match="sub-device has no filter string"):
        _ = part.filter_string
    with pytest.raises(ValueError, match="sub-device has no filter string"):
        part.get_filter_string()


def test_print_device_info(cpu, capsys):
    cpu.print_device_info()
    lines = capsys.readouterr().out.split("\n")
    assert [line[:20].strip() for line in lines[:4]] == ["Name", "Driver version", "Vendor", "Filter string"]
    assert lines[3].endswith("native:cpu:0") and lines[4:] == ["", ""]


@pytest.mark.parametrize(
    ("partition", "units"),
    [(1, [1] * 4), (3, [3]), (2.0, [2, 2]), ([1, 2], [1, 2]), ((4,), [4]), ([1.0, 3], [1, 3])],
)
def test_sub_devices(null, partition, units):
    parts = null.create_sub_devices(partition=partition)
    assert [part.max_compute_units for part in parts] == units
    for part in parts:
        assert part != null
        assert part.parent_device == null
        assert part.get_unpartitioned_parent_device() == null


def test_parts_of_parts(null):
    half = null.create_sub_devices(partition=2)[0]
    quarter = half.create_sub_devices(partition=1)[0]
    assert quarter.parent_device == half and quarter.get_unpartitioned_parent_device() == null
    assert null.parent_device is None and null.get_unpartitioned_parent_device() == null


@pytest.mark.parametrize(
    ("partition", "error"),
    [
        (0, situ.SubDeviceCreationError),
        (5, situ.SubDeviceCreationError),
        (-1, OverflowError),
        ([-1, 1], OverflowError),
        (2.7, ValueError),
        ([1.5], ValueError),
        ([1, 0.5], ValueError),
        (float("nan"), ValueError),
        (float("inf"), ValueError),
        ([], ValueError),
        ([0, 1], situ.SubDeviceCreationError),
        ([3, 3], situ.SubDeviceCreationError),
        ("numa", situ.SubDeviceCreationError),
        ("not_applicable", situ.SubDeviceCreationError),
        ("L9_cache", ValueError),
        (None, TypeError),
        (["a"], TypeError),
    ],
)
def test_impossible_partitions(null, partition, error):
    with pytest.raises(error):
        null.create_sub_devices(partition=partition)


@pytest.mark.parametrize(("args", "keywords"), [((), {}), ((2,), {}), ((), {"parts": 2})])
def test_partition_is_the_one_keyword(null, args, keywords):
    with pytest.raises(TypeError):
        null.create_sub_devices(*args, **keywords)


def test_what_cannot_be_split(device):
    if device.partition_max_sub_devices:
        pytest.skip("this one can be split")
    for partition in (1, [1], "numa", "next_partitionable"):
        with pytest.raises(situ.SubDeviceCreationError):
            device.create_sub_devices(partition=partition)


def test_there_are_no_composite_devices(device):
    assert device.composite_device is None
    assert device.component_devices() == []


def test_peers(cpu, null):
    part = null.create_sub_devices(partition=2)[0]
    assert cpu.can_access_peer(null) is False
    assert null.can_access_peer(part, value="atomics_supported") is False
    with pytest.raises(ValueError, match="access_supported"):
        cpu.can_access_peer(null, value="wrong")
    with pytest.raises(TypeError):
        cpu.can_access_peer(null, value=2)
    for change in (cpu.enable_peer_access, cpu.disable_peer_access):
        with pytest.raises(ValueError, match="its own peer"):
            change(cpu)
        with pytest.raises(ValueError, match="different backends"):
            change(null)
    with pytest.raises(ValueError, match="no peer access"):
        null.enable_peer_access(part)
    for method in (cpu.can_access_peer, cpu.enable_peer_access, cpu.disable_peer_access):
        with pytest.raises(TypeError, match="peer"):
            method({})
