//! What situ asks of cuSOLVER and cuBLAS: fakes of both beside a fake driver, whose memory is the host's, so that no GPU is
//! needed. The fakes abort where a call is not as it should be.
//!
//! Libraries are found once in a process, so that each test starts one of its own: a test of `inside`, with an environment. The
//! fake driver's kernels do nothing; what needs one is left to tests on a GPU.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A folder with fake libraries, and one with an old cuSOLVER; `None` without a C compiler.
fn fakes() -> Option<&'static [PathBuf; 2]> {
    static FAKES: OnceLock<Option<[PathBuf; 2]>> = OnceLock::new();
    FAKES.get_or_init(build).as_ref()
}

fn build() -> Option<[PathBuf; 2]> {
    if !cfg!(target_os = "linux") || Command::new("cc").arg("--version").output().is_err() {
        return None;
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fake_cuda");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake_cuda");
    let old = folder.join("old");
    // What an earlier run left. There is nothing in the first one.
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&old).unwrap();
    for (source, to, define) in [
        ("driver.c", folder.join("libcuda.so.1"), "-DNEW"),
        ("compiler.c", folder.join("libnvrtc.so.13"), "-DNEW"),
        ("cublas.c", folder.join("libcublas.so.13"), "-DNEW"),
        ("cusolver.c", folder.join("libcusolver.so.12"), "-DNEW"),
        ("cusolver.c", old.join("libcusolver.so.12"), "-DOLD"),
    ] {
        let mut cc = Command::new("cc");
        cc.args(["-O2", "-fcx-limited-range", "-shared", "-fPIC", define, "-o"])
            .arg(to)
            .arg(sources.join(source))
            .arg("-lm");
        assert!(cc.status().unwrap().success(), "{source}");
    }
    Some([folder, old])
}

