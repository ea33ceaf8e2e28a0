//! From a kernel's text to a program of the driver.

use std::ffi::CString;
use std::ptr;

use situ_codegen::{Rules, Source, cache};
use situ_hal::{HalError, Result};

use crate::context::Place;
use crate::driver::{Driver, Handle, code, read, text};

const BINARY_SIZES: u32 = 0x1165;
const BINARIES: u32 = 0x1166;
const BUILD_LOG: u32 = 0x1183;

/// A program of the driver.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) handle: Handle,
    driver: &'static Driver,
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle; kernels made from it hold a reference of their own.
        unsafe { (self.driver.api.clReleaseProgram)(self.handle) };
    }
}

/// The program of a kernel: from the cache, or compiled.
pub(crate) fn build(place: &Place, source: &Source) -> Result<Program> {
    let facts = &place.device.facts;
    let mut options = facts.options.clone();
    if let Rules::Given(given) = &source.rules {
        // A user who says which language it is knows better.
        if given.iter().any(|option| option.starts_with("-cl-std=")) {
            options.retain(|option| !option.starts_with("-cl-std="));
        }
        options.extend(given.iter().cloned());
    }
    let options = options.join(" ");
    let key = format!("{}\n{options}\n{}", facts.identity, source.text);
    if let Some(program) = cache::load(&key).and_then(|image| from_image(place, &image, &options)) {
        return Ok(program);
    }
    let program = compiled(place, from_text(place, &source.text)?, source, &options)?;
    if let Some(image) = image(&program) {
        cache::store(&key, &image);
    }
    Ok(program)
}

/// The program of a kernel in a module of SPIR-V.
pub(crate) fn build_spirv(place: &Place, module: &[u8], source: &Source) -> Result<Program> {
    let driver = place.device.driver;
    let Some(create) = driver.from_spirv.filter(|_| place.device.facts.takes_spirv) else {
        let detail = format!("{} takes no SPIR-V; write it in OpenCL C", place.device.facts.info.name);
        return Err(HalError::Unsupported { operation: format!("kernel {}", source.kernel).into(), detail });
    };
    let mut code = code::SUCCESS;
    // SAFETY: the context exists, the module has this length, and one code is written.
    let handle = unsafe { create(place.context.handle, module.as_ptr().cast(), module.len(), &raw mut code) };
    if code != code::SUCCESS || handle.is_null() {
        return Err(said(source, "it is no module of SPIR-V that the driver knows"));
    }
    let options = match &source.rules {
        Rules::Given(given) => given.join(" "),
        _ => String::new(),
    };
    compiled(place, Program { handle, driver }, source, &options)
}

/// The program, built.
fn compiled(place: &Place, program: Program, source: &Source, options: &str) -> Result<Program> {
    match compile(place, &program, options) {
        code::SUCCESS => {}
        code::BUILD_PROGRAM_FAILURE
        | code::COMPILE_PROGRAM_FAILURE
        | code::LINK_PROGRAM_FAILURE
        | code::INVALID_BINARY
        | code::INVALID_BUILD_OPTIONS => return Err(said(source, &log(place, &program))),
        code => place.device.check(code, "compile a kernel")?,
    }
    Ok(program)
}

/// What the compiler said about a text: a user's own in full, else its first error.
fn said(source: &Source, log: &str) -> HalError {
    let log = if log.is_empty() { "the compiler gave no reason" } else { log };
    match source.rules {
        Rules::Given(_) => {
            HalError::Compile { operation: format!("kernel {}", source.kernel).into(), detail: log.to_owned() }
        }
        _ => HalError::Failed {
            operation: "compile a kernel".into(),
            detail: format!(
                "the kernel {} does not compile; this is a bug in situ: {}",
                source.kernel,
                first_error(log)
            ),
        },
    }
}

/// The first line of a log that speaks of an error, or all of it.
fn first_error(log: &str) -> &str {
    log.lines().find(|line| line.contains("error")).map_or(log, str::trim)
}

fn from_text(place: &Place, source: &str) -> Result<Program> {
    let (driver, length, start) = (place.device.driver, source.len(), source.as_ptr().cast());
    let handle = driver.made("compile a kernel", |code| {
        // SAFETY: the context exists, the text has this length, and one code is written.
        unsafe {
            let (texts, lengths) = (&raw const start, &raw const length);
            (driver.api.clCreateProgramWithSource)(place.context.handle, 1, texts, lengths, code)
        }
    })?;
    Ok(Program { handle, driver })
}

/// A program from what an earlier one was compiled to; `None` where the driver does not want it any more.
fn from_image(place: &Place, image: &[u8], options: &str) -> Option<Program> {
    let (driver, length, start) = (place.device.driver, image.len(), image.as_ptr());
    let mut status = code::SUCCESS;
    let made = driver.made("load a kernel", |code| {
        // SAFETY: context and device exist, the image has this length, and two codes are written.
        unsafe {
            let (devices, lengths, images) = (&raw const place.device.handle, &raw const length, &raw const start);
            let create = driver.api.clCreateProgramWithBinary;
            create(place.context.handle, 1, devices, lengths, images, &raw mut status, code)
        }
    });
    let program = Program { handle: made.ok()?, driver };
    (status == code::SUCCESS && compile(place, &program, options) == code::SUCCESS).then_some(program)
}

/// Builds a program for the place's device; the driver's code.
fn compile(place: &Place, program: &Program, options: &str) -> i32 {
    let Ok(options) = CString::new(options) else { return code::INVALID_BUILD_OPTIONS };
    // SAFETY: program and device exist, and the options end with 0.
    unsafe {
        let (device, none) = (&raw const place.device.handle, ptr::null());
        (place.device.driver.api.clBuildProgram)(program.handle, 1, device, options.as_ptr(), none, ptr::null_mut())
    }
}

fn log(place: &Place, program: &Program) -> String {
    let (api, device) = (&place.device.driver.api, place.device.handle);
    let ask = |room, to, size| {
        // SAFETY: program and device exist, and at most as many bytes are written as there is room for.
        unsafe { (api.clGetProgramBuildInfo)(program.handle, device, BUILD_LOG, room, to, size) }
    };
    read(ask).map(|bytes| text(&bytes)).unwrap_or_default()
}

/// What a program was compiled to, for the one device it was built for.
fn image(program: &Program) -> Option<Vec<u8>> {
    let api = &program.driver.api;
    let ask = |room, to, size| {
        // SAFETY: the program exists, and at most as many bytes are written as there is room for.
        unsafe { (api.clGetProgramInfo)(program.handle, BINARY_SIZES, room, to, size) }
    };
    let sizes: Vec<usize> = read(ask)?
        .chunks_exact(size_of::<usize>())
        .filter_map(|size| Some(usize::from_ne_bytes(size.try_into().ok()?)))
        .collect();
    // The program knows all devices of its context, and was built for one.
    let mut images: Vec<Vec<u8>> = sizes.iter().map(|&size| vec![0; size]).collect();
    let mut places: Vec<*mut u8> =
        images.iter_mut().map(|image| if image.is_empty() { ptr::null_mut() } else { image.as_mut_ptr() }).collect();
    // SAFETY: each image is written where there is as much room as it was said to need.
    let code = unsafe {
        let (room, to) = (size_of_val(&places[..]), places.as_mut_ptr().cast());
        (api.clGetProgramInfo)(program.handle, BINARIES, room, to, ptr::null_mut())
    };
    images.retain(|image| !image.is_empty());
    if code == code::SUCCESS { images.pop() } else { None }
}
