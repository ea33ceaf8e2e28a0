"""`situ.Platform` and the listing of platforms."""

import pytest

import situ


def test_platforms_of_devices():
    platform = situ.Platform("cpu")
    assert platform == situ.Device("cpu").sycl_platform and hash(platform) == hash(situ.Platform("native"))
    assert platform in situ.get_platforms()
    assert platform != situ.Platform("null") and situ.Platform("null") not in situ.get_platforms()
    assert platform.backend is situ.backend_type.native
    assert platform.name in repr(platform) and platform.vendor and platform.version


@pytest.mark.parametrize("wrong", ["abc", "accelerator", "level_zero", 1, situ.Device()])
def test_wrong_arguments(wrong):
    with pytest.raises(ValueError):
        situ.Platform(wrong)


def test_devices_of_a_platform():
    platform, cpu = situ.Platform("native"), situ.Device("cpu")
    assert platform.get_devices() == [cpu]
    assert platform.get_devices("cpu") == platform.get_devices(device_type=situ.device_type.cpu) == [cpu]
    assert platform.get_devices("gpu") == platform.get_composite_devices() == []
    with pytest.raises(ValueError, match="device_type: 'abc' is not one of"):
        platform.get_devices("abc")
    with pytest.raises(TypeError, match="device_type"):
        platform.get_devices(3)


def test_listing_0(capsys):
    situ.lsplatform()
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{platform.name} {platform.version}" for platform in situ.get_platforms()]


@pytest.mark.parametrize("verbosity", [1, 2])
def test_listing_in_blocks(capsys, verbosity):
    situ.lsplatform(verbosity)
    lines = capsys.readouterr().out.splitlines()
    platform = situ.get_platforms()[0]
    assert lines[:6] == [
        "Platform  0 ::",
        f"    Name        {platform.name}",
        f"    Version     {platform.version}",
        f"    Vendor      {platform.vendor}",
        f"    Backend     {platform.backend.name}",
        f"    Num Devices {len(platform.get_devices())}",
    ]
    filters = [line.split()[-1] for line in lines if "Filter string" in line]
    assert filters == ([device.filter_string for device in situ.get_devices()] if verbosity == 2 else [])


@pytest.mark.parametrize("show", [situ.lsplatform, situ.Platform("cpu").print_platform_info])
def test_wrong_verbosity_warns_and_lists_lines(capsys, show):
    show(0)
    expected = capsys.readouterr().out
    with pytest.warns(UserWarning, match="verbosity: expected 0, 1 or 2, got 3"):
        show(3)
    assert capsys.readouterr().out == expected