/// Runs a test of `inside` beside the fake libraries.
fn run(test: &str, settings: &[(&str, &str)]) {
    let Some([folder, _]) = fakes() else { return };
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", &format!("inside::{test}")]);
    child.env("LD_LIBRARY_PATH", folder).env("SITU_CACHE_DIR", folder.join("cache")).env("SITU_TEST_LINALG", "1");
    for variable in ["SITU_NVRTC", "SITU_CUBLAS", "SITU_CUSOLVER"] {
        child.env(variable, folder);
    }
    child.envs(settings.iter().copied());
    // The fake driver has no kernels.
    let method = settings.iter().find(|(name, _)| *name == "SITU_CUSOLVER_METHOD").map_or("", |(_, method)| *method);
    child.env("SITU_CUSOLVER_METHOD", format!("kernels=off,{method}"));
    let done = child.output().unwrap();
    let said = [done.stdout, done.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    assert!(done.status.success() && said.contains("1 passed"), "{test} with {settings:?}: {said}");
    assert!(!said.contains("fake "), "{test} with {settings:?}: {said}");
}

#[test]
fn equations_are_solved() {
    run("equations", &[]);
    run("equations", &[("SITU_CUBLAS", "off")]);
}

#[test]
fn factors_are_found() {
    run("lu_together", &[("SITU_CUSOLVER_METHOD", "factorise=together")]);
    run("cholesky", &[]);
    run("cholesky", &[("SITU_CUSOLVER_METHOD", "factorise=each")]);
    run("qr", &[]);
}

#[test]
fn singular_values_are_found() {
    run("svd", &[("SITU_CUSOLVER_METHOD", "svd=iteration")]);
}

#[test]
fn eigenvalues_are_found() {
    let old = fakes().map_or("", |[_, old]| old.to_str().unwrap());
    run("eigh", &[]);
    run("eigh", &[("SITU_CUSOLVER", old)]);
    run("eigh", &[("SITU_CUSOLVER_METHOD", "eigh=jacobi")]);
}

#[test]
fn what_is_not_finite_has_no_answer() {
    run("not_finite", &[]);
    run("not_finite", &[("SITU_CUSOLVER_METHOD", "svd=polar,eigh=each")]);
}

#[test]
fn sizes_choose_the_function() {
    let Some([folder, old]) = fakes() else { return };
    for (n, (method, library, wanted)) in [
        (
            "",
            folder,
            "Xpotrf potrfBatched Xgetrf Xgetrs gesvdjBatched Xgesvd Xgesvd syevjBatched XsyevBatched Xsyevd Xgeev",
        ),
        ("", old, "Xpotrf potrfBatched Xgetrf Xgetrs gesvdjBatched Xgesvd Xgesvd syevjBatched Xsyevd Xsyevd Xsyevd"),
        (
            "svd=polar,eigh=each,factorise=each",
            folder,
            "Xpotrf Xgetrf Xgetrs Xgesvdp Xgesvdp Xgesvdp Xgesvdp Xgesvdp Xsyevd Xsyevd Xsyevd Xsyevd Xsyevd Xgeev",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let log = folder.join(format!("log_{n}"));
        let settings = [("FAKE_CUSOLVER_LOG", log.to_str().unwrap()), ("SITU_CUSOLVER_METHOD", method)];
        run("sizes", &[settings[0], settings[1], ("SITU_CUSOLVER", library.to_str().unwrap())]);
        let calls = std::fs::read_to_string(log).unwrap();
        let mut calls: Vec<&str> = calls.lines().filter(|&call| call != "Create").collect();
        // Matrices one after another are as many calls.
        if method.contains("each") {
            calls.dedup_by(|a, b| a == b && *a == "Xpotrf");
        }
        assert_eq!(calls.join(" "), wanted, "{method} {library:?}");
    }
}

#[test]
fn a_library_that_is_missing_is_named() {
    let nowhere = fakes().map_or("", |[folder, _]| folder.to_str().unwrap());
    run("refused", &[("SITU_CUSOLVER", "off"), ("WANTED", "SITU_CUSOLVER=off|to_device(\"native:cpu\")")]);
    let wanted = "newer than the driver|pip install nvidia-cusolver`|to_device(\"native:cpu\")";
    run("refused", &[("SITU_CUSOLVER", nowhere), ("FAKE_CUSOLVER_VERSION", "13"), ("WANTED", wanted)]);
    let wanted = "pip install nvidia-cusolver-cu12`";
    let settings = [("FAKE_CUDA_VERSION", "12080"), ("SITU_CUBLAS", "off"), ("WANTED", wanted)];
    run("refused", &[("SITU_CUSOLVER", nowhere), settings[0], settings[1], settings[2]]);
}

#[test]
fn an_old_library_says_what_it_lacks() {
    let old = fakes().map_or("", |[_, old]| old.to_str().unwrap());
    run("no_eigenvalues", &[("SITU_CUSOLVER", old)]);
}

#[test]
fn failures_are_errors_and_harm_nothing() {
    for function in ["Create", "Xpotrf", "potrfBatched", "Xgetrf", "Xgetrs", "Xgeqrf", "orgqr", "gesvdjBatched"] {
        run("failures", &[("FUNCTION", function)]);
    }
    for function in ["Xgesvd", "Xsyevd", "syevjBatched", "XsyevBatched", "Xgeev"] {
        run("failures", &[("FUNCTION", function)]);
    }
    run("failures", &[("FUNCTION", "gesvdj"), ("SITU_CUSOLVER_METHOD", "svd=jacobi")]);
    run("failures", &[("FUNCTION", "Xgesvdp"), ("SITU_CUSOLVER_METHOD", "svd=polar")]);
}

#[test]
fn a_driver_that_fails_half_way_harms_nothing() {
    for function in ["cuMemcpyAsync", "cuMemsetD8Async", "cuEventCreate", "cuEventRecord", "cuLaunchKernel"] {
        run("driver_failures", &[("FUNCTION", function)]);
    }
}

/// Tests that run in a process of their own, beside fake libraries.
mod inside {
    use std::ffi::{CString, c_char, c_int, c_long};
    use std::sync::Arc;

    use situ_hal::{
        Address, Command, Completion, Context, Device, HalError, Linalg, Platform, Problem, Queue, SingularVectors,
        UnpooledScratch,
    };
    use situ_types::{DType, QueueProperties, UsmKind};

    fn platform() -> Arc<dyn Platform> {
        situ_cuda::platform().unwrap()
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn equations() {
        situ_conformance::linalg_equations(platform());
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn lu_together() {
        situ_conformance::linalg_lu(platform());
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn cholesky() {
        situ_conformance::linalg_cholesky(platform());
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn qr() {
        situ_conformance::linalg_qr(platform());
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn svd() {
        situ_conformance::linalg_svd(platform());
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn eigh() {
        situ_conformance::linalg_eigh(platform());
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn not_finite() {
        situ_conformance::linalg_of_what_is_not_finite(platform());
    }

    /// A queue, and memory enough for every problem below.
    struct Place {
        context: Arc<dyn Context>,
        device: Arc<dyn Device>,
        queue: Arc<dyn Queue>,
        memory: Address,
    }

    /// Bytes between operands.
    const APART: usize = 8 << 20;

    impl Place {
        fn new() -> Place {
            let platform = platform();
            let device = platform.devices()[0].clone();
            let context = platform.create_context(std::slice::from_ref(&device)).unwrap();
            let scratch = Arc::new(UnpooledScratch::new(context.clone(), device.clone()));
            let properties = QueueProperties { in_order: true, profiling: false };
            let queue = context.create_queue(&device, properties, scratch).unwrap();
            let memory = context.allocate(&device, UsmKind::Device, 8 * APART).unwrap();
            // SAFETY: as many bytes were allocated, which the host reaches, because the driver is fake.
            unsafe { std::ptr::write_bytes(memory.0, 0, 8 * APART) };
            Place { context, device, queue, memory }
        }

        fn at(&self, n: usize) -> Address {
            self.memory.offset((n * APART) as isize)
        }

        fn solve(&self, count: usize, problem: Problem) -> Result<(), HalError> {
            let command = Linalg { dtype: DType::F64, count, problem, status: self.at(7) };
            // SAFETY: all problems here need less memory than there is between operands.
            match unsafe { self.queue.submit(&Command::Linalg(Box::new(command)), &[]) }? {
                Completion::Event(event) => assert!(event.wait(None) && event.error().is_none()),
                Completion::Done => {}
            }
            Ok(())
        }

        fn cholesky(&self, order: usize) -> Problem {
            Problem::Cholesky { order, matrix: self.at(0) }
        }

        /// Matrices of zeros, which have every answer that is asked for here.
        fn problems(&self) -> Vec<(usize, Problem)> {
            let [matrix, other, third, fourth] = [0, 1, 2, 3].map(|n| self.at(n));
            let vectors = Some(SingularVectors { left_columns: 4, left: third, right: fourth });
            let svd = |vectors| Problem::Svd { rows: 4, columns: 4, matrix, values: other, vectors };
            let eigh = |order| Problem::Eigh { order, matrix, values: other, wants_vectors: true };
            vec![
                (1, self.cholesky(4)),
                (2, self.cholesky(4)),
                (1, Problem::Solve { order: 4, columns: 2, matrix, right: other }),
                (3, svd(vectors)),
                (1, svd(None)),
                (1, svd(vectors)),
                (2, eigh(4)),
                (2, eigh(40)),
                (1, eigh(4)),
            ]
        }

        fn eig(&self) -> Problem {
            Problem::Eig { order: 4, matrix: self.at(0), values: self.at(1), vectors: Some(self.at(2)) }
        }

        fn qr(&self) -> Problem {
            Problem::Qr { rows: 4, columns: 3, matrix: self.at(0), q: Some((4, self.at(1))) }
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            self.queue.wait(None);
            // SAFETY: allocated with this kind and size, and nothing uses it any more.
            unsafe { self.context.release(UsmKind::Device, self.memory, 8 * APART) };
            assert_eq!(self.context.memory_available(&self.device, UsmKind::Device), Some(1 << 30), "memory was kept");
        }
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn sizes() {
        let place = Place::new();
        place.problems().into_iter().for_each(|(count, problem)| place.solve(count, problem).unwrap());
        let answer = place.solve(1, place.eig());
        assert_eq!(answer.is_err(), std::env::var("SITU_CUSOLVER").unwrap().ends_with("old"), "{answer:?}");
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn refused() {
        let place = Place::new();
        let Err(HalError::Unsupported { operation, detail }) = place.solve(1, place.cholesky(4)) else {
            panic!("solved")
        };
        assert_eq!(operation, "Cholesky factorisation");
        for words in std::env::var("WANTED").unwrap().split('|') {
            assert!(detail.contains(words), "{words} is not in {detail}");
        }
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn no_eigenvalues() {
        let place = Place::new();
        let Err(HalError::Unsupported { detail, .. }) = place.solve(1, place.eig()) else { panic!("solved") };
        assert!(detail.contains("12.6") && detail.contains("to_device(\"native:cpu\")"), "{detail}");
        place.solve(1, place.cholesky(4)).unwrap();
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn failures() {
        let (place, function) = (Place::new(), std::env::var("FUNCTION").unwrap());
        let problems = || place.problems().into_iter().chain([(1, place.eig()), (2, place.qr())]);
        for code in [2, 7] {
            // SAFETY: the only other thread of the process waits for this one.
            unsafe { std::env::set_var("FAKE_CUSOLVER_FAIL", format!("{function}:{code}")) };
            let mut failed = 0;
            for error in problems().filter_map(|(count, problem)| place.solve(count, problem).err()) {
                failed += 1;
                match error {
                    HalError::OutOfMemory { detail, .. } if code == 2 => {
                        assert!(detail.contains(&function), "{detail}")
                    }
                    HalError::Failed { operation, detail } if code == 7 => {
                        assert_eq!(detail, format!("cuSOLVER failed with status 7 in {function}"));
                        assert!(!operation.is_empty());
                    }
                    other => panic!("{other:?}"),
                }
            }
            assert!(failed > 0, "{function} was not called");
            // SAFETY: as above.
            unsafe { std::env::remove_var("FAKE_CUSOLVER_FAIL") };
            if function == "Create" {
                assert_eq!(failed, problems().count());
            }
        }
        problems().for_each(|(count, problem)| place.solve(count, problem).unwrap());
    }

    /// Makes a function of the fake driver fail at a call from now on.
    fn fail(function: &str, turn: c_long, code: c_long) {
        // SAFETY: the fake driver is loaded already, under this name, and has the function.
        unsafe {
            let driver = libloading::Library::new("libcuda.so.1").unwrap();
            let fail: libloading::Symbol<'_, unsafe extern "C" fn(*const c_char, c_long, c_long) -> c_int> =
                driver.get(b"fake_fail\0").unwrap();
            fail(CString::new(function).unwrap().as_ptr(), turn, code);
        }
    }

    #[test]
    #[ignore = "needs fakes in its environment; a test above starts it in a process of its own"]
    fn driver_failures() {
        let (place, function) = (Place::new(), std::env::var("FUNCTION").unwrap());
        let problems = || place.problems().into_iter().chain([(1, place.eig()), (2, place.qr())]);
        let mut failed = 0;
        for turn in 1..6 {
            for (count, problem) in problems() {
                fail(&function, turn, 999);
                failed += u32::from(place.solve(count, problem).is_err());
                fail("", 0, 0);
                place.solve(count, problem).unwrap();
            }
        }
        assert!(failed > 0 || function.starts_with("cuEvent"), "{function} was not called");
    }
}
